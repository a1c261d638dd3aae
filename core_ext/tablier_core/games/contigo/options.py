"""The options that both Contigo games have, declared once."""

from __future__ import annotations

from tablier_core.options import OptionSchema, Schema


def declare_options(
    letters: str, layout: Schema, seats: int, variant: dict[str, Schema], turn_limit: int
) -> OptionSchema:
    """Return the options of a game in the order of its reference page.

    The games differ in the letters of their pieces, their `layout`, their number of seats, one
    `variant` and the default limit.
    """
    return OptionSchema(
        {
            "layout": {
                "type": "string",
                "pattern": f"^[{letters}.]{{6}}(/[{letters}.]{{6}}){{5}}$",
                **layout,
            },
            "beads": {
                "type": "array",
                "items": {"type": "integer", "minimum": 0, "maximum": 6},
                "minItems": 28,
                "maxItems": 28,
                "default": [2] * 28,
                "description": "beads in each pit, clockwise from the north-west corner;"
                " 1 to 167 in all",
            },
            "first": {
                "anyOf": [
                    {"type": "integer", "minimum": 0, "maximum": seats - 1},
                    {"type": "string", "enum": ["random"]},
                ],
                "default": "random",
                "description": "the seat that begins; `random` draws it from the seed",
            },
            **variant,
            "turn_limit": {
                "type": "integer",
                "minimum": 0,
                "maximum": 0xFFFFFFFF,
                "default": turn_limit,
                "description": "turns, counted over all seats, after which the game is a draw;"
                " 0 for no limit",
            },
        }
    )
