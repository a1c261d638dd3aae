"""A capture game as text and as a picture."""

from __future__ import annotations

from tablier_core.drawing import Look
from tablier_core.games.contigo.draw import svg_board, text_board, turn_caption
from tablier_core.games.contigo_capture.observe import View
from tablier_core.games.contigo_capture.options import KINGS
from tablier_core.languages import Language

NAMES = ("Red", "Blue", "Yellow", "Green")


def caption(view: View) -> list[str]:
    """Describe the state of the game, and who controls the pieces of seats that are out."""
    if view.phase == "over":
        text = "A draw" if view.winner is None else f"{NAMES[view.winner]} wins"
    else:
        task = {
            "pawn": "moves a piece",
            "chain": f"may capture again from {view.chain}",
            "sow": "sows",
        }[view.phase]
        text = turn_caption(NAMES[view.to_move], task, view.turns, view.turn_limit)
    won = []
    for seat, name in enumerate(NAMES):
        colours = [NAMES[i] for i, owner in enumerate(view.owner) if owner == seat != i]
        if colours:
            won.append(f"{name} controls {', '.join(colours)}")
    return [text, "; ".join(won)] if won else [text]


def draw_text(view: View, language: Language) -> str:
    """Draw the board for a terminal."""
    return "\n".join([text_board(view.layout, view.beads), *caption(view)])


def draw_svg(view: View, look: Look) -> str:
    """Draw the board for a web page."""
    owner = {KINGS[i]: KINGS[seat] for i, seat in enumerate(view.owner) if seat != i}
    return svg_board(
        view.layout, view.beads, caption(view), kings=True, owner=owner, marked=view.chain
    )
