"""Types of encoding.pyx."""

from typing import TypedDict

class Facts(TypedDict):
    layout: str  # six ranks, rank 6 first, with R, B and .
    beads: tuple[int, ...]  # by pit
    to_move: int
    turns: int
    turn_limit: int
    advanced: bool
    winner: int | None

def facts(packed: bytes) -> Facts: ...
