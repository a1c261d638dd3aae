"""The options of the alignment game."""

from __future__ import annotations

from tablier_core.games.contigo.options import declare_options
from tablier_core.options import Flag, Text

OPTIONS = declare_options(
    layout=Text(
        "layout", "the pawns, rank 6 first", default="RR..BB/R....B/....../....../B....R/BB..RR"
    ),
    seats=2,
    variant=Flag("advanced", "pawns move in an L"),
    turn_limit=200,
)
