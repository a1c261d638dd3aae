"""The view of Contrat 500 as a protocol message."""

from __future__ import annotations

from typing import NamedTuple

from tablier_core.games.contrat500.observe import Settlement, Tiles, View

from tablier_service.views.message import GameMessages


class Seat(NamedTuple):
    """A seat of the message. The view has a tuple by seat for each of these."""

    score: int
    contracts: Tiles
    hand_size: int
    hand: Tiles | None
    known: Tiles


def seats_of(view: View) -> tuple[Seat, ...]:
    """All seats of a view."""
    return tuple(map(Seat, view.scores, view.contracts, view.hand_sizes, view.hands, view.known))


def last_of(view: View) -> Settlement | None:
    """The last settlement of a view."""
    return view.last


MESSAGES = GameMessages.of(
    "contrat500", View, {View: {"seats": seats_of, "last_settlement": last_of}}
)
