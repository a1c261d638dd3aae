"""The options of Contrast."""

from __future__ import annotations

from tablier_core.games.contrast.images import LONGEST_DECK
from tablier_core.games.contrast.notation import SYMBOL_NAMES
from tablier_core.options import OptionSchema

# One more than go to the box at six seats.
SHORTEST_DECK = 15

OPTIONS = OptionSchema(
    {
        "seats": {
            "type": "integer",
            "minimum": 2,
            "maximum": 6,
            "default": 4,
            "description": "number of players; two play as a team",
        },
        "expert": {
            "type": "boolean",
            "default": False,
            "description": "three cards in each row and three in each hand, not two and four",
        },
        "deck": {
            "type": "array",
            "items": {
                "type": "array",
                "items": {"type": "number", "minimum": 0, "maximum": 1},
                "minItems": len(SYMBOL_NAMES),
                "maxItems": len(SYMBOL_NAMES),
            },
            "minItems": SHORTEST_DECK,
            "maxItems": LONGEST_DECK,
            "description": "your own pictures: how well each symbol fits, in the order of the"
            " notation; more pictures than go to the box, which are 38 minus 4 per seat; without"
            " it, the 74 built-in pictures",
        },
    }
)
