from collections.abc import Mapping
from typing import TypedDict

from tablier_core.position import Game

DEFAULT_LIMIT: int

class Tally(TypedDict):
    games: int
    moves: int
    generated: int
    unfinished: int
    wins: int
    draws: int
    losses: int
    wins_by_seat: list[int]
    returns: list[float]

def playouts(
    game: Game, options: Mapping[str, object], seed: int, games: int, limit: int = ...
) -> Tally: ...
