"""Advice for Python: searches a position with the GIL released and reports the result."""

from dataclasses import dataclass

from tablier_core.position import Position

STRONGEST: int
"""The highest level."""
MOST_THREADS: int
"""The largest number of threads of a search."""

class Cancel:
    """A switch that stops a search from another thread."""

    def set(self) -> None:
        """Stop the search soon; every later one with this switch stops at once."""

@dataclass(frozen=True)
class Suggestion:
    """A move with its assessment by the search, or by the engine if that settled the choice."""

    action: int
    visits: int
    """Iterations that tried the move; 0 if the engine settled the choice."""
    values: tuple[float, ...]
    """Mean return of every seat."""
    spread: float
    """Standard deviation of the advised seat's return; 0 if the engine settled the choice."""
    line: tuple[tuple[int, int], ...]
    """Expected moves as (seat, action), starting with this one."""
    weight: float
    """Weight of the engine, in its own unit; 0 without an engine."""

@dataclass(frozen=True)
class Report:
    """The result: moves from the most to the least visited, or in the engine's order."""

    suggestions: tuple[Suggestion, ...]
    iterations: int
    seconds: float
    stopped: str
    """Why the search ended: "iterations", "time", "cancelled" or "settled"."""
    world: Position
    """What the seat may be shown of the position: the world that the advice started from."""

class Analysis:
    """A search for the best move of a seat: each `think` continues where the last one stopped.

    With a number of iterations, the result depends only on what the seat knows, the seed, the level
    and the number of threads. Levels 1 to 10 play like people: they use no more iterations than
    the level has, and sometimes slip.
    """

    def __init__(
        self,
        position: Position,
        seat: int,
        *,
        seed: int = 0,
        level: int = 0,
        threads: int = 1,
        memory: int = ...,
    ) -> None: ...
    def consult(
        self, *, iterations: int = 0, seconds: float = 0.0, cancel: Cancel | None = None
    ) -> None:
        """Ask the game's own engine, if it has one.

        The first `think` does this within its budget. Call it before thinking in slices.
        """

    def think(
        self, *, iterations: int = 0, seconds: float = 0.0, cancel: Cancel | None = None
    ) -> Report:
        """Search for more iterations or more time, and report everything found so far.

        At least one of the two must be given, unless there is a level.
        """

def advise(
    position: Position,
    seat: int,
    *,
    iterations: int = 0,
    seconds: float = 0.0,
    seed: int = 0,
    level: int = 0,
    threads: int = 1,
    memory: int = ...,
    cancel: Cancel | None = None,
) -> Report:
    """Rank the moves of a seat that is to move: an `Analysis` with a single `think`.

    At least one of iterations, seconds and level must be given.
    """
