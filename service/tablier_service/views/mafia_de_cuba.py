"""The view of Mafia de Cuba as a protocol message."""

from __future__ import annotations

from typing import NamedTuple

from tablier_core.games.mafia_de_cuba.notation import KIND_NAMES
from tablier_core.games.mafia_de_cuba.observe import Event, Seat, Tokens, View

from tablier_service.views.message import GameMessages

MAX_DIAMONDS = 15


class Take(NamedTuple):
    """What a seat took; the view has its spelling in the notation."""

    diamonds: int
    token: str


class Claim(NamedTuple):
    """A claim, with exactly one value; the view has just that."""

    diamonds: int | None = None
    tokens: Tokens | None = None
    took: Take | None = None


# All takes and all claims of diamonds and takes, by their form in the view.
TAKES: dict[str, Take] = {
    "nothing": Take(0, ""),
    **{str(diamonds): Take(diamonds, "") for diamonds in range(1, MAX_DIAMONDS + 1)},
    **{token: Take(0, token) for token in KIND_NAMES},
}
CLAIMS: dict[int | str, Claim] = {
    **{diamonds: Claim(diamonds=diamonds) for diamonds in range(MAX_DIAMONDS + 1)},
    **{spelled: Claim(took=take) for spelled, take in TAKES.items()},
}


def take_of(seat: Seat) -> Take | None:
    """What a seat took, if the viewer knows it."""
    return None if seat.take is None else TAKES[seat.take]


def claim_of(event: Event) -> Claim | None:
    """The claim of an event, if it has one."""
    claim = event.claim
    if claim is None:
        return None
    return CLAIMS[claim] if isinstance(claim, int | str) else Claim(tokens=claim)


MESSAGES = GameMessages.of(
    "mafia_de_cuba", View, {Seat: {"take": take_of}, Event: {"claim": claim_of}}
)
