from collections.abc import Mapping
from typing import TypedDict

class Facts(TypedDict):
    target: int
    bank: tuple[int, int]
    turn: int
    to_move: int
    winner: int | None

ops: object

def pack_options(values: Mapping[str, object]) -> bytes: ...
def facts(packed: bytes) -> Facts: ...
