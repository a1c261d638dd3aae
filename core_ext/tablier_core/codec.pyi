from collections.abc import Mapping

from tablier_core.position import Game, Position

MAX_TOKEN: int

def encode(position: Position) -> bytes: ...
def decode(token: bytes | bytearray | memoryview, games: Mapping[str, Game]) -> Position: ...
