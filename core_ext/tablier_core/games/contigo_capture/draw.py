"""A capture game as text and as a picture."""

from __future__ import annotations

from tablier_core.drawing import Look
from tablier_core.games.contigo.draw import end_caption, svg_board, text_board
from tablier_core.games.contigo.pieces import COLOURS, colour_name
from tablier_core.games.contigo_capture.observe import View
from tablier_core.games.contigo_capture.options import KINGS
from tablier_core.languages import Language

# Every seat controls its own colour.
ALL_IN = (0, 1, 2, 3)


def caption(view: View, language: Language) -> list[str]:
    """Describe the state of the game, and who controls the pieces of seats that are out."""
    lines = [end_caption(view.winner, language) if view.phase == "over" else turn(view, language)]
    if view.owner == ALL_IN:
        return lines
    won = []
    for seat in range(len(COLOURS)):
        colours = [colour_name(i, language) for i, at in enumerate(view.owner) if at == seat != i]
        if colours:
            line = language.gettext("{player} controls {colours}")
            player = colour_name(seat, language)
            won.append(line.format(player=player, colours=", ".join(colours)))
    return [*lines, language.gettext("; ").join(won)]


def turn(view: View, language: Language) -> str:
    """Describe whose turn it is to do what."""
    if view.phase == "pawn":
        line = (
            language.gettext("{player} moves a piece, turn {turn} of {limit}")
            if view.turn_limit
            else language.gettext("{player} moves a piece, turn {turn}")
        )
    elif view.phase == "chain":
        line = (
            language.gettext("{player} may capture again from {square}, turn {turn} of {limit}")
            if view.turn_limit
            else language.gettext("{player} may capture again from {square}, turn {turn}")
        )
    else:
        line = (
            language.gettext("{player} sows, turn {turn} of {limit}")
            if view.turn_limit
            else language.gettext("{player} sows, turn {turn}")
        )
    return line.format(
        player=colour_name(view.to_move, language),
        square=view.chain,
        turn=view.turns + 1,
        limit=view.turn_limit,
    )


def draw_text(view: View, language: Language) -> str:
    """Draw the board for a terminal."""
    return "\n".join([text_board(view.layout, view.beads), *caption(view, language)])


def draw_svg(view: View, look: Look) -> str:
    """Draw the board for a web page."""
    pieces: str | tuple[str, ...] = view.layout.replace("/", "")
    if view.owner != ALL_IN:
        won = {}
        for colour, seat in enumerate(view.owner):
            if seat != colour:
                pawn = KINGS[colour].lower()
                won[pawn] = pawn + KINGS[seat]
        pieces = tuple([won.get(piece, piece) for piece in pieces])
    # Yellow is at the bottom right, and the other seats follow clockwise.
    turns = 0 if look.bottom is None else (2 - look.bottom) % 4
    return svg_board(pieces, view.beads, caption(view, look.language), look, turns, view.chain)
