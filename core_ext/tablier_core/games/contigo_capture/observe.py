"""What a seat sees of a Contigo capture game: everything, for nothing is hidden."""

from __future__ import annotations

from dataclasses import dataclass

from tablier_core.games.contigo.layout import write_layout
from tablier_core.games.contigo_capture.rules import LETTERS, facts
from tablier_core.position import Position


@dataclass(frozen=True)
class View:
    """The board, the ring, who controls what, and the clock."""

    layout: str  # six ranks, rank 6 first; a letter a colour, capitals are Kings
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
    """The view of any viewer: the same for all."""
    known = facts(position.pack())
    squares = {}
    for colour, places in enumerate(known["pieces"]):
        squares[LETTERS[2 * colour + 1]] = places & ~known["kings"]
        squares[LETTERS[2 * colour]] = places & known["kings"]
    chain = known["chain"]
    return View(
        layout=write_layout(squares),
        beads=known["beads"],
        owner=known["owner"],
        phase=position.phase,
        to_move=known["to_move"],
        chain=None if chain is None else f"{'abcdef'[chain % 6]}{chain // 6 + 1}",
        turns=known["turns"],
        turn_limit=known["turn_limit"],
        quick=known["quick"],
        winner=known["winner"],
    )
