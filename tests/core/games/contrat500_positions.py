"""Builds positions of Contrat 500 for tests, as bytes in the documented layout."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from struct import pack

from tablier_core.position import Position
from tablier_core.registry import GAMES

GAME = GAMES["contrat500"]
PHASES = ("bid", "turn", "discard", "announce", "over")
TOOK, ASKED = 16, 32


@dataclass
class Settled:
    """A settlement in packed form."""

    winner: int
    before: Sequence[int]
    contracts: Sequence[Sequence[int]]
    hands: Sequence[Sequence[int]]
    deal: int = 1

    def bytes(self) -> bytes:
        rows = zip(self.before, self.contracts, self.hands, strict=True)
        return pack("<HB", self.deal, self.winner) + b"".join(
            pack("<H2B6B", before, *contracts, *hand) for before, contracts, hand in rows
        )


def ready(hand: Sequence[int], contracts: Sequence[int]) -> bool:
    """Whether three of six tiles make the first contract and the others the second."""
    return any(
        hand[i] + hand[j] + hand[k] == contracts[0] and sum(hand) == sum(contracts)
        for i in range(6)
        for j in range(i)
        for k in range(j)
    )


@dataclass
class Deal:
    """A deal in progress; tiles that are not given are filled up with the lowest ones left."""

    seats: int = 2
    starter: int = 0
    bids: Sequence[int] = ()
    hands: Sequence[Sequence[int]] = ()
    pot: Sequence[int] = ()
    log: tuple[int, ...] = ()
    deal: int = 1
    target: int = 500
    max_deals: int = 1000
    blind_bids: bool = False
    last: Settled | None = None
    phase: str | None = None
    rng: tuple[int, int] = (12345, 3)

    def tiles(self) -> list[int]:
        """The sorted hands, then the pot."""
        given = [tile for hand in self.hands for tile in sorted(hand)]
        left = sorted([*range(1, 11)] * 2 * self.seats)
        for tile in (*given, *self.pot):
            left.remove(tile)
        missing = 6 * self.seats - len(given)
        return [*given, *left[:missing], *self.pot, *left[missing:]]

    def hand(self, seat: int) -> list[int]:
        return self.tiles()[6 * seat : 6 * seat + 6]

    def contracts(self, seat: int) -> list[int]:
        order = (seat - self.starter) % self.seats
        return [self.bids[order], self.bids[order + self.seats]]

    def mark(self, turn: int) -> int:
        """The ASKED mark of a turn that leaves the hand as it was dealt."""
        seat = (self.starter + turn) % self.seats
        return ASKED if ready(self.hand(seat), self.contracts(seat)) else 0

    def discard_drawn(self, turns: int) -> Deal:
        """Add turns that discard the tile just drawn from the pot."""
        pot = self.tiles()[6 * self.seats :]
        for tile in pot[len(self.log) : len(self.log) + turns]:
            self.log += (tile | self.mark(len(self.log)),)
        return self

    def discard_taken(self, turns: int) -> Deal:
        """Add turns that take the last discard and discard it again."""
        for _ in range(turns):
            self.log += (self.log[-1] & 15 | TOOK | self.mark(len(self.log)),)
        return self

    def bytes(self) -> bytes:
        full = len(self.bids) >= 2 * self.seats
        phase = self.phase or ("turn" if full else "bid")
        bids = bytes(self.bids[: 2 * self.seats])
        return (
            pack("<4B3H2B", PHASES.index(phase), self.seats, self.blind_bids, self.starter,
                 self.target, self.max_deals, self.deal, len(bids), len(self.log))
            + pack("<2Q", *self.rng)
            + (self.last.bytes() if self.last else pack("<H", 0))
            + bids
            + bytes(self.log)
            + (b"" if phase == "over" else bytes(self.tiles()))
        )  # fmt: skip

    def position(self) -> Position:
        return GAME.unpack(self.bytes())
