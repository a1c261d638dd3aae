"""A second implementation of My Game, written from its reference page.

It is slow and simple on purpose. It has no random numbers: the caller draws the cards.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

CARDS = range(1, 13)


@dataclass
class MyGame:
    """A game in progress; cards are the numbers on them."""

    hands: list[set[int]]
    hand_size: int
    rounds: list[list[int]] = field(default_factory=list)
    chosen: dict[int, int] = field(default_factory=dict)

    @property
    def pile(self) -> set[int]:
        """The cards that are neither in a hand nor played."""
        played = {card for cards in self.rounds for card in cards}
        return set(CARDS) - played - set().union(*self.hands)

    @property
    def over(self) -> bool:
        return not any(self.hands)

    @property
    def actors(self) -> list[int]:
        """The seats that have not chosen."""
        seats = range(len(self.hands))
        return [] if self.over else [seat for seat in seats if seat not in self.chosen]

    def moves(self, seat: int) -> list[int]:
        return sorted(self.hands[seat]) if seat in self.actors else []

    def apply(self, seat: int, card: int) -> None:
        """Choose a card, and reveal all cards after the last choice."""
        self.chosen[seat] = card
        if self.actors:
            return
        cards = [self.chosen[seat] for seat in range(len(self.hands))]
        self.rounds.append(cards)
        self.chosen = {}
        for hand, played in zip(self.hands, cards, strict=True):
            hand.remove(played)

    @property
    def must_draw(self) -> bool:
        """Whether the seats draw before the next round."""
        return len(self.hands[0]) < self.hand_size and len(self.pile) >= len(self.hands)

    def draw(self, cards: Sequence[int]) -> None:
        """Let each seat draw a card from the pile."""
        assert set(cards) <= self.pile
        for hand, card in zip(self.hands, cards, strict=True):
            hand.add(card)

    @property
    def points(self) -> list[int]:
        """The highest card of a round wins the value of the lowest."""
        points = [0] * len(self.hands)
        for cards in self.rounds:
            points[cards.index(max(cards))] += min(cards)
        return points

    @property
    def returns(self) -> list[float]:
        """A single winner gets 1, k tied winners 2 / k - 1 each, everyone else -1."""
        best = max(self.points)
        share = 2 / self.points.count(best) - 1
        return [share if points == best else -1.0 for points in self.points]
