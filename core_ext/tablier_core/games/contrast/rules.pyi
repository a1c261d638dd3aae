from collections.abc import Mapping
from typing import TypedDict

class Facts(TypedDict):
    seats: int
    expert: bool
    deck: bytes  # 12 an image, in steps of 1/200
    image: int | None
    rows: list[list[int]]
    hands: list[list[int]]
    choices: tuple[int, ...]  # a symbol, 12 if excluded, 15 if not yet made
    rounds: list[tuple[int, tuple[int, ...], tuple[int, ...]]]  # image, choices, winning symbols
    scores: list[int]
    pile: tuple[int, ...]  # top first
    box: tuple[int, ...]  # top first
    won: list[tuple[int, ...]]  # as the deck lay

SYMBOL_NAMES: tuple[str, ...]
ops: object

def pack_options(values: Mapping[str, object]) -> bytes: ...
def facts(packed: bytes) -> Facts: ...
