"""The options that both Contigo games have, declared once."""

from __future__ import annotations

from tablier_core.options import Flag, Option, Text, Whole, WholeOr, Wholes


def declare_options(layout: Text, seats: int, variant: Flag, turn_limit: int) -> tuple[Option, ...]:
    """Return the options of a game in the order of its reference page.

    The games differ in their `layout`, their number of seats, one `variant` and the default limit.
    """
    beads = Wholes(
        "beads",
        "beads in each pit, clockwise from the north-west corner",
        default=(2,) * 28,
        count=28,
        low=0,
        high=6,
    )
    first = WholeOr("first", "the seat that begins", low=0, high=seats - 1, word="random")
    limit = Whole(
        "turn_limit", "turns after which the game is a draw; 0 for none", default=turn_limit
    )
    return (layout, beads, first, variant, limit)
