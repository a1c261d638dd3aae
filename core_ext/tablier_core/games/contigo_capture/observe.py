"""What a viewer sees of a capture game: everything, because nothing is hidden."""

from __future__ import annotations

from typing import NamedTuple

from tablier_core.games.contigo.layout import SQUARES
from tablier_core.games.contigo_capture.encoding import facts
from tablier_core.position import Position


class View(NamedTuple):
    """The board, the ring, who controls what, and the turn counter."""

    layout: str  # six ranks, rank 6 first; one letter per colour, capitals are Kings
    beads: tuple[int, ...]  # by pit, clockwise from the north-west corner
    owner: tuple[int, ...]  # by colour: the seat that controls it
    phase: str
    to_move: int
    chain: str | None  # the square of the piece that may capture again
    turns: int  # completed, over all seats
    turn_limit: int  # 0: none
    quick: bool
    winner: int | None  # None while playing and in a draw


def observe(position: Position, viewer: int) -> View:
    """Return the view, which is the same for every viewer."""
    known = facts(position.pack())
    chain = known["chain"]
    return View(
        layout=known["layout"],
        beads=known["beads"],
        owner=known["owner"],
        phase=position.phase,
        to_move=known["to_move"],
        chain=None if chain is None else SQUARES[chain],
        turns=known["turns"],
        turn_limit=known["turn_limit"],
        quick=known["quick"],
        winner=known["winner"],
    )
