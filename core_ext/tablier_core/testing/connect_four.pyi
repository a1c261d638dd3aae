from collections.abc import Mapping
from typing import TypedDict

class Facts(TypedDict):
    discs: tuple[int, int]  # the cells of each seat: bit 7 x column + row
    winner: int | None

ops: object

def pack_options(values: Mapping[str, object]) -> bytes: ...
def facts(packed: bytes) -> Facts: ...
