"""The messages of Mafia de Cuba."""

from __future__ import annotations

from typing import NamedTuple

from tablier_core.games.mafia_de_cuba.observe import Event, Seat, Tokens, View

from tablier_service.views.message import GameMessages


class Take(NamedTuple):
    """What a seat took; the view has its spelling in the notation."""

    diamonds: int
    token: str


class Claim(NamedTuple):
    """A claim, with exactly one value; the view has just that."""

    diamonds: int | None = None
    tokens: Tokens | None = None
    took: Take | None = None


def read_take(take: str) -> Take:
    """Read a take, given its spelling in the notation."""
    return Take(int(take), "") if take.isdigit() else Take(0, "" if take == "nothing" else take)


def take_of(seat: Seat) -> Take | None:
    """What a seat took, if the viewer knows it."""
    return None if seat.take is None else read_take(seat.take)


def claim_of(event: Event) -> Claim | None:
    """The claim of an event, if it has one."""
    claim = event.claim
    if claim is None:
        return None
    if isinstance(claim, int):
        return Claim(diamonds=claim)
    return Claim(took=read_take(claim)) if isinstance(claim, str) else Claim(tokens=claim)


MESSAGES = GameMessages.of(
    "mafia_de_cuba", View, {Seat: {"take": take_of}, Event: {"claim": claim_of}}
)
