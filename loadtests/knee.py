"""The knee: the highest rate that a service sustains, found by raising the rate until it breaks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from loadtests.objectives import Objectives
from loadtests.outcomes import GOOD, LATE, LOST, REJECTED, WRONG, Tally, milliseconds

GROWTH = 2.0
# Steps between the last rate that held and the first that broke.
REFINEMENTS = 3
# What prevented a higher rate than the best.
BY_SERVICE, BY_GENERATOR = "the service", "generator-limited"
BY_MACHINE, BY_STEPS = "busy machine", "no more steps"
# Why a rate that broke proves nothing, besides a slow generator.
BUSY_MACHINE = "other processes kept the machine busy"


@dataclass(frozen=True)
class Step:
    """What happened at one rate. Rates are per second."""

    rate: float
    offered: float
    goodput: float
    rejected: float
    late: float
    errors: float
    wrong: int
    lost: int
    p50_ms: float
    p99_ms: float
    lag_p99_ms: float
    # Cores of the server and of the busiest generator.
    server_cores: float
    generator_cores: float
    held: bool
    # Why the generator or other work was the limit; empty if the service was.
    limited: list[str]

    @classmethod
    def of(cls, rate: float, tally: Tally, objectives: Objectives, cpu_seconds: float) -> Step:
        """What was measured at a rate."""
        histogram, seconds = tally.histogram(), tally.seconds
        return cls(
            rate=rate,
            offered=tally.starts / seconds,
            goodput=tally.count(GOOD) / seconds,
            rejected=tally.count(REJECTED) / seconds,
            late=tally.count(LATE) / seconds,
            errors=tally.errors / seconds,
            wrong=tally.count(WRONG),
            lost=tally.count(LOST),
            p50_ms=milliseconds(histogram, 50.0),
            p99_ms=milliseconds(histogram, 99.0),
            lag_p99_ms=milliseconds(tally.lag(), 99.0),
            server_cores=cpu_seconds / seconds,
            generator_cores=tally.generator_cores,
            held=objectives.holds_at(tally),
            limited=objectives.limited(tally),
        )


@dataclass
class Knee:
    """The steps, and what they show."""

    steps: list[Step] = field(default_factory=list)

    @property
    def rate(self) -> float:
        """The goodput at the highest rate that held; 0 if none did."""
        return max((step.goodput for step in self.steps if step.held), default=0.0)

    @property
    def is_lower_bound(self) -> bool:
        """Whether the service might sustain more: no rate broke it while the generator kept up."""
        return not any(not step.held and not step.limited for step in self.steps)

    @property
    def microseconds(self) -> float:
        """CPU time of the server per good answer, at the highest rate that held."""
        held = [step for step in self.steps if step.held and step.goodput]
        best = max(held, key=lambda step: step.goodput, default=None)
        return best.server_cores / best.goodput * 1e6 if best else 0.0

    def __str__(self) -> str:
        if not self.steps:
            return "not looked for"
        if not self.rate:
            return "below the first rate"
        bound = "at least " if self.is_lower_bound else ""
        return f"{bound}{self.rate:,.0f} per second{f', {self.limit}' if bound else ''}"

    @property
    def limit(self) -> str:
        """What prevented a higher rate."""
        if not self.is_lower_bound:
            return BY_SERVICE
        if not any(step.limited for step in self.steps):
            return BY_STEPS
        busy = any(BUSY_MACHINE in step.limited for step in self.steps)
        return BY_MACHINE if busy else BY_GENERATOR

    @classmethod
    def from_json(cls, steps: list[dict[str, Any]]) -> Knee:
        """Read steps from a file."""
        return cls([Step(**step) for step in steps])


def find_knee(measure: Callable[[float], Step], first: float, most: int) -> Knee:
    """Raise the rate until it breaks, then look between the last two; at most `most` steps.

    `measure` runs a step. The search ends early if the generator is the limit.
    """
    knee = Knee()
    rate, held, broken = first, 0.0, 0.0
    refined = 0
    while len(knee.steps) < most:
        step = measure(rate)
        knee.steps.append(step)
        if step.held and not step.limited:
            held = rate
        elif step.limited and not broken:
            # A faster generator might get further.
            break
        else:
            broken = rate
        if broken:
            if refined == REFINEMENTS:
                break
            refined += 1
            rate = (held * broken) ** 0.5 if held else broken / 2
        else:
            rate *= GROWTH
    return knee
