"""Drawings of a Contigo alignment view."""

from __future__ import annotations

from tablier_core.games.contigo.picture import svg_board, text_board
from tablier_core.games.contigo_alignment.observe import View

NAMES = ("Red", "Blue")


def caption(view: View) -> str:
    """One line on how things stand."""
    if view.phase == "over":
        return "A draw" if view.winner is None else f"{NAMES[view.winner]} wins"
    task = "moves a pawn" if view.phase == "pawn" else "sows"
    limit = f" of {view.turn_limit}" if view.turn_limit else ""
    return f"{NAMES[view.to_move]} {task}, turn {view.turns + 1}{limit}"


def draw_text(view: View) -> str:
    """The board for a terminal."""
    return f"{text_board(view.layout, view.beads)}\n{caption(view)}"


def draw_svg(view: View) -> str:
    """The board for a page."""
    return svg_board(view.layout, view.beads, [caption(view)])
