"""What became of requests: outcomes, latencies in HDR histograms, and the generator's own lag."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from hdrh.histogram import HdrHistogram

# Latencies are counted in microseconds, up to two minutes, with three digits.
LONGEST_MICROSECONDS = 120_000_000
DIGITS = 3
PERCENTILES = (50.0, 90.0, 99.0, 99.9, 99.99)

# Right and in time; right, but late; not what it must be; an error with RetryInfo; no answer at
# all; an answer that came twice. Every other outcome is the reason of an error.
GOOD, LATE, WRONG = "good", "late", "wrong"
REJECTED, LOST, DUPLICATED = "rejected", "lost", "duplicated"
NEVER = (WRONG, LOST, DUPLICATED)
ANSWERED = (GOOD, LATE)


def new_histogram() -> HdrHistogram:
    """An empty histogram of latencies."""
    return HdrHistogram(1, LONGEST_MICROSECONDS, DIGITS)


def histogram_of(microseconds: Iterable[int]) -> HdrHistogram:
    """A histogram of values."""
    histogram = new_histogram()
    for value in microseconds:
        histogram.record_value(min(max(value, 1), LONGEST_MICROSECONDS))
    return histogram


def encoded(histogram: HdrHistogram) -> str:
    """A histogram as text."""
    text: bytes = histogram.encode()
    return text.decode()


def merged(texts: Iterable[str]) -> HdrHistogram:
    """The sum of histograms that are given as text."""
    histogram = new_histogram()
    for text in texts:
        histogram.decode_and_add(text.encode())
    return histogram


def milliseconds(histogram: HdrHistogram, percentile: float) -> float:
    """A percentile; 0 if nothing was recorded."""
    if not histogram.get_total_count():
        return 0.0
    return float(histogram.get_value_at_percentile(percentile)) / 1000


@dataclass
class Notes:
    """What a generator writes down while it runs: as little as possible."""

    window_seconds: float
    # Microseconds, by label and window. A label is a transport and a call.
    latencies: dict[tuple[str, int], array[int]] = field(default_factory=dict)
    outcomes: Counter[tuple[str, str, int]] = field(default_factory=Counter)
    lags: array[int] = field(default_factory=lambda: array("L"))
    # Starts that were due in each window, and those that were skipped.
    offered: Counter[int] = field(default_factory=Counter)
    skipped: int = 0
    checked: int = 0

    def add(self, label: str, due: float, seconds: float, outcome: str) -> None:
        """Note an outcome; `due` is when the request had to start, in seconds of the phase."""
        window = int(due / self.window_seconds)
        self.outcomes[label, outcome, window] += 1
        if outcome in ANSWERED:
            key = label, window
            if key not in self.latencies:
                self.latencies[key] = array("L")
            self.latencies[key].append(max(0, int(seconds * 1e6)))


@dataclass
class Tally:
    """What several generators noted, merged: everything that a verdict or a report needs."""

    seconds: float
    window_seconds: float
    # By label, then by window: encoded histograms.
    histograms: dict[str, dict[int, list[str]]] = field(default_factory=dict)
    # By label, outcome and window.
    outcomes: dict[str, dict[str, dict[int, int]]] = field(default_factory=dict)
    offered: dict[int, int] = field(default_factory=dict)
    lags: list[str] = field(default_factory=list)
    skipped: int = 0
    checked: int = 0
    # The largest share of a core that one generator used.
    generator_cores: float = 0.0

    @classmethod
    def of(cls, notes: Notes, seconds: float, generator_cores: float) -> Tally:
        """What one generator noted."""
        tally = cls(seconds, notes.window_seconds, generator_cores=generator_cores)
        for (label, window), values in notes.latencies.items():
            of_label = tally.histograms.setdefault(label, {})
            of_label[window] = [encoded(histogram_of(values))]
        for (label, outcome, window), count in notes.outcomes.items():
            tally.outcomes.setdefault(label, {}).setdefault(outcome, {})[window] = count
        tally.offered = dict(notes.offered)
        tally.lags = [encoded(histogram_of(notes.lags))]
        tally.skipped, tally.checked = notes.skipped, notes.checked
        return tally

    def add(self, other: Tally) -> None:
        """Add what another generator noted during the same phase."""
        for label, windows in other.histograms.items():
            for window, texts in windows.items():
                self.histograms.setdefault(label, {}).setdefault(window, []).extend(texts)
        for label, outcomes in other.outcomes.items():
            for outcome, by_window in outcomes.items():
                mine = self.outcomes.setdefault(label, {}).setdefault(outcome, {})
                for window, count in by_window.items():
                    mine[window] = mine.get(window, 0) + count
        for window, count in other.offered.items():
            self.offered[window] = self.offered.get(window, 0) + count
        self.lags += other.lags
        self.skipped += other.skipped
        self.checked += other.checked
        self.generator_cores = max(self.generator_cores, other.generator_cores)

    @property
    def labels(self) -> list[str]:
        """The transports and calls, in alphabetical order."""
        return sorted(self.outcomes)

    @property
    def starts(self) -> int:
        """How many requests were due, including those that were skipped."""
        return sum(self.offered.values())

    def count(self, outcome: str, label: str = "") -> int:
        """How often something happened, to all calls or to one."""
        labels = [label] if label else self.labels
        return sum(sum(self.outcomes[each].get(outcome, {}).values()) for each in labels)

    def total(self, label: str) -> int:
        """How many requests of a call were made. What came twice was requested once."""
        outcomes = self.outcomes[label].items()
        return sum(sum(each.values()) for outcome, each in outcomes if outcome != DUPLICATED)

    def reasons(self) -> dict[str, int]:
        """All outcomes but the good ones, of all calls."""
        found: Counter[str] = Counter()
        for label in self.labels:
            for outcome, by_window in self.outcomes[label].items():
                if outcome != GOOD:
                    found[f"{label}: {outcome}"] += sum(by_window.values())
        return dict(found.most_common())

    @property
    def errors(self) -> int:
        """Requests with an outcome that is neither good nor counted separately."""
        known = (*ANSWERED, *NEVER, REJECTED)
        return sum(
            sum(by_window.values())
            for outcomes in self.outcomes.values()
            for outcome, by_window in outcomes.items()
            if outcome not in known
        )

    def histogram(self, label: str = "", window: int | None = None) -> HdrHistogram:
        """The latencies of all calls or one, in all windows or one."""
        return merged(
            text
            for each in ([label] if label else self.labels)
            for number, texts in self.histograms.get(each, {}).items()
            if window is None or number == window
            for text in texts
        )

    def lag(self) -> HdrHistogram:
        """How late requests were started."""
        return merged(self.lags)

    def as_json(self) -> dict[str, Any]:
        """All of it, for a file."""
        histograms = {
            label: {str(window): encoded(merged(texts)) for window, texts in windows.items()}
            for label, windows in self.histograms.items()
        }
        return {
            "seconds": self.seconds,
            "window_seconds": self.window_seconds,
            "histograms": histograms,
            "outcomes": self.outcomes,
            "offered": self.offered,
            "lag": encoded(self.lag()),
            "skipped": self.skipped,
            "checked": self.checked,
            "generator_cores": self.generator_cores,
        }

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Tally:
        """Read what `as_json` wrote."""
        return cls(
            seconds=data["seconds"],
            window_seconds=data["window_seconds"],
            histograms={
                label: {int(window): [text] for window, text in windows.items()}
                for label, windows in data["histograms"].items()
            },
            outcomes={
                label: {
                    outcome: {int(window): count for window, count in by_window.items()}
                    for outcome, by_window in outcomes.items()
                }
                for label, outcomes in data["outcomes"].items()
            },
            offered={int(window): count for window, count in data["offered"].items()},
            lags=[data["lag"]],
            skipped=data["skipped"],
            checked=data["checked"],
            generator_cores=data["generator_cores"],
        )
