"""An alignment game as text and as a picture."""

from __future__ import annotations

from tablier_core.drawing import Look
from tablier_core.games.contigo.draw import svg_board, text_board, turn_caption
from tablier_core.games.contigo_alignment.observe import View
from tablier_core.languages import Language

NAMES = ("Red", "Blue")


def caption(view: View) -> str:
    """Describe the state of the game in one line."""
    if view.phase == "over":
        return "A draw" if view.winner is None else f"{NAMES[view.winner]} wins"
    task = "moves a pawn" if view.phase == "pawn" else "sows"
    return turn_caption(NAMES[view.to_move], task, view.turns, view.turn_limit)


def draw_text(view: View, language: Language) -> str:
    """Draw the board for a terminal."""
    return f"{text_board(view.layout, view.beads)}\n{caption(view)}"


def draw_svg(view: View, look: Look) -> str:
    """Draw the board for a web page."""
    return svg_board(view.layout, view.beads, [caption(view)])
