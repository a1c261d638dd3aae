"""Contigo, the alignment game for two seats."""

from tablier_core.games.contigo_alignment.draw import draw_svg, draw_text
from tablier_core.games.contigo_alignment.game import ops, pack_options
from tablier_core.games.contigo_alignment.observe import observe
from tablier_core.games.contigo_alignment.options import OPTIONS
from tablier_core.games.contigo_alignment.telling import TELLING
from tablier_core.position import Game

GAME = Game(
    ops,
    title="Contigo: alignment",
    french_title="Contigo\N{NO-BREAK SPACE}: alignement",
    summary="Move a pawn as far as the beads ahead say, sow beads, and line up four pawns.",
    options=OPTIONS,
    notation=(
        ("a6-a4", "a pawn goes from a6 to a4"),
        ("a6-a4-d4", "an L move: a6 to d4 by way of a4 (advanced)"),
        ("13+0.2.1", "take 3 beads from pit 13, drop 0, 2 and 1 in pits 14, 15 and 16 (clockwise)"),
        ("13-1", "take 1 bead from pit 13, drop it in pit 12 (anticlockwise)"),
    ),
    action_parts=(
        "pawn 36x10 from,to\nell 36x10x5 from,corner,to\nsow 28x2x637 pit,direction,split"
    ),
    pack_options=pack_options,
    observe=observe,
    draw_text=draw_text,
    draw_svg=draw_svg,
    telling=TELLING,
)
