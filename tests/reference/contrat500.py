"""A second implementation of Contrat 500, written from the reference page alone: slow and simple.

Shuffled tiles and the starter come from outside (`begin_deal`), so that a test can give both
implementations the same deals. Tiles are plain integers in lists, and triples are found by trying
all combinations. Nothing here is shared with the core.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from itertools import combinations, combinations_with_replacement

TILES = range(1, 11)
CONTRACTS = range(3, 31)


def value(contract: int) -> int:
    """150 divided by the number of triples that make the contract, halves rounded up."""
    ways = sum(sum(three) == contract for three in combinations_with_replacement(TILES, 3))
    return int(Fraction(150, ways) + Fraction(1, 2))


VALUES = {contract: value(contract) for contract in CONTRACTS}


def makes(hand: list[int], first: int, second: int) -> bool:
    """Whether six tiles split into two triples with these totals."""
    for three in combinations(range(6), 3):
        one = sum(hand[i] for i in three)
        if one == first and sum(hand) - one == second:
            return True
    return False


def realised(hand: list[int], contracts: list[int]) -> int | None:
    """The one contract that a loser is paid for: the most valuable, then the highest, or None."""
    made = [c for c in contracts if any(sum(three) == c for three in combinations(hand, 3))]
    return max(made, key=lambda c: (VALUES[c], c), default=None)


def settle(
    scores: list[int], contracts: list[list[int]], hands: list[list[int]], winner: int
) -> list[int]:
    """The scores after the winner's announcement."""
    after = list(scores)
    after[winner] += sum(VALUES[c] for c in contracts[winner])
    for seat, hand in enumerate(hands):
        if seat == winner:
            continue
        contract = realised(hand, contracts[seat])
        due = sum(hand)
        if contract is not None:
            after[seat] += VALUES[contract]
            due -= contract
        paid = min(due, after[seat])
        after[seat] -= paid
        after[winner] += paid
    return after


@dataclass
class Match:
    """A match; `phase` is "deal" while it waits for the tiles of the next deal."""

    seats: int = 2
    target: int = 500
    max_deals: int = 1000
    blind_bids: bool = False
    phase: str = "deal"
    scores: list[int] = field(default_factory=list)
    deals_done: int = 0
    to_move: int = 0
    turns_done: int = 0
    contracts: list[list[int]] = field(default_factory=list)
    hands: list[list[int]] = field(default_factory=list)
    pot: list[int] = field(default_factory=list)
    live: int | None = None  # the discard that can be taken
    dead: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.scores = [50] * self.seats

    def begin_deal(self, starter: int, tiles: list[int]) -> None:
        """Begin a deal; `tiles` are the hands in seat order and then the pot, next tile first."""
        assert self.phase == "deal"
        assert sorted(tiles) == sorted(list(TILES) * 2 * self.seats)
        self.contracts = [[] for _ in range(self.seats)]
        self.hands = [[] for _ in range(self.seats)]
        self.pot, self.live, self.dead = list(tiles), None, []
        self.to_move, self.turns_done, self.phase = starter, 0, "bid"
        if not self.blind_bids:
            self.deal_hands()

    def deal_hands(self) -> None:
        for seat in range(self.seats):
            self.hands[seat], self.pot = self.pot[:6], self.pot[6:]

    def ready(self, seat: int) -> bool:
        return makes(self.hands[seat], *self.contracts[seat])

    def legal(self) -> set[str]:
        """The legal moves of the seat to move."""
        if self.phase == "bid":
            placed = [c for contracts in self.contracts for c in contracts]
            return {f"bid {c}" for c in CONTRACTS if placed.count(c) < 3}
        if self.phase == "discard":
            return {f"discard {tile}" for tile in self.hands[self.to_move]}
        if self.phase == "announce":
            return {"announce", "decline"}
        if self.phase != "turn":
            return set()
        moves = {"pot"} if self.pot else {"void"}
        if self.live is not None:
            moves.add("take")
        if self.ready(self.to_move):
            moves.add("announce")
        return moves

    def play(self, move: str) -> None:
        assert move in self.legal()
        word, _, number = move.partition(" ")
        hand = self.hands[self.to_move]
        if word == "bid":
            self.contracts[self.to_move].append(int(number))
            self.to_move = (self.to_move + 1) % self.seats
            if all(len(contracts) == 2 for contracts in self.contracts):
                self.phase = "turn"
                if self.blind_bids:
                    self.deal_hands()
        elif word == "pot":
            if self.live is not None:
                self.dead.append(self.live)
            hand.append(self.pot.pop(0))
            self.live, self.phase = None, "discard"
        elif word == "take":
            assert self.live is not None
            hand.append(self.live)
            self.live, self.phase = None, "discard"
        elif word == "discard":
            hand.remove(int(number))
            self.live = int(number)
            if self.ready(self.to_move):
                self.phase = "announce"
            else:
                self.pass_turn()
        elif word == "decline":
            self.pass_turn()
        elif word == "announce":
            self.scores = settle(self.scores, self.contracts, self.hands, self.to_move)
            self.end_deal()
        else:
            self.end_deal()

    def pass_turn(self) -> None:
        self.turns_done += 1
        self.to_move = (self.to_move + 1) % self.seats
        self.phase = "turn"
        if self.turns_done == 20 * self.seats:
            self.end_deal()

    def end_deal(self) -> None:
        self.deals_done += 1
        over = self.deals_done == self.max_deals or max(self.scores) >= self.target
        self.phase = "over" if over else "deal"

    def returns(self) -> list[float]:
        best = max(self.scores)
        winners = self.scores.count(best)
        return [2 / winners - 1 if score == best else -1.0 for score in self.scores]
