"""Tokens: a position in an envelope that identifies it and detects damage.

    offset  size  field
    0       2     magic, "TB"
    2       1     format, 1
    3       1     viewer: 255 for the true state, else the seat whose view this is
    4       1     length n of the game's name
    5       n     the game's name, ASCII
    5+n     2     rules version
    7+n     4     ply: the number of moves played
    11+n    2     length m of the state
    13+n    m     the state, as the game packs it
    13+n+m  4     CRC-32 of all bytes before

Numbers are little-endian. Equal positions have equal tokens, byte for byte.
"""

from collections.abc import Mapping

from tablier_core.position import Game, Position

MAX_TOKEN: int

def encode(position: Position) -> bytes:
    """Return the token of a position."""

def decode(token: bytes | bytearray | memoryview, games: Mapping[str, Game]) -> Position:
    """Check a token completely and return its position; `games` maps names to Game objects."""
