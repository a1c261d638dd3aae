"""Contigo, the alignment game for two seats."""

from tablier_core.games.contigo_alignment.draw import draw_svg, draw_text
from tablier_core.games.contigo_alignment.observe import observe
from tablier_core.games.contigo_alignment.rules import ops, pack_options
from tablier_core.options import Flag, Text, Whole, WholeOr, Wholes
from tablier_core.position import Game

GAME = Game(
    ops,
    title="Contigo: alignment",
    french_title="Contigo : alignement",
    summary="Move a pawn as far as the beads ahead say, sow beads, and line up four pawns.",
    options=(
        Text(
            "layout", "the pawns, rank 6 first", default="RR..BB/R....B/....../....../B....R/BB..RR"
        ),
        Wholes(
            "beads",
            "beads in each pit, clockwise from the north-west corner",
            default=(2,) * 28,
            count=28,
            low=0,
            high=6,
        ),
        WholeOr("first", "the seat that begins", low=0, high=1, word="random"),
        Flag("advanced", "pawns move in an L"),
        Whole("turn_limit", "turns after which the game is a draw; 0 for none", default=200),
    ),
    notation=(
        ("a6-a4", "a pawn goes from a6 to a4"),
        ("a6-a4-d4", "an L move: a6 to d4 by way of a4 (advanced)"),
        ("13+0.2.1", "take 3 beads from pit 13, drop 0, 2 and 1 in pits 14, 15 and 16 (clockwise)"),
        ("13-1", "take 1 bead from pit 13, drop it in pit 12 (anticlockwise)"),
    ),
    pack_options=pack_options,
    observe=observe,
    draw_text=draw_text,
    draw_svg=draw_svg,
)
