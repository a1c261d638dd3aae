"""Types of encoding.pyx."""

from typing import TypedDict

class Facts(TypedDict):
    pawns: tuple[int, int]  # by seat: a set of squares, a1 = bit 0, b1 = bit 1, ... f6 = bit 35
    beads: tuple[int, ...]  # by pit
    to_move: int
    turns: int
    turn_limit: int
    advanced: bool
    winner: int | None

def facts(packed: bytes) -> Facts: ...
