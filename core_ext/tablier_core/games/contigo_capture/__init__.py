"""Contigo, the capture game for four seats."""

from tablier_core.games.contigo_capture.draw import draw_svg, draw_text
from tablier_core.games.contigo_capture.game import ops, pack_options
from tablier_core.games.contigo_capture.observe import observe
from tablier_core.games.contigo_capture.options import OPTIONS
from tablier_core.games.contigo_capture.telling import TELLING
from tablier_core.position import Game

GAME = Game(
    ops,
    title="Contigo: capture",
    french_title="Contigo\N{NO-BREAK SPACE}: capture",
    summary="Move a piece as far as the beads ahead say, capture Kings, and sow beads.",
    options=OPTIONS,
    notation=(
        ("a6-a4", "a piece goes from a6 to a4"),
        ("a6xa4", "a piece goes from a6 to a4 and captures there"),
        ("stop", "no further capture"),
        ("13+0.2.1", "take 3 beads from pit 13, drop 0, 2 and 1 in pits 14, 15 and 16 (clockwise)"),
        ("13-1", "take 1 bead from pit 13, drop it in pit 12 (anticlockwise)"),
    ),
    action_parts=(
        "move 36x10 from,to\ncapture 36x10 from,to\nstop\nsow 28x2x637 pit,direction,split"
    ),
    pack_options=pack_options,
    observe=observe,
    draw_text=draw_text,
    draw_svg=draw_svg,
    telling=TELLING,
)
