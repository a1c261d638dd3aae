"""Contrast, for two to six players."""

from tablier_core.games.contrast.draw import draw_svg, draw_text
from tablier_core.games.contrast.game import ops, pack_options
from tablier_core.games.contrast.notation import SYMBOL_NAMES
from tablier_core.games.contrast.observe import observe
from tablier_core.games.contrast.options import OPTIONS
from tablier_core.games.contrast.telling import TELLING
from tablier_core.position import Game

GAME = Game(
    ops,
    title="Contrast",
    french_title="Contrast",
    summary="Name the symbol that fits the picture best. The majority scores, unless all agree.",
    options=OPTIONS,
    notation=(
        ("red", f"choose a symbol: {', '.join(SYMBOL_NAMES)}"),
        ("exclude", "the table excludes the only seat that has not chosen (seat -1)"),
    ),
    action_parts="symbol 6x2 card,half\nexclude",
    pack_options=pack_options,
    observe=observe,
    draw_text=draw_text,
    draw_svg=draw_svg,
    public_moves=("exclude",),
    telling=TELLING,
)
