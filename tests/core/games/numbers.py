"""Reading the features of a seat back, for tests that rebuild its view from them alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from tablier_core.features import FeatureSlice
from tablier_core.position import Game

T = TypeVar("T")


class Numbers:
    """The features of a seat, by the name of their slice."""

    def __init__(self, game: Game, seat: int, features: bytes) -> None:
        self.seat = seat
        self._slices = {each.name: each for each in game.features}
        self._values = list(map(float, memoryview(features).cast("f")))
        self._phases = game.phases

    def flat(self, name: str) -> list[float]:
        """Return all numbers of a slice."""
        part = self._part(name)
        return self._values[part.offset : part.offset + part.size]

    def whole(self, name: str) -> list[int]:
        """Return all numbers of a slice, which must be whole."""
        numbers = self.flat(name)
        assert all(number.is_integer() for number in numbers)
        return [int(number) for number in numbers]

    def rows(self, name: str) -> list[list[int]]:
        """Return a slice divided along its first side."""
        numbers = self.whole(name)
        size = len(numbers) // self._part(name).shape[0]
        return [numbers[i : i + size] for i in range(0, len(numbers), size)]

    def one(self, name: str) -> int:
        """Return the only number of a slice."""
        (number,) = self.whole(name)
        return number

    def digits(self, name: str) -> int:
        """Return the number whose digits of base 256 a slice contains."""
        return int.from_bytes(bytes(self.whole(name)), "little")

    def phase(self) -> str:
        """Return the name of the phase."""
        place = chosen(self.whole("phase"))
        assert place is not None
        return self._phases[place]

    def seat_at(self, place: int | None, seats: int) -> int | None:
        """Return the seat that is `place` places after the seat whose features these are."""
        return None if place is None else (self.seat + place) % seats

    def by_seat(self, places: Sequence[T]) -> tuple[T, ...]:
        """Put what begins with the seat itself in the order of the seats."""
        seats = len(places)
        return tuple(places[(seat - self.seat) % seats] for seat in range(seats))

    def _part(self, name: str) -> FeatureSlice:
        return self._slices[name]


def chosen(marks: list[int]) -> int | None:
    """Return the index of the only 1, or None if there is none."""
    assert set(marks) <= {0, 1}
    assert sum(marks) <= 1
    return marks.index(1) if 1 in marks else None


def members(marks: list[int]) -> list[int]:
    """Return the indices of all ones."""
    assert set(marks) <= {0, 1}
    return [i for i, mark in enumerate(marks) if mark]


def listed(counts: list[int]) -> list[int]:
    """Return every index as often as its count says."""
    return [i for i, number in enumerate(counts) for _ in range(number)]
