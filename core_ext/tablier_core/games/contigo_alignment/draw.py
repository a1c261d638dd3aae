"""An alignment game as text and as a picture."""

from __future__ import annotations

from tablier_core.drawing import Look
from tablier_core.games.contigo.draw import end_caption, svg_board, text_board
from tablier_core.games.contigo.pieces import colour_name
from tablier_core.games.contigo_alignment.observe import View
from tablier_core.languages import Language


def caption(view: View, language: Language) -> str:
    """Describe the state of the game in one line."""
    if view.phase == "over":
        return end_caption(view.winner, language)
    if view.phase == "pawn" and view.turn_limit:
        line = language.gettext("{player} moves a pawn, turn {turn} of {limit}")
    elif view.phase == "pawn":
        line = language.gettext("{player} moves a pawn, turn {turn}")
    elif view.turn_limit:
        line = language.gettext("{player} sows, turn {turn} of {limit}")
    else:
        line = language.gettext("{player} sows, turn {turn}")
    player = colour_name(view.to_move, language)
    return line.format(player=player, turn=view.turns + 1, limit=view.turn_limit)


def draw_text(view: View, language: Language) -> str:
    """Draw the board for a terminal."""
    return f"{text_board(view.layout, view.beads)}\n{caption(view, language)}"


def draw_svg(view: View, look: Look) -> str:
    """Draw the board for a web page."""
    pawns = view.layout.replace("/", "").lower()
    # Red has pawns at the bottom right. A quarter turn brings Blue's there.
    turns = look.bottom or 0
    return svg_board(pawns, view.beads, [caption(view, look.language)], look, turns)
