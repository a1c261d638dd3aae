"""Contigo, the capture game for four seats."""

from tablier_core.games.contigo_capture.draw import draw_svg, draw_text
from tablier_core.games.contigo_capture.observe import observe
from tablier_core.games.contigo_capture.rules import ops, pack_options
from tablier_core.options import Flag, Text, Whole, WholeOr, Wholes
from tablier_core.position import Game

GAME = Game(
    ops,
    title="Contigo: capture",
    french_title="Contigo : capture",
    summary="Move a piece as far as the beads ahead say, capture Kings, and sow beads.",
    options=(
        Text(
            "layout",
            "the pieces, rank 6 first; capitals are Kings",
            default="Rr..bB/rr..bb/....../....../gg..yy/Gg..yY",
        ),
        Wholes(
            "beads",
            "beads in each pit, clockwise from the north-west corner",
            default=(2,) * 28,
            count=28,
            low=0,
            high=6,
        ),
        WholeOr("first", "the seat that begins", low=0, high=3, word="random"),
        Flag("quick", "the stronger of the last two seats wins"),
        Whole("turn_limit", "turns after which the game is a draw; 0 for none", default=400),
    ),
    notation=(
        ("a6-a4", "a piece goes from a6 to a4"),
        ("a6xa4", "a piece goes from a6 to a4 and captures there"),
        ("stop", "no further capture"),
        ("13+0.2.1", "take 3 beads from pit 13, drop 0, 2 and 1 in pits 14, 15 and 16 (clockwise)"),
        ("13-1", "take 1 bead from pit 13, drop it in pit 12 (anticlockwise)"),
    ),
    pack_options=pack_options,
    observe=observe,
    draw_text=draw_text,
    draw_svg=draw_svg,
)
