"""Games played out by bots from a position, with the GIL released, and what they came to."""

from collections.abc import Sequence
from dataclasses import dataclass

from tablier_core.advice import Cancel
from tablier_core.position import Position

@dataclass(frozen=True)
class Outcome:
    """What the games brought a seat."""

    mean_return: float
    mean_score: float
    wins: int
    histogram: tuple[int, ...]

@dataclass(frozen=True)
class Simulation:
    """What came of the games that were finished."""

    games: int
    outcomes: tuple[Outcome, ...]
    mean_length: float
    shortest: int
    longest: int
    sample: tuple[tuple[int, int], ...]
    world: Position

def simulate(
    position: Position,
    levels: Sequence[int],
    *,
    viewer: int = -1,
    games: int,
    seed: int = 0,
    seconds: float = 0.0,
    cancel: Cancel | None = None,
) -> Simulation:
    """Let bots play games to the end from worlds that the viewer cannot tell from the position."""
