"""The objectives of `objectives.toml`, and the verdict on a run."""

from __future__ import annotations

import tomllib
from enum import StrEnum
from pathlib import Path
from typing import Any, NamedTuple

from hdrh.histogram import HdrHistogram

from loadtests.outcomes import GOOD, LATE, LOST, NEVER, REJECTED, Tally, milliseconds
from loadtests.watch import Sample, slope

FILE = Path(__file__).with_name("objectives.toml")
LATENCIES = {"p50_ms": 50.0, "p99_ms": 99.0, "p999_ms": 99.9}


class Verdict(StrEnum):
    """What a run has shown."""

    HELD = "held"
    BROKEN = "broken"
    NONE = "no verdict: limited by the generator"
    DISTURBED = "no verdict: the machine was busy with other work"

    @property
    def exit_code(self) -> int:
        """The exit code of a run with this verdict."""
        return {Verdict.HELD: 0, Verdict.BROKEN: 1}.get(self, 2)


class Check(NamedTuple):
    """One objective, and what was measured."""

    what: str
    measured: float
    most: float
    # Broken correctness counts, however slow the generator was.
    always: bool = False

    @property
    def held(self) -> bool:
        """Whether the objective was met."""
        return self.measured <= self.most


class Objectives:
    """The objectives of one scenario."""

    def __init__(self, scenario: str, file: Path = FILE) -> None:
        content: dict[str, Any] = tomllib.loads(file.read_text())
        self.every: dict[str, float] = content["every"]
        self.generator: dict[str, float] = content["generator"]
        self.goodput: float = content["knee"]["goodput"]
        self.other_cores: float = content["machine"]["other_cores"]
        self.soak: dict[str, float] = content["soak"]
        # A scenario can be a single call: `ApplyMoves`, `Batch/apply_moves`.
        known = {**content["call"], **content["scenario"]}
        self.scenario: dict[str, Any] = known[scenario.partition("/")[0]]

    @property
    def rate(self) -> float:
        """The requests per second at which the objectives must hold."""
        return float(self.scenario["rate"])

    @property
    def late_seconds(self) -> float:
        """When an answer is late."""
        return self.every["late_ms"] / 1000

    def checks(self, tally: Tally, cpu_seconds: float, samples: list[Sample]) -> list[Check]:
        """Every objective that can be judged after a run at the scenario's rate."""
        made = max(1, sum(map(tally.total, tally.labels)))
        # What does not come in time may be the fault of a busy machine. A wrong answer is not.
        found = [
            Check(what, tally.count(what), self.every[what], always=what != LOST) for what in NEVER
        ]
        found += [
            Check("errors", tally.errors / made, self.every["error_rate"]),
            Check("rejected", tally.count(REJECTED) / made, self.every["rejected_rate"]),
            Check("late", tally.count(LATE) / made, self.every["late_rate"]),
        ]
        found += latency_checks("all calls", tally.histogram(), self.scenario)
        for call, limits in self.scenario.get("call", {}).items():
            for label in tally.labels:
                if label.split()[-1] == call:
                    found += latency_checks(label, tally.histogram(label), limits)
        if cpu_seconds:
            cost = cpu_seconds / made * 1e6
            found.append(Check("CPU per request, µs", cost, self.scenario["cpu_us"]))
        if samples and samples[-1].megabytes:
            most = max(sample.megabytes for sample in samples)
            found.append(Check("memory, MB", most, self.every["memory_mb"]))
        return found + self._soak_checks(samples)

    def _soak_checks(self, samples: list[Sample]) -> list[Check]:
        """The slopes, if the run was long enough for them."""
        if not samples or samples[-1].second < self.soak["shortest_minutes"] * 60:
            return []
        found = []
        for what in ("memory_mb", "descriptors", "threads"):
            field = "megabytes" if what == "memory_mb" else what
            # Judged by the lower end, because noise is not growth.
            low = slope_of(samples, field).low
            most = self.soak[f"{what}_per_minute"]
            found.append(Check(f"{field} per minute", low, most))
        return found

    def limited(self, tally: Tally) -> list[str]:
        """Why the generator, not the service, limited a run; empty if it did not."""
        lag = milliseconds(tally.lag(), 99.0)
        skipped = tally.skipped / max(1, tally.starts)
        measured = {"lag_p99_ms": lag, "skipped": skipped, "cores": tally.generator_cores}
        return [
            f"{what} of the generator: {measured[what]:.3g}, more than {most:g}"
            for what, most in self.generator.items()
            if measured[what] > most
        ]

    def disturbed(self, samples: list[Sample]) -> bool:
        """Whether other work kept the machine too busy to blame the service for being slow."""
        others = [sample.other_cores for sample in samples]
        return bool(others) and sum(others) / len(others) > self.other_cores

    def holds_at(self, tally: Tally) -> bool:
        """Whether a rate was sustained: nearly all answers were good, and the p99 was met."""
        if any(tally.count(what) for what in NEVER):
            return False
        in_time = milliseconds(tally.histogram(), 99.0) <= self.scenario["p99_ms"]
        return in_time and tally.count(GOOD) >= self.goodput * (tally.starts - tally.skipped)


def slope_of(samples: list[Sample], field: str) -> Any:
    """The slope of one figure of the samples, after the first third of the run."""
    settled = samples[len(samples) // 3 :]
    return slope([(sample.second, float(getattr(sample, field))) for sample in settled])


def latency_checks(what: str, histogram: HdrHistogram, limits: dict[str, Any]) -> list[Check]:
    """The objectives for latencies."""
    return [
        Check(f"p{at:g} of {what}, ms", milliseconds(histogram, at), limits[name])
        for name, at in LATENCIES.items()
        if name in limits
    ]


def verdict_on(checks: list[Check], limited: list[str], disturbed: bool) -> Verdict:
    """The verdict: a slow generator or a busy machine excuses delays, but no wrong answer."""
    broken = [check for check in checks if not check.held]
    if any(check.always for check in broken):
        return Verdict.BROKEN
    if limited:
        return Verdict.NONE
    if broken:
        return Verdict.DISTURBED if disturbed else Verdict.BROKEN
    return Verdict.HELD
