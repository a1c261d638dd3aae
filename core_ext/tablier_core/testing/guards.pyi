from collections.abc import Mapping

from tablier_core.position import Game

DEFAULT_LIMIT: int
LAWS: dict[int, str]

class LawBroken(AssertionError): ...

def check_games(
    game: Game,
    options: Mapping[str, object],
    seed: int,
    games: int = 1,
    limit: int = ...,
    stride: int = 1,
) -> int: ...
def check_packed(
    game: Game, data: bytes, seed: int = 0, limit: int = 1000, stride: int = 8
) -> bool: ...
