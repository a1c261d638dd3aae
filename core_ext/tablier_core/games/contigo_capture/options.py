"""The options of the capture game, and the letters of its pieces."""

from __future__ import annotations

from tablier_core.games.contigo.options import declare_options
from tablier_core.options import Flag, Text

# By colour, which is also the seat.
KINGS = "RBYG"
PAWNS = "rbyg"

OPTIONS = declare_options(
    layout=Text(
        "layout",
        "the pieces, rank 6 first; capitals are Kings",
        default="Rr..bB/rr..bb/....../....../gg..yy/Gg..yY",
    ),
    seats=4,
    variant=Flag("quick", "the stronger of the last two seats wins"),
    turn_limit=400,
)
