"""Simulation for Python: bots play a position to the end many times, with the GIL released."""

from collections.abc import Sequence
from dataclasses import dataclass

from tablier_core.advice import Cancel
from tablier_core.position import Position

@dataclass(frozen=True)
class Outcome:
    """The results of one seat over all games."""

    mean_return: float
    mean_score: float
    wins: int
    """Games with a positive return."""
    histogram: tuple[int, ...]
    """Games by return, in ten equal intervals from -1 to 1."""

@dataclass(frozen=True)
class Simulation:
    """The results of the games that were finished."""

    games: int
    outcomes: tuple[Outcome, ...]
    """Results by seat."""
    mean_length: float
    """In moves, like the next two."""
    shortest: int
    longest: int
    sample: tuple[tuple[int, int], ...]
    """Moves of the first game as (seat, action), at most 1024."""
    world: Position
    """What the viewer may be shown of the position: the world that the first game started from."""

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
    """Let bots play games to the end and report the results.

    Every game starts from a fresh world that the viewer cannot tell from the position. For the
    referee (-1) only future chance is redrawn. `levels` has one level per seat: 1 to 10, or 0 for
    random moves. Games that are interrupted by time or by the switch do not count.

    Raises GameOver, WrongSeat for the viewer, or InvalidField for the levels.
    """
