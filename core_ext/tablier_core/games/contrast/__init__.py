"""Contrast, for two to six seats."""

from tablier_core.games.contrast.draw import draw_svg, draw_text
from tablier_core.games.contrast.observe import observe
from tablier_core.games.contrast.rules import SYMBOL_NAMES, ops, pack_options
from tablier_core.options import Flag, Option, Whole
from tablier_core.position import Game

GAME = Game(
    ops,
    title="Contrast",
    french_title="Contrast",
    summary="Name the symbol that fits the picture best: the majority scores, unless it is all.",
    options=(
        Whole("seats", "how many play; two play together", default=4, low=2, high=6),
        Flag("expert", "three cards lie in each row, three are in hand"),
        Option(
            "deck",
            "affinities of your own pictures, in the order of the notation; null: the built-in 74",
            form="a list of at most 120 lists of 12 numbers from 0 to 1, longer than the box",
        ),
    ),
    notation=(
        ("red", f"choose a symbol; all are: {', '.join(SYMBOL_NAMES)}"),
        ("exclude", "the table excludes the only seat that has not chosen (seat -1)"),
    ),
    pack_options=pack_options,
    observe=observe,
    draw_text=draw_text,
    draw_svg=draw_svg,
)
