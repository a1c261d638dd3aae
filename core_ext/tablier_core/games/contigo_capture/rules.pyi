from collections.abc import Mapping
from typing import TypedDict

class Facts(TypedDict):
    pieces: tuple[int, ...]  # by colour: its squares as bits from a1, the King's included
    kings: int  # the squares of all Kings
    owner: tuple[int, ...]  # by colour: the seat that controls it
    beads: tuple[int, ...]
    to_move: int
    chain: int | None  # the square of the piece that may capture again
    turns: int
    turn_limit: int
    quick: bool
    winner: int | None

LETTERS: str
ops: object

def pack_options(values: Mapping[str, object]) -> bytes: ...
def facts(packed: bytes) -> Facts: ...
