from collections.abc import Mapping
from typing import TypedDict

class Facts(TypedDict):
    expert: bool
    deck: bytes  # 12 an image, in steps of 1/200
    image: int | None
    rows: list[list[int]]
    hands: list[list[int]]
    choices: tuple[str | None, ...]  # of this round; None: not made yet
    # Image, choices (None: excluded) and winning symbols.
    rounds: list[tuple[int, tuple[str | None, ...], tuple[str, ...]]]
    scores: list[int]
    pile: list[int]  # top first
    box: list[int]  # top first
    won: list[list[int]]  # as the deck lay

SYMBOL_NAMES: tuple[str, ...]
ops: object

def pack_options(values: Mapping[str, object]) -> bytes: ...
def facts(packed: bytes) -> Facts: ...
