"""Games with another engine than their own, to see what a search makes of `rank` and `narrow`."""

from collections.abc import Iterable, Mapping

from tablier_core.position import Game

def engage(game: Game, verdict: str, weights: Mapping[int, float] | None = None) -> Game:
    """The game with an engine that gives actions these weights, or without them one that reads all
    of the state that it gets; until the next call."""

def confine(game: Game, actions: Iterable[int]) -> Game:
    """The game, with a tree that looks into these actions only; until the next call."""
