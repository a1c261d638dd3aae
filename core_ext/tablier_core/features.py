"""The named slices of a game's features: what the numbers for learners mean."""

from __future__ import annotations

from math import prod
from typing import NamedTuple


class FeatureSlice(NamedTuple):
    """Some of a game's features: an array of numbers with a name, a shape and bounds."""

    name: str
    offset: int
    """The index of its first number among all features."""
    shape: tuple[int, ...]
    low: float
    high: float
    meaning: str

    @property
    def size(self) -> int:
        """How many numbers it has."""
        return prod(self.shape)


def read_slices(text: str) -> tuple[FeatureSlice, ...]:
    """Read the list in a GameOps: a line per slice, `name shape low high meaning`."""
    slices: list[FeatureSlice] = []
    offset = 0
    for line in text.splitlines():
        name, shape, low, high, meaning = line.split(" ", 4)
        sides = tuple(int(side) for side in shape.split("x"))
        slices.append(FeatureSlice(name, offset, sides, float(low), float(high), meaning))
        offset += slices[-1].size
    return tuple(slices)
