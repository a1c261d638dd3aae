"""Advice on a position, for Python: a search with the GIL released, and its report."""

from dataclasses import dataclass

from tablier_core.position import Position

class Cancel:
    """A switch that ends a search from another thread."""

    def set(self) -> None: ...

@dataclass(frozen=True)
class Suggestion:
    """A move and what the search thinks of it."""

    action: int
    visits: int
    values: tuple[float, ...]
    spread: float
    line: tuple[tuple[int, int], ...]
    weight: float

@dataclass(frozen=True)
class Report:
    """What a search found: moves from the most to the least visited."""

    suggestions: tuple[Suggestion, ...]
    iterations: int
    seconds: float
    stopped: str

def advise(
    position: Position,
    seat: int,
    *,
    iterations: int = 0,
    seconds: float = 0.0,
    seed: int = 0,
    memory: int = ...,
    cancel: Cancel | None = None,
) -> Report:
    """Rank the moves of a seat that is to move; one of iterations and seconds is given at least."""
