"""The views of My Game.

Nothing else decides what Python shows to a viewer.
"""

from __future__ import annotations

from typing import NamedTuple

from tablier_core.games.my_game.encoding import facts
from tablier_core.position import REFEREE, Position


class Seat(NamedTuple):
    """One seat as the viewer sees it."""

    hand: tuple[int, ...] | None  # ascending; None: hidden
    hand_size: int
    has_chosen: bool
    choice: int | None  # None: not chosen yet, or hidden
    points: int


class Round(NamedTuple):
    """A completed round."""

    cards: tuple[int, ...]  # by seat


class View(NamedTuple):
    """The table as one viewer sees it; the message has the same names."""

    viewer: int
    phase: str
    seats: tuple[Seat, ...]
    rounds: tuple[Round, ...]
    pile_size: int
    pile: tuple[int, ...] | None  # ascending; only for the referee


def observe(position: Position, viewer: int) -> View:
    """Return the view of a seat, or of the referee, who sees everything but future draws."""
    known = facts(position.pack())
    referee = viewer == REFEREE
    seats = []
    for seat, (hand, choice) in enumerate(zip(known["hands"], known["chosen"], strict=True)):
        shown = referee or seat == viewer
        seats.append(
            Seat(
                hand=tuple(hand) if shown else None,
                hand_size=len(hand),
                has_chosen=choice is not None,
                choice=choice if shown else None,
                points=known["points"][seat],
            )
        )
    return View(
        viewer=viewer,
        phase=position.phase,
        seats=tuple(seats),
        rounds=tuple(Round(tuple(cards)) for cards in known["rounds"]),
        pile_size=len(known["pile"]),
        pile=tuple(known["pile"]) if referee else None,
    )
