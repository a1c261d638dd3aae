"""An independent implementation of Contrast, written from docs/reference/contrast.md alone.

It is slow and simple, uses Python lists only, and shares no code with the core. A game starts from
the result of the shuffles, so that any sequence of moves can be compared with the core.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

CARDS = [
    ("red", "yellow"),
    ("blue", "green"),
    ("large", "small"),
    ("heavy", "light"),
    ("thick", "thin"),
    ("round", "square"),
]
SYMBOLS = [symbol for card in CARDS for symbol in card]
TO_THE_BOX = {2: 30, 3: 26, 4: 22, 5: 18, 6: 14}
TABLE = -1
EXCLUDE = "exclude"


def card_of(symbol: str) -> tuple[str, str]:
    """Return the card with a symbol."""
    return next(card for card in CARDS if symbol in card)


def winning_symbols(seats: int, votes: list[str]) -> set[str]:
    """Return the winning symbols at three seats or more; excluded seats have no vote."""
    counts = Counter(votes)
    if seats == 3 and len(votes) == 2 and len(counts) == 1:
        return set(counts)
    if seats >= 5:
        pairs = {symbol for symbol, count in counts.items() if count == 2}
        singles = {symbol for symbol, count in counts.items() if count == 1}
        if len(pairs) == 2 and singles and pairs | singles == set(counts):
            return pairs
    most = max(counts.values())
    leaders = {symbol for symbol, count in counts.items() if count == most}
    if most >= 2 and len(leaders) == 1 and most != len(votes):
        return leaders
    return set()


@dataclass
class Contrast:
    """A game in progress. The last elements of `pile` and `box` are their tops."""

    seats: int
    rows: list[list[tuple[str, str]]]  # left to right
    pile: list[int]
    box: list[int]
    won: list[list[int]] = field(default_factory=list)
    choices: dict[int, str | None] = field(default_factory=dict)  # None: excluded
    rounds: list[dict[str, object]] = field(default_factory=list)
    points: int = 0  # of the team, at two seats

    def __post_init__(self) -> None:
        self.won = [[] for _ in range(self.seats)]

    @property
    def over(self) -> bool:
        return not self.pile

    @property
    def phase(self) -> str:
        return "over" if self.over else "choose"

    @property
    def actors(self) -> list[int]:
        if self.over:
            return []
        return [seat for seat in range(self.seats) if seat not in self.choices]

    def hand(self, seat: int) -> list[tuple[str, str]]:
        return [card for card in CARDS if card not in self.rows[seat]]

    def moves(self, seat: int) -> list[str]:
        if seat == TABLE:
            return [EXCLUDE] if len(self.actors) == 1 else []
        if seat not in self.actors:
            return []
        return [symbol for symbol in SYMBOLS if card_of(symbol) in self.hand(seat)]

    def apply(self, seat: int, move: str) -> None:
        assert move in self.moves(seat)
        if move == EXCLUDE:
            self.choices[self.actors[0]] = None
        else:
            self.choices[seat] = move
        if len(self.choices) == self.seats:
            self.reveal()

    def reveal(self) -> None:
        votes = [choice for choice in self.choices.values() if choice is not None]
        image = self.pile[-1]
        if self.seats == 2:
            match = len(votes) == 2 and votes[0] == votes[1]
            winning = {votes[0]} if match else set()
            self.pile.pop()
            if match:
                self.points += 1
                self.won[0].append(image)  # seat 0 holds the team's images
            else:
                self.box.append(image)
        else:
            winning = winning_symbols(self.seats, votes)
            winners = [seat for seat in range(self.seats) if self.choices[seat] in winning]
            for seat in winners:
                self.won[seat].append(self.pile.pop() if self.pile else self.box.pop())
            if not winners:
                self.box.append(self.pile.pop())
        for seat, choice in self.choices.items():
            if choice is not None:
                self.rows[seat].append(card_of(choice))
                del self.rows[seat][0]
        self.rounds.append(
            {
                "image": image,
                "choices": [self.choices[seat] for seat in range(self.seats)],
                "winning": [symbol for symbol in SYMBOLS if symbol in winning],
            }
        )
        self.choices = {}

    @property
    def scores(self) -> list[int]:
        if self.seats == 2:
            return [self.points, self.points]
        return [len(images) for images in self.won]

    @property
    def returns(self) -> list[float]:
        if not self.over:
            return []
        if self.seats == 2:
            return [1.0, 1.0] if self.points >= 22 else [-1.0, -1.0]
        best = max(self.scores)
        share = 2 / self.scores.count(best) - 1
        return [share if score == best else -1.0 for score in self.scores]
