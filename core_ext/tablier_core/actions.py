"""The parts of a game's action space: what an action says, as a few small numbers.

A policy that chooses one number after the other needs far fewer outputs than one that chooses among
all actions: 28 + 2 + 637 instead of 35,672 for the sowings of Contigo.
"""

from __future__ import annotations

from math import prod
from typing import NamedTuple


class ActionPart(NamedTuple):
    """Actions of one kind, which differ in a few factors: an array of actions with named axes."""

    name: str
    first: int
    """Its first action; the others follow, the last axis fastest."""
    shape: tuple[int, ...]
    """How many values each factor has; empty for a single action."""
    axes: tuple[str, ...]
    """What each factor is."""

    @property
    def size(self) -> int:
        """How many actions it has."""
        return prod(self.shape)

    def __contains__(self, action: object) -> bool:
        """Whether an action is one of these."""
        return isinstance(action, int) and self.first <= action < self.first + self.size

    def factors(self, action: int) -> tuple[int, ...]:
        """Return the factors of one of these actions; raises ValueError for others."""
        if action not in self:
            raise ValueError(f"{action} is not one of the actions {self.name}")
        rest, found = action - self.first, []
        for side in reversed(self.shape):
            rest, factor = divmod(rest, side)
            found.append(factor)
        return tuple(reversed(found))

    def action(self, *factors: int) -> int:
        """Return the action with these factors; raises ValueError if there is none."""
        if len(factors) != len(self.shape):
            raise ValueError(f"{self.name} has {len(self.shape)} factors")
        number = 0
        for factor, side in zip(factors, self.shape, strict=True):
            if not 0 <= factor < side:
                raise ValueError(f"{factor} is not one of the {side} values of a factor")
            number = number * side + factor
        return self.first + number


def read_parts(text: str) -> tuple[ActionPart, ...]:
    """Read a list of parts, in the order of their actions.

    Every line has a name, and for several actions `shape axes`: `sow 28x2x637 pit,direction,split`.
    """
    parts: list[ActionPart] = []
    first = 0
    for line in text.split("\n"):
        name, *rest = line.split(" ")
        shape, axes = rest or ("", "")
        sides = tuple([int(side) for side in shape.split("x") if side])
        parts.append(ActionPart(name, first, sides, tuple(axes.split(",")) if axes else ()))
        if len(parts[-1].axes) != len(sides):
            raise ValueError(f"{line}: needs a name for every axis")
        first += parts[-1].size
    return tuple(parts)
