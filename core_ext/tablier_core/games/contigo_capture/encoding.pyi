"""Types of encoding.pyx."""

from typing import TypedDict

class Facts(TypedDict):
    pieces: tuple[int, ...]  # by colour: its squares as bits from a1, the King's included
    kings: int  # the squares of all Kings
    owner: tuple[int, ...]  # by colour: the seat that controls it
    beads: tuple[int, ...]  # by pit
    to_move: int
    chain: int | None  # the square of the piece that may capture again
    turns: int
    turn_limit: int
    quick: bool
    winner: int | None

def facts(packed: bytes) -> Facts: ...
