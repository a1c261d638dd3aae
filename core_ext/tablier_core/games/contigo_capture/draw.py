"""Drawings of a Contigo capture view."""

from __future__ import annotations

from tablier_core.games.contigo.picture import svg_board, text_board
from tablier_core.games.contigo_capture.observe import View

NAMES = ("Red", "Blue", "Yellow", "Green")
COLOURS = {
    letter: colour
    for pair, colour in zip(
        ("Rr", "Bb", "Yy", "Gg"), ("#c8452f", "#2f6fb3", "#e0b02c", "#4b9155"), strict=True
    )
    for letter in pair
}


def caption(view: View) -> str:
    """One line on how things stand."""
    if view.phase == "over":
        text = "A draw" if view.winner is None else f"{NAMES[view.winner]} wins"
    else:
        task = {
            "pawn": "moves a piece",
            "chain": f"may capture again from {view.chain}",
            "sow": "sows",
        }[view.phase]
        limit = f" of {view.turn_limit}" if view.turn_limit else ""
        text = f"{NAMES[view.to_move]} {task}, turn {view.turns + 1}{limit}"
    taken = [
        f"{NAMES[seat]} controls {NAMES[colour]}"
        for colour, seat in enumerate(view.owner)
        if seat != colour
    ]
    return "; ".join([text, *taken])


def draw_text(view: View) -> str:
    """The board for a terminal."""
    return f"{text_board(view.layout, view.beads)}\n{caption(view)}"


def draw_svg(view: View) -> str:
    """The board for a page."""
    return svg_board(view.layout, view.beads, COLOURS, caption(view))
