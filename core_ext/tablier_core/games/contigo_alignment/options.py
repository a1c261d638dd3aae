"""The options of the alignment game."""

from __future__ import annotations

from tablier_core.games.contigo.options import declare_options

# By colour, which is also the seat.
PAWNS = "RB"

OPTIONS = declare_options(
    letters=PAWNS,
    layout={
        "default": "RR..BB/R....B/....../....../B....R/BB..RR",
        "description": "the pawns: six ranks, rank 6 first, separated by `/`; `R` for seat 0, `B`"
        " for seat 1, `.` for an empty square; any number of each, but neither seat four in line",
    },
    seats=2,
    variant={
        "advanced": {"type": "boolean", "default": False, "description": "pawns move in an L"}
    },
    turn_limit=200,
)
