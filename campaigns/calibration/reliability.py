"""Reliability by bin with standard errors clustered by game, Brier scores, and spreads."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import fmean

from campaigns.calibration.sampling import Sample

# Values from -1 to 1 fall into so many bins of equal width.
BINS = 10
# What is required: of bins with so many positions from so many games, ...
POSITIONS, GAMES = 400, 200
# ... the mean result within this of the mean value, plus two standard errors;
OFF = 0.1
# a Brier score lower than that of a constant by this share, over whole games;
GAIN = 0.2
# and a spread within this share of the observed standard deviation.
SPREAD_OFF = 0.15
# A score that differs by less than rounding is no worse.
TINY = 1e-9


@dataclass(frozen=True)
class Bin:
    """The positions whose values are in one bin."""

    number: int
    positions: int
    games: int
    value: float
    result: float
    # The standard error of result - value, clustered by game.
    error: float
    # The mean spread where the search reported one, and the observed standard deviation there.
    spread: float | None
    observed: float | None

    @property
    def counts(self) -> bool:
        """Whether there are enough positions to judge."""
        return self.positions >= POSITIONS and self.games >= GAMES

    @property
    def off(self) -> bool:
        """Whether the values are not what results are on average."""
        return abs(self.result - self.value) > OFF + 2 * self.error

    @property
    def spread_off(self) -> bool:
        """Whether the spread is not that of the results."""
        if self.spread is None or not self.observed:
            return False
        return abs(self.spread / self.observed - 1) > SPREAD_OFF


def bin_of(value: float) -> int:
    """The bin of a value."""
    return min(BINS - 1, int((value + 1) / 2 * BINS))


def clustered_error(samples: Sequence[Sample]) -> float:
    """The standard error of the mean of result - value, where games are drawn, not positions."""
    mean = fmean(each["result"] - each["value"] for each in samples)
    sums: defaultdict[int, float] = defaultdict(float)
    for each in samples:
        sums[each["game"]] += each["result"] - each["value"] - mean
    games = len(sums)
    if games < 2:
        return float("inf")
    correction = games / (games - 1)
    return sqrt(correction * sum(part * part for part in sums.values())) / len(samples)


def deviation(values: Sequence[float]) -> float:
    """The standard deviation of all values, not of a sample."""
    middle = fmean(values)
    return sqrt(fmean((value - middle) ** 2 for value in values))


def bins_of(samples: Iterable[Sample]) -> list[Bin]:
    """The bins that have positions."""
    sorted_in: defaultdict[int, list[Sample]] = defaultdict(list)
    for each in samples:
        sorted_in[bin_of(each["value"])].append(each)
    found = []
    for number, inside in sorted(sorted_in.items()):
        # 0 means that the engine settled the choice, and reports no spread.
        spread = [each for each in inside if each["spread"] > 0]
        found.append(
            Bin(
                number,
                len(inside),
                len({each["game"] for each in inside}),
                fmean(each["value"] for each in inside),
                fmean(each["result"] for each in inside),
                clustered_error(inside),
                fmean(each["spread"] for each in spread) if spread else None,
                deviation([each["result"] for each in spread]) if spread else None,
            )
        )
    return found


@dataclass(frozen=True)
class Brier:
    """The mean squared error of the chances to win that values stand for."""

    score: float
    # That of the best constant, known only afterwards.
    constant: float

    @property
    def gain(self) -> float:
        """How much better than the constant, as a share of its score."""
        return 1 - self.score / self.constant if self.constant else 0.0

    @property
    def worse(self) -> bool:
        """Whether a constant would have been better."""
        return self.score > self.constant + TINY


def brier_of(samples: Sequence[Sample]) -> Brier:
    """The Brier score of values, as chances (1 + value) / 2 of results (1 + result) / 2."""
    results = [(1 + each["result"]) / 2 for each in samples]
    score = fmean(
        ((1 + each["value"]) / 2 - result) ** 2
        for each, result in zip(samples, results, strict=True)
    )
    return Brier(score, deviation(results) ** 2)
