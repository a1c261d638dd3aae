"""When requests are due: arrivals on a schedule that no answer can delay, in several shapes."""

from __future__ import annotations

import csv
import random
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

# The share of the full rate at a moment, given as a share of the run from 0 to 1.
Shape = Callable[[float], float]

# The spike lasts a tenth of the run, at four times the rate of the rest.
SPIKE, BETWEEN = 1.0, 0.25
STAIRS = 5


def steady(_: float) -> float:
    """The full rate all the time; also that of a soak, which only lasts longer."""
    return 1.0


def ramp(part: float) -> float:
    """From nothing to the full rate."""
    return part


def spike(part: float) -> float:
    """A quarter of the rate, and a spike with all of it in the middle."""
    return SPIKE if 0.45 <= part < 0.55 else BETWEEN


def steps(part: float) -> float:
    """Stairs up to the full rate."""
    return (min(int(part * STAIRS), STAIRS - 1) + 1) / STAIRS


SHAPES: dict[str, Shape] = {
    "steady": steady,
    "ramp": ramp,
    "spike": spike,
    "steps": steps,
    "soak": steady,
}


def day_from(path: Path) -> Shape:
    """The curve of a CSV file with the columns `hour` and `rate`, stretched over the run.

    The busiest hour has the full rate; between two rows, the rate changes evenly.
    """
    with path.open(newline="") as file:
        rows = [(float(row["hour"]), float(row["rate"])) for row in csv.DictReader(file)]
    if len(rows) < 2 or rows != sorted(rows) or max(rate for _, rate in rows) <= 0:
        raise ValueError(f"{path}: needs at least two rows in the order of `hour`, and a rate")
    first, last = rows[0][0], rows[-1][0]
    most = max(rate for _, rate in rows)

    def shape(part: float) -> float:
        hour = first + part * (last - first)
        for (before, low), (after, high) in pairwise(rows):
            if hour <= after:
                return (low + (high - low) * (hour - before) / (after - before)) / most
        return rows[-1][1] / most

    return shape


def shape_named(name: str) -> Shape:
    """A shape by name; a name that ends in `.csv` is a file with the curve of a day."""
    if name.endswith(".csv"):
        return day_from(Path(name))
    if name not in SHAPES:
        raise ValueError(f"there is no shape {name}; there are: {', '.join(SHAPES)}, or a CSV file")
    return SHAPES[name]


class Schedule(NamedTuple):
    """The arrivals of one of several generators."""

    rate: float
    seconds: float
    shape: str = "steady"
    poisson: bool = True
    # This generator, and how many there are; each has the same share of the arrivals.
    number: int = 0
    generators: int = 1
    seed: int = 1

    def arrivals(self) -> Iterator[float]:
        """When requests are due, in seconds after the start of the phase."""
        shape = shape_named(self.shape)
        return self._random(shape) if self.poisson else self._even(shape)

    def _random(self, shape: Shape) -> Iterator[float]:
        """Poisson arrivals: those at the full rate, thinned out where the rate is lower."""
        chance = random.Random(self.seed * 1000 + self.number)
        most = self.rate / self.generators
        at = chance.expovariate(most)
        while at < self.seconds:
            if chance.random() < shape(at / self.seconds):
                yield at
            at += chance.expovariate(most)

    def _even(self, shape: Shape) -> Iterator[float]:
        """Arrivals at constant distances: one whenever the rate adds up to another request."""
        # Generators take turns.
        due = (self.number + 0.5) / self.generators
        total, at = 0.0, 0.0
        tick = min(0.001, 1 / (4 * self.rate))
        while at < self.seconds:
            total += self.rate / self.generators * shape(at / self.seconds) * tick
            if total >= due:
                yield at
                due += 1
            at += tick
