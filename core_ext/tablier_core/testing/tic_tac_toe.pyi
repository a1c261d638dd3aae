from collections.abc import Mapping
from typing import TypedDict

class Facts(TypedDict):
    marks: tuple[int, int]  # the cells of each seat, one bit per cell
    winner: int | None

ops: object

def pack_options(values: Mapping[str, object]) -> bytes: ...
def facts(packed: bytes) -> Facts: ...
