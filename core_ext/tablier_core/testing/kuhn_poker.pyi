from collections.abc import Mapping
from typing import TypedDict

class Facts(TypedDict):
    cards: tuple[int, int]  # by seat: 0 the jack, 1 the queen, 2 the king
    talk: tuple[int, ...]  # the actions played so far
    compared: bool  # whether the cards were compared, so that both are known

ops: object

def pack_options(values: Mapping[str, object]) -> bytes: ...
def facts(packed: bytes) -> Facts: ...
