"""Games with a replaced engine, to test how a search uses `rank` and `narrow`."""

from collections.abc import Iterable, Mapping

from tablier_core.position import Game

def engage(game: Game, verdict: str, weights: Mapping[int, float] | None = None) -> Game:
    """Return the game with an engine that gives actions these weights, until the next call.

    Without weights, the engine weighs moves by all bits of the state that it gets.
    """

def confine(game: Game, actions: Iterable[int]) -> Game:
    """Return the game with search trees that look only into these actions, until the next call."""
