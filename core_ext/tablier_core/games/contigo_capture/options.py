"""The options of the capture game, and the letters of its pieces."""

from __future__ import annotations

from tablier_core.games.contigo.options import declare_options

# By colour, which is also the seat.
KINGS = "RBYG"
PAWNS = "rbyg"

OPTIONS = declare_options(
    letters=KINGS + PAWNS,
    layout={
        "default": "Rr..bB/rr..bb/....../....../gg..yy/Gg..yY",
        "description": "the pieces: six ranks, rank 6 first, separated by `/`; `R` `B` `Y` `G` for"
        " the Kings of seats 0 to 3, exactly one each, `r` `b` `y` `g` for any number of pawns, `.`"
        " for an empty square",
    },
    seats=4,
    variant={
        "quick": {
            "type": "boolean",
            "default": False,
            "description": "the stronger of the last two seats wins",
        }
    },
    turn_limit=400,
)
