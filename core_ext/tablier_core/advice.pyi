"""Advice on a position, for Python: a search with the GIL released, and its report."""

from dataclasses import dataclass

from tablier_core.position import Position

STRONGEST: int
MOST_THREADS: int

class Cancel:
    """A switch that ends a search from another thread."""

    def set(self) -> None: ...

@dataclass(frozen=True)
class Suggestion:
    """A move and what the search thinks of it, or the game's engine if that settled the matter."""

    action: int
    visits: int
    values: tuple[float, ...]
    spread: float
    line: tuple[tuple[int, int], ...]
    weight: float

@dataclass(frozen=True)
class Report:
    """What was found: moves from the most to the least visited, or as the engine ordered them."""

    suggestions: tuple[Suggestion, ...]
    iterations: int
    seconds: float
    stopped: str
    world: Position

class Analysis:
    """The moves of a seat that is to move, under examination: each `think` goes on where the last
    one stopped."""

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
        """Ask the game's own engine, if it has one, before thinking in slices."""

    def think(
        self, *, iterations: int = 0, seconds: float = 0.0, cancel: Cancel | None = None
    ) -> Report:
        """Search for so many more iterations or so much more time, and report on all so far."""

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
    """Rank the moves of a seat that is to move: an `Analysis` of one `think`."""
