"""Opponents for both Contigo engines. They search in C, and know the rules without the core.

AlphaBeta plays alignment; Greedy, Hunter and Paranoid play capture. Each uses the milliseconds of
its budget at most, and nothing is hidden in these games.
"""

from __future__ import annotations

import ctypes
from random import Random
from typing import ClassVar

from tablier_cli.matches.players import Budget
from tablier_core.games.contigo_alignment.observe import View as AlignmentView
from tablier_core.games.contigo_capture.observe import View as CaptureView
from tablier_core.position import Position

from campaigns.players.compiled import library

SQUARES = [f"{file}{rank}" for rank in range(1, 7) for file in "abcdef"]
NOWHERE = -1
COLOURS = "RBYG"
# From, corner, to or from, length, to; then pit, step, count and the split of a sowing.
CHOSEN = 12
Chosen = list[int]


def cells(layout: str) -> str:
    """The contents of the squares in the order of `SQUARES`; views begin with rank 6."""
    return "".join(reversed(layout.split("/")))


def signed(values: list[int]) -> ctypes.Array[ctypes.c_int8]:
    return (ctypes.c_int8 * len(values))(*values)


def sowing_text(chosen: Chosen) -> str:
    """A sowing in notation."""
    pit, step, count = chosen[3:6]
    split = chosen[6 : 6 + count]
    # The last pits of a split are always within reach, also those that get nothing.
    return f"{pit}{'+' if step > 0 else '-'}{'.'.join(map(str, split))}"


class Searcher:
    """A player with a time limit."""

    def __init__(self, budget: Budget) -> None:
        if not budget.milliseconds:
            raise ValueError("these players need a budget in milliseconds")
        self._seconds = ctypes.c_double(budget.milliseconds / 1000)


class AlphaBeta(Searcher):
    """Alpha-beta over whole turns of alignment."""

    def __call__(self, position: Position, seat: int, rng: Random) -> int:
        view: AlignmentView = position.observe(seat)
        board = cells(view.layout)
        pawns = [sum(1 << i for i in range(36) if board[i] == colour) for colour in "RB"]
        found = (ctypes.c_int8 * CHOSEN)()
        library("alignment").choose_alignment(
            ctypes.c_uint64(pawns[seat]),
            ctypes.c_uint64(pawns[1 - seat]),
            signed(list(view.beads)),
            ctypes.c_int(view.advanced),
            ctypes.c_int(view.phase == "sow"),
            self._seconds,
            ctypes.c_uint64(rng.getrandbits(64)),
            found,
        )
        chosen = list(found)
        if view.phase == "sow":
            return position.game.read_move(sowing_text(chosen))
        path = [SQUARES[square] for square in chosen[:3] if square != NOWHERE]
        return position.game.read_move("-".join(path))


class Capturer(Searcher):
    """A player of capture; the subclasses are styles of capture.c."""

    style: ClassVar[int]

    def __call__(self, position: Position, seat: int, rng: Random) -> int:
        view: CaptureView = position.observe(seat)
        board = cells(view.layout)
        chain = NOWHERE if view.chain is None else SQUARES.index(view.chain)
        found = (ctypes.c_int8 * CHOSEN)()
        library("capture").choose_capture(
            signed([COLOURS.find(cell.upper()) for cell in board]),
            signed([board.find(colour) for colour in COLOURS]),
            signed(list(view.owner)),
            signed(list(view.beads)),
            ctypes.c_int(seat),
            ctypes.c_int(view.quick),
            ctypes.c_int(chain),
            ctypes.c_int(view.phase == "sow"),
            ctypes.c_int(self.style),
            self._seconds,
            ctypes.c_uint64(rng.getrandbits(64)),
            found,
        )
        chosen = list(found)
        if view.phase == "sow":
            return position.game.read_move(sowing_text(chosen))
        if not chosen[1]:
            return position.game.read_move("stop")
        captures = board[chosen[2]] != "."
        text = f"{SQUARES[chosen[0]]}{'x' if captures else '-'}{SQUARES[chosen[2]]}"
        return position.game.read_move(text)


class Greedy(Capturer):
    """Takes the most pieces now, and nothing else matters."""

    style = 0


class Hunter(Capturer):
    """Threatens Kings and pieces, and protects little but its own King."""

    style = 1


class Paranoid(Capturer):
    """Alpha-beta over whole turns, as if the three rivals were one."""

    style = 2
