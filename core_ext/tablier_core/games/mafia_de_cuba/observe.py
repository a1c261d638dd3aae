"""What a seat sees of a game of Mafia de Cuba, and what it remembers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, dataclass, field, fields
from typing import Any

from tablier_core.games.mafia_de_cuba.rules import facts
from tablier_core.position import REFEREE, Position

GODFATHER = 0
Tokens = Mapping[str, int]  # counts by kind, every kind named


class Terse:
    """Says in its repr only what is not as usual: a dozen seats fit in a line of a transcript."""

    def __repr__(self) -> str:
        said = []
        for entry in fields(self):  # type: ignore[arg-type]
            value: Any = getattr(self, entry.name)
            if isinstance(value, Mapping):
                value = {key: count for key, count in value.items() if count}
            if entry.default is MISSING or value != entry.default:
                said.append(f"{entry.name}={value!r}")
        return f"{type(self).__name__}({', '.join(said)})"


@dataclass(frozen=True, repr=False)
class Box(Terse):
    """The cigar box as a seat received it."""

    diamonds: int
    tokens: Tokens


@dataclass(frozen=True, repr=False)
class Seat(Terse):
    """A seat, as the viewer knows it. A take is spelled as in the notation: 4, driver, nothing."""

    in_play: bool = True
    joker: bool = False  # was accused without reason and got one
    revealed: bool = False  # was made to show its take
    statements_left: int = 0  # unasked; 0 for the Godfather
    take: str | None = None  # None: not yet, or not known to the viewer
    received: Box | None = None  # the Godfather's is the box that came back
    reacted: bool = False  # has answered the accusation that is open
    reaction: str | None = None  # what it answered, if the viewer knows


@dataclass(frozen=True, repr=False)
class Event(Terse):
    """Something that was said or ordered before everybody."""

    kind: str  # asked, unasked, accused
    seat: int  # the seat that was asked, spoke unasked, or was accused
    open: bool = False  # asked and not answered yet, accused and not resolved yet
    question: str | None = None  # None for an accusation
    claim: int | Tokens | str | None = None  # diamonds, tokens or a take; None: silent, or none yet
    shooter: int | None = None  # the cleaner that fired at the accused


class Talk(tuple[Event, ...]):
    """The events of an inquiry, in order. Its repr ends a transcript's line with the last one."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"{len(self)} events, the last {self[-1]}" if self else "none"


@dataclass(frozen=True)
class View:
    """All that a viewer may know. What stands beside it in any transcript is not in its repr."""

    viewer: int = field(repr=False)
    phase: str = field(repr=False)
    actors: tuple[int, ...] = field(repr=False)
    tokens: Tokens = field(repr=False)  # of the setup
    jokers: int = field(repr=False)
    questions: int = field(repr=False)
    statements: int = field(repr=False)
    jokers_left: int
    questions_left: int
    recovered: int  # diamonds
    hidden: int | None  # diamonds that the Godfather kept
    pouch: str | None  # a token kind or none; None: not yet, or not known to the viewer
    seats: tuple[Seat, ...]
    events: Talk
    outcome: str | None  # godfather, agent, cleaner, thieves; None while playing
    winners: tuple[int, ...] = field(repr=False)


def observe(position: Position, viewer: int) -> View:
    """The view of a seat; the referee's, and everybody's once the game is over, has no gaps."""
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
            _seat(known, seat, sees_all or seat == viewer) for seat in range(known["seats"])
        ),
        events=Talk(Event(**event) for event in known["events"]),
        outcome=known["outcome"],
        winners=tuple(known["winners"]),
    )


def _seat(known: Mapping[str, object], seat: int, sees_its_secrets: bool) -> Seat:
    def among(name: str) -> bool:
        seats = known[name]
        assert isinstance(seats, list)
        return seat in seats

    takes, boxes, left = known["takes"], known["boxes"], known["statements_left"]
    assert isinstance(takes, dict)
    assert isinstance(boxes, dict)
    assert isinstance(left, list)
    reaction = "bang" if known["shooter"] == seat else "hold"
    return Seat(
        in_play=among("in_play"),
        joker=among("with_joker"),
        revealed=among("revealed"),
        statements_left=left[seat],
        take=takes.get(seat) if sees_its_secrets or among("revealed") else None,
        received=Box(*boxes[seat]) if sees_its_secrets and seat in boxes else None,
        reacted=among("reacted"),
        reaction=reaction if among("reacted") and sees_its_secrets else None,
    )
