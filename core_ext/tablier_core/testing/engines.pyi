"""Games with another engine than their own, to see what a search makes of the slot `rank`."""

from collections.abc import Mapping

from tablier_core.position import Game

def engage(game: Game, verdict: str, weights: Mapping[int, float] | None = None) -> Game:
    """The game with an engine that gives actions these weights, or without them one that reads all
    of the state that it gets; until the next call."""
