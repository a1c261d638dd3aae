"""What a viewer sees of a game of Contract."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from tablier_core.games.contract import encoding
from tablier_core.games.contract.options import COLOURS
from tablier_core.position import REFEREE, Position

if TYPE_CHECKING:
    from tablier_core.games.contract.encoding import Facts

FAMILIES = COLOURS[:4]
KINDS = (*FAMILIES, "dollar")
ALL_CARDS = 53
FIRST_DOWN = 6
STAGES = ("", "token", "contract", "dollar", "vicelard", "copper", "down")
HIDDEN_VALUE = 31

# Numbers of cards: Brakova, Yakaz, Rodrigos, Costa, dollar.
Kinds = tuple[int, int, int, int, int]
NO_CARDS: Kinds = (0, 0, 0, 0, 0)


def brief(part: Any) -> str:
    """A repr without empty fields, which keeps play-throughs readable."""
    values = zip(part._fields, part, strict=True)
    shown = [f"{name}={value!r}" for name, value in values if not _is_empty(value)]
    return f"{type(part).__name__}({', '.join(shown)})"


def _is_empty(value: object) -> bool:
    if isinstance(value, Cards):
        return value.count == 0
    return value is None or value is False or value in ("", (), NO_CARDS)


class Cards(NamedTuple):
    """Influence cards: their number, and the kinds if the viewer knows them."""

    count: int  # type: ignore[assignment]  # a tuple has a method of this name, too
    kinds: Kinds | None

    def __repr__(self) -> str:
        return str(self.count) if self.kinds is None else f"{self.count} of {self.kinds}"


class Mafioso(NamedTuple):
    """A Mafioso; its value is None if hidden."""

    family: str
    value: int | None

    def __repr__(self) -> str:
        return f"{self.family} {'?' if self.value is None else self.value}"


class Stake(NamedTuple):
    """What a seat has on a Mafioso."""

    tokens: int
    contracts: int
    dollars: int
    down: Cards
    vicelard: bool
    copper: bool
    points: float

    def __repr__(self) -> str:
        return brief(self) if self.tokens else "-"


class Place(NamedTuple):
    """A Mafioso of the row."""

    mafioso: Mafioso
    counted: bool
    stakes: tuple[Stake, ...]  # by seat

    def __repr__(self) -> str:
        return f"<{self.mafioso}{', counted' if self.counted else ''}: {self.stakes}>"


class Special(NamedTuple):
    """The Vicelard or the Copper card."""

    holder: int | None  # None: aside
    played_on: int | None  # a place, from 1; None: in hand or aside
    won_by: int | None  # for the next round, while the row is counted

    def __repr__(self) -> str:
        return brief(self)


class Action(NamedTuple):
    """The action in progress."""

    kind: str  # influence, reinforce, copper or vicelard
    target: int  # a place, from 1
    last_piece: str  # token, contract, dollar, vicelard, copper, down, or empty
    down: Cards  # face-down cards placed in this action
    half_paid: bool  # the first of two half dollars is paid
    half_kind: str | None  # its kind, if the viewer knows it

    def __repr__(self) -> str:
        return brief(self)


class Column(NamedTuple):
    """The Mafiosi of one family that a seat has, and the Blackmats that joined them."""

    family: str
    values: tuple[int, ...]
    blackmats: tuple[int, ...]

    def __repr__(self) -> str:
        return brief(self)


class Shuffled(NamedTuple):
    """A seat's part in a draw pile that was shuffled from discards."""

    up: Kinds  # what it had discarded face up
    down: Cards  # and face down
    drawn: Cards  # what it has drawn from the pile
    drawn_before: int  # how many of these before the round of the last draws

    def __repr__(self) -> str:
        return brief(self)


class SeatView(NamedTuple):
    """The cards, tokens and Mafiosi of a seat."""

    hand: Cards
    tokens: int
    paid_up: int  # dollar cards paid face up in this round
    paid_down: Cards  # cards paid face down in this round
    discarded_up: Kinds  # in earlier rounds, since the last shuffle
    discarded_down: Cards
    shuffled: tuple[Shuffled, ...]  # piles shuffled from discards, in order; the last is in use
    columns: tuple[Column, ...]
    waiting: tuple[int, ...]  # Blackmats without a family
    joining: tuple[int, ...]  # Blackmats whose column the seat has to choose

    def __repr__(self) -> str:
        return brief(self)


class Traffic(NamedTuple):
    """The two tiles of a family, and their winners when the game is over."""

    family: str
    first: int
    second: int
    first_to: int | None
    second_to: int | None

    def __repr__(self) -> str:
        given = [f"{self.first} to {self.first_to}", f"{self.second} to {self.second_to}"]
        return f"<{self.family}: {', '.join(given)}>"


class Briefcase(NamedTuple):
    """A bonus and its holder."""

    side: str
    worth: int
    holder: int | None

    def __repr__(self) -> str:
        return f"<{self.side}: {self.worth} to {self.holder}>"


class View(NamedTuple):
    """Everything that a viewer may know."""

    viewer: int  # -1: the referee
    phase: str
    round: int  # from 1
    rounds: int
    first: int  # the first player of the round
    to_move: int
    passes: int  # in succession
    row: tuple[Place, ...]
    copper_pawn: int  # a place, from 1
    vicelard_pawn: int
    copper_card: Special
    vicelard_card: Special
    copper_card_points: float
    action: Action | None
    seats: tuple[SeatView, ...]
    traffics: tuple[Traffic, ...]
    briefcases: tuple[Briefcase, ...]
    removed: tuple[Mafioso, ...]  # counted without a winner, or dropped
    unseen: tuple[Mafioso, ...]  # not seen by anybody: face down in the row or in the deck
    deck_count: int
    pile_count: int
    shuffles: int  # how often discards have become the draw pile
    # For the referee only:
    deck: tuple[Mafioso, ...] | None  # in the order in which they will be laid
    pile: tuple[str, ...] | None  # the top card is the last
    chance: int | None  # the state of the generator for later shuffles

    def __repr__(self) -> str:
        return brief(self)


# What many views share.
MAFIOSI = tuple(
    Mafioso(colour, None if value == HIDDEN_VALUE else value)
    for colour in COLOURS
    for value in range(HIDDEN_VALUE + 1)
)
HIDDEN = tuple(Cards(count, None) for count in range(ALL_CARDS + 1))
NO_STAKE = Stake(0, 0, 0, HIDDEN[0], False, False, 0.0)
NO_STAKE_SEEN = NO_STAKE._replace(down=Cards(0, NO_CARDS))


# Named tuples from their fields. Their own constructors are Python functions, and twice as slow.
new = tuple.__new__


def _special(holder: int | None, place: int | None, winner: int | None) -> Special:
    return new(Special, (holder, None if place is None else place + 1, winner))


def _mafiosi(codes: Sequence[int]) -> tuple[Mafioso, ...]:
    return tuple([MAFIOSI[code] for code in codes])


def _cards(kinds: Kinds, seen: bool) -> Cards:
    # Hidden cards are counted as if they were of the first kind.
    return new(Cards, (sum(kinds), kinds)) if seen else HIDDEN[kinds[0]]


def _stake(stake: encoding.Stake | None, seen: bool) -> Stake:
    if stake is None:
        return NO_STAKE_SEEN if seen else NO_STAKE
    tokens, contracts, dollars, down, vicelard, copper, points = stake
    shown = (tokens, contracts, dollars, _cards(down, seen), vicelard, copper, points)
    return new(Stake, shown)


def _row(known: Facts, viewer: int) -> tuple[Place, ...]:
    seen = [viewer in (REFEREE, seat) for seat in range(known["seats"])]
    counted = known["counted"]
    return tuple(
        [
            new(Place, (MAFIOSI[code], place < counted, tuple(map(_stake, stakes, seen))))
            for place, (code, stakes) in enumerate(zip(known["row"], known["stakes"], strict=True))
        ]
    )


def _action(known: Facts, phase: str, viewer: int) -> Action | None:
    if known["target"] is None:
        return None
    seen = viewer in (REFEREE, known["to_move"])
    if phase == "pieces":
        kind = "influence" if known["influencing"] else "reinforce"
    else:
        kind = "vicelard" if known["paying_vicelard"] else "copper"
    half = known["first_half"]
    return Action(
        kind=kind,
        target=known["target"] + 1,
        last_piece=STAGES[min(known["stage"], FIRST_DOWN)],
        down=_cards(known["just_down"], seen),
        half_paid=half is not None,
        half_kind=KINDS[half] if seen and half is not None else None,
    )


def _seat(known: Facts, seat: int, viewer: int) -> SeatView:
    seen = viewer in (REFEREE, seat)
    shuffled = [
        Shuffled(
            up=pile["up"][seat],
            down=_cards(pile["down"][seat], seen),
            drawn=_cards(pile["drawn"][seat], seen),
            drawn_before=pile["drawn_before"][seat],
        )
        for pile in known["shuffled"]
    ]
    # In the order of the fields.
    shown = (
        _cards(known["hands"][seat], seen),
        known["supply"][seat],
        known["paid_up"][seat],
        _cards(known["paid_down"][seat], seen),
        known["discarded_up"][seat],
        _cards(known["discarded_down"][seat], seen),
        tuple(shuffled),
        tuple([new(Column, column) for column in known["columns"][seat]]),
        known["waiting"][seat],
        known["joining"][seat],
    )
    return new(SeatView, shown)


def observe(position: Position, viewer: int) -> View:
    """Return the view of a seat, or of the referee."""
    known = encoding.facts(position.pack(), viewer)
    referee = viewer == REFEREE
    return View(
        viewer=viewer,
        phase=position.phase,
        round=known["round"] + 1,
        rounds=known["rounds"],
        first=known["first"],
        to_move=known["to_move"],
        passes=known["passes"],
        row=_row(known, viewer),
        copper_pawn=known["copper_pawn"] + 1,
        vicelard_pawn=known["vicelard_pawn"] + 1,
        copper_card=_special(*known["copper"]),
        vicelard_card=_special(*known["vicelard"]),
        copper_card_points=known["copper_points"],
        action=_action(known, position.phase, viewer),
        seats=tuple([_seat(known, seat, viewer) for seat in range(known["seats"])]),
        traffics=tuple(
            [
                new(Traffic, (family, first, second, *winners))
                for family, first, second, winners in zip(
                    FAMILIES, *known["traffics"], known["traffic_winners"], strict=True
                )
            ]
        ),
        briefcases=tuple([new(Briefcase, tile) for tile in known["briefcases"]]),
        removed=_mafiosi(known["removed"]),
        unseen=_mafiosi(known["unseen"]),
        deck_count=known["deck_count"],
        pile_count=known["pile_count"],
        shuffles=len(known["shuffled"]),
        deck=_mafiosi(known["deck"]) if referee else None,
        pile=tuple([KINDS[kind] for kind in known["pile"]]) if referee else None,
        chance=known["chance"] if referee else None,
    )
