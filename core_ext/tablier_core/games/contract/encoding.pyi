"""A state of Contract as facts for Python. Seats, places, rounds and kinds count from 0."""

from typing import TypedDict

# Cards by kind: Brakova, Yakaz, Rodrigos, Costa, dollar. If the viewer does not know the kinds, the
# first entry is the number of cards and the others are 0.
Kinds = tuple[int, int, int, int, int]
# 32 x family + value. 4 is the family of the Blackmats; 31 is a hidden value.
Mafioso = int
# A special card: its holder, the place it was played on, its winner in the current counting.
Special = tuple[int | None, int | None, int | None]

# What a seat has on a Mafioso: tokens, contracts, dollars, cards face down; whether it has played
# the Vicelard card there, and the Copper card; its points.
Stake = tuple[int, int, int, Kinds, bool, bool, float]
# A family with the values of its cards and of the Blackmats that have joined them, both ascending.
Column = tuple[str, tuple[int, ...], tuple[int, ...]]

class Shuffle(TypedDict):
    """A draw pile that was shuffled from discards; every list is by seat."""

    up: list[Kinds]  # discarded face up
    down: list[Kinds]  # discarded face down
    drawn: list[Kinds]  # drawn from the pile
    drawn_before: list[int]  # how many of these before the round of its last draws

class Facts(TypedDict):
    """What a viewer sees of a state."""

    seats: int
    round: int
    rounds: int
    first: int
    to_move: int
    passes: int
    row: list[Mafioso]  # empty when the game is over
    counted: int  # places counted, including the one being counted
    copper_pawn: int
    vicelard_pawn: int
    copper: Special
    vicelard: Special
    copper_points: float
    target: int | None
    influencing: bool
    stage: int  # the last piece placed; 6 and above: face down
    paying_vicelard: bool
    first_half: int | None  # the kind of the first half dollar; 0 if it is hidden
    just_down: Kinds
    hands: list[Kinds]  # by seat
    supply: list[int]  # tokens by seat
    stakes: list[list[Stake | None]]  # by place and seat; None: no token there
    paid_up: list[int]  # dollars by seat
    paid_down: list[Kinds]
    discarded_up: list[Kinds]
    discarded_down: list[Kinds]
    pile_count: int
    pile: list[int]  # kinds, the top card last; all 0 if hidden
    shuffled: list[Shuffle]
    columns: list[list[Column]]  # by seat
    waiting: list[tuple[int, ...]]  # by seat: values of Blackmats without a family
    joining: list[tuple[int, ...]]  # by seat: values of Blackmats whose column it has to choose
    removed: list[Mafioso]  # counted without a winner, or dropped
    unseen: list[Mafioso]
    deck_count: int
    deck: list[Mafioso]  # in the order of laying; only for the referee
    traffics: list[list[int]]  # the first and the second tile, by family
    traffic_winners: list[tuple[int | None, int | None]]  # by family
    briefcases: list[tuple[str, int, int | None]]  # side, worth and holder
    chance: int  # the state of the generator

def facts(packed: bytes, viewer: int) -> Facts:
    """Return what a viewer sees of a packed state."""
