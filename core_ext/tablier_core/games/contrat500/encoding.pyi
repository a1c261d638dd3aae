from typing import TypedDict

Numbers = tuple[int, ...]

class SettlementFacts(TypedDict):
    deal: int
    winner: int
    contracts: tuple[Numbers, ...]
    hands: tuple[Numbers, ...]
    realised: Numbers  # by seat; 0 for the winner and for a seat that realised nothing
    before: Numbers
    after: Numbers

class Facts(TypedDict):
    seats: int
    target: int
    max_deals: int
    blind_bids: bool
    deal: int
    starter: int
    to_move: int
    scores: Numbers
    contracts: tuple[Numbers, ...]
    hands: tuple[Numbers, ...]
    known: tuple[Numbers, ...]
    pot: Numbers
    # Seat, whether it took a discard, tile received, tile discarded or 0, whether it was asked.
    turns: list[tuple[int, bool, int, int, bool]]
    last: SettlementFacts | None
    rng: tuple[int, int]

def facts(packed: bytes) -> Facts: ...
