"""Types of rules.pyx."""

from collections.abc import Mapping
from typing import TypedDict

Tiles = tuple[int, ...]

class SettlementFacts(TypedDict):
    deal: int
    winner: int
    contracts: tuple[Tiles, ...]
    hands: tuple[Tiles, ...]
    realised: Tiles  # 0: none, or the winner
    before: Tiles
    after: Tiles

class Facts(TypedDict):
    seats: int
    target: int
    max_deals: int
    blind_bids: bool
    deal: int
    starter: int
    to_move: int
    scores: Tiles
    contracts: tuple[Tiles, ...]
    hands: tuple[Tiles, ...]
    known: tuple[Tiles, ...]
    pot: Tiles
    # Seat, whether it took a discard, tile received, tile thrown or 0, whether it was asked.
    turns: list[tuple[int, bool, int, int, bool]]
    last: SettlementFacts | None
    rng: tuple[int, int]

ops: object

def pack_options(values: Mapping[str, object]) -> bytes: ...
def facts(packed: bytes) -> Facts: ...
