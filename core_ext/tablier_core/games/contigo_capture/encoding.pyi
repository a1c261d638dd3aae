"""Types of encoding.pyx."""

from typing import TypedDict

class Facts(TypedDict):
    layout: str  # six ranks, rank 6 first; one letter per colour, capitals are Kings
    owner: tuple[int, ...]  # by colour: the seat that controls it
    beads: tuple[int, ...]  # by pit
    to_move: int
    chain: int | None  # the square of the piece that may capture again
    turns: int
    turn_limit: int
    quick: bool
    winner: int | None

def facts(packed: bytes) -> Facts: ...
