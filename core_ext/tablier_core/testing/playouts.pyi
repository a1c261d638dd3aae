from collections.abc import Mapping
from typing import TypedDict

from tablier_core.position import Game, Position

DEFAULT_LIMIT: int

class Tally(TypedDict):
    games: int
    moves: int
    generated: int
    unfinished: int
    draws: int
    wins: list[int]
    returns: list[float]

def playouts(
    game: Game, options: Mapping[str, object], seed: int, games: int, limit: int = ...
) -> Tally: ...
def rollouts(position: Position, seat: int, seed: int, games: int) -> list[float]:
    """Play games to the end from worlds that a seat cannot tell from a position, by the game's own
    policy if it has one: what a search does without its tree. Gives the sum of returns by seat."""
