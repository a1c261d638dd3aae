"""What a viewer may know of a game of Mafia de Cuba (reference: View)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from tablier_core.drawing import counted
from tablier_core.games.mafia_de_cuba.encoding import facts
from tablier_core.position import REFEREE, Position

if TYPE_CHECKING:
    from tablier_core.games.mafia_de_cuba.encoding import Facts

GODFATHER = 0
ALL_DIAMONDS = 15
Tokens = Mapping[str, int]  # counts by kind; every kind is present


def terse(part: Any) -> str:
    """A repr without default values and zero counts: a dozen seats fit in a transcript's line."""
    shown = []
    for name, value in zip(part._fields, part, strict=True):
        if isinstance(value, Mapping):
            value = {key: count for key, count in value.items() if count}
        if name not in part._field_defaults or value != part._field_defaults[name]:
            shown.append(f"{name}={value!r}")
    return f"{type(part).__name__}({', '.join(shown)})"


class Box(NamedTuple):
    """The cigar box as a seat received it."""

    diamonds: int
    tokens: Tokens

    def __repr__(self) -> str:
        return terse(self)


class Seat(NamedTuple):
    """A seat, as the viewer knows it. A take is spelled as in the notation: 4, driver, nothing."""

    in_play: bool = True
    joker: bool = False  # received a joker after a wrong accusation
    revealed: bool = False  # had to show its take
    statements_left: int = 0  # unasked; 0 for the Godfather
    take: str | None = None  # None if it has not taken, or the viewer does not know
    received: Box | None = None  # for the Godfather, the box that came back
    reacted: bool = False  # has reacted to the open accusation
    reaction: str | None = None  # its reaction, if the viewer knows it

    def __repr__(self) -> str:
        return terse(self)


class Event(NamedTuple):
    """A question, statement or accusation; all of them are public."""

    kind: str  # asked, unasked, accused
    seat: int  # the seat that was asked, spoke unasked, or was accused
    open: bool = False  # asked but not answered, or accused but not resolved
    question: str | None = None  # None for an accusation
    claim: int | Tokens | str | None = None  # diamonds, tokens or a take; None if there is none
    shooter: int | None = None  # the cleaner that fired at the accused

    def __repr__(self) -> str:
        return terse(self)


class Talk(tuple[Event, ...]):
    """The events of an inquiry in order. Its repr shows only the last one."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"{counted(len(self), 'event')}, the last {self[-1]}" if self else "none"


# What every transcript states elsewhere; the repr of a view omits it.
STATED = frozenset(
    ("viewer", "phase", "actors", "tokens", "jokers", "questions", "statements", "winners")
)


class View(NamedTuple):
    """Everything that a viewer may know."""

    viewer: int
    phase: str
    actors: tuple[int, ...]
    tokens: Tokens  # of the setup
    jokers: int
    questions: int
    statements: int
    jokers_left: int
    questions_left: int
    recovered: int  # diamonds
    hidden: int | None  # diamonds that the Godfather kept
    pouch: str | None  # a token kind or none; None if undecided, or the viewer does not know
    seats: tuple[Seat, ...]
    events: tuple[Event, ...]  # a Talk
    outcome: str | None  # godfather, agent, cleaner, thieves; None while playing
    winners: tuple[int, ...]

    def __repr__(self) -> str:
        named = self._asdict().items()
        shown = [f"{name}={value!r}" for name, value in named if name not in STATED]
        return f"View({', '.join(shown)})"


def open_box(view: View, seat: int) -> Box:
    """The box from which a seat takes: what it received, without the token in the pouch."""
    received = view.seats[seat].received
    assert received is not None
    if seat != 1 or view.pouch in (None, "none"):
        return received
    tokens = {kind: count - (kind == view.pouch) for kind, count in received.tokens.items()}
    return Box(received.diamonds, tokens)


# Named tuples from their fields. Their own constructors are Python functions, and twice as slow.
new = tuple.__new__


def observe(position: Position, viewer: int) -> View:
    """Build a viewer's view; the referee, and everyone once the game is over, sees everything."""
    known = facts(position.pack())
    sees_all = viewer == REFEREE or position.over
    return View(
        viewer=viewer,
        phase=position.phase,
        actors=tuple(position.actors),
        tokens=known["tokens"],
        jokers=known["jokers"],
        questions=known["questions"],
        statements=known["statements"],
        jokers_left=known["jokers_left"],
        questions_left=known["questions_left"],
        recovered=known["recovered"],
        hidden=known["hidden"] if sees_all or viewer == GODFATHER else None,
        pouch=known["pouch"] if sees_all or viewer == 1 else None,
        seats=tuple(
            [_seat(known, seat, sees_all or seat == viewer) for seat in range(known["seats"])]
        ),
        events=Talk([new(Event, event) for event in known["events"]]),
        outcome=known["outcome"],
        winners=known["winners"],
    )


def _seat(known: Facts, seat: int, sees_secrets: bool) -> Seat:
    revealed, reacted = known["revealed"][seat], known["reacted"][seat]
    received, reaction = None, None
    if sees_secrets:
        box = known["boxes"][seat]
        received = None if box is None else new(Box, box)
        if reacted:
            reaction = "bang" if known["shooter"] == seat else "hold"
    # In the order of the fields.
    shown = (
        known["in_play"][seat],
        known["with_joker"][seat],
        revealed,
        known["statements_left"][seat],
        known["takes"][seat] if sees_secrets or revealed else None,
        received,
        reacted,
        reaction,
    )
    return new(Seat, shown)
