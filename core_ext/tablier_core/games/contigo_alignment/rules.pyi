"""Types of rules.pyx."""

from collections.abc import Mapping
from typing import TypedDict

class Facts(TypedDict):
    pawns: tuple[int, int]  # by seat: a set of squares, a1 = bit 0, b1 = bit 1, ... f6 = bit 35
    beads: tuple[int, ...]
    to_move: int
    turns: int
    turn_limit: int
    advanced: bool
    winner: int | None

ops: object

def pack_options(values: Mapping[str, object]) -> bytes: ...
def facts(packed: bytes) -> Facts: ...
