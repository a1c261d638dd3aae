"""What a viewer sees of an alignment game: everything, because nothing is hidden."""

from __future__ import annotations

from typing import NamedTuple

from tablier_core.games.contigo_alignment.encoding import facts
from tablier_core.position import Position


class View(NamedTuple):
    """The board, the ring and the turn counter."""

    layout: str  # six ranks, rank 6 first, with R, B and .
    beads: tuple[int, ...]  # by pit, clockwise from the north-west corner
    phase: str
    to_move: int
    turns: int  # completed, over both seats
    turn_limit: int  # 0: none
    advanced: bool
    winner: int | None  # None while playing and in a draw


def observe(position: Position, viewer: int) -> View:
    """Return the view, which is the same for every viewer."""
    known = facts(position.pack())
    # In the order of the fields: by name, a view would take a fifth longer.
    return View(
        known["layout"],
        known["beads"],
        position.phase,
        known["to_move"],
        known["turns"],
        known["turn_limit"],
        known["advanced"],
        known["winner"],
    )
