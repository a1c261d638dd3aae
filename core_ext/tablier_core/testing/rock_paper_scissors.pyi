from collections.abc import Mapping
from typing import TypedDict

class Facts(TypedDict):
    chosen: tuple[int | None, ...]  # by seat: 0 rock, 1 paper, 2 scissors
    shown: bool  # whether both have chosen

ops: object

def pack_options(values: Mapping[str, object]) -> bytes: ...
def facts(packed: bytes) -> Facts: ...
