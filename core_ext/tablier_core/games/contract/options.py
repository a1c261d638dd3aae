"""The options of Contract, and the rules about several of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tablier_core.errors import OptionError
from tablier_core.options import OptionSchema, Schema

COLOURS = ("brakova", "yakaz", "rodrigos", "costa", "blackmat")
SIDES = (
    "families-3",
    "families-4",
    "same-2",
    "same-3",
    "blackmats-2",
    "twos-3",
    "most-mafiosi",
    "largest-family",
    "most-threes",
    "most-twos",
)
HIGHEST = 20
VALUE: Schema = {"type": "integer", "minimum": 0, "maximum": HIGHEST}
VALUES: Schema = {"type": "array", "items": VALUE, "maxItems": 21, "uniqueItems": True}
FOUR_VALUES: Schema = {"type": "array", "items": VALUE, "minItems": 4, "maxItems": 4}
TWO_SIDES: Schema = {
    "type": "array",
    "items": {"type": "string", "enum": list(SIDES)},
    "minItems": 2,
    "maxItems": 2,
}

DEFAULT_MAFIOSI = {
    "brakova": [2, 3, 4, 5, 6],
    "yakaz": [2, 3, 4, 5, 6],
    "rodrigos": [2, 3, 4, 5, 6],
    "costa": [2, 3, 4, 5, 6],
    "blackmat": [1, 3, 4, 5],
}
DEFAULT_SIDES = (
    ("families-3", "families-4"),
    ("same-2", "same-3"),
    ("blackmats-2", "blackmats-2"),
    ("twos-3", "most-twos"),
    ("most-mafiosi", "most-mafiosi"),
    ("largest-family", "most-threes"),
)

OPTIONS = OptionSchema(
    {
        "seats": {
            "type": "integer",
            "minimum": 2,
            "maximum": 5,
            "default": 3,
            "description": "number of players",
        },
        "mafiosi": {
            "type": "object",
            "properties": dict.fromkeys(COLOURS, VALUES),
            "required": list(COLOURS),
            "additionalProperties": False,
            "default": DEFAULT_MAFIOSI,
            "description": "values of the Mafiosi by colour; in all 24 with 4 or 5 seats, and 20"
            " with 2 or 3, where cards with the value 2 are not used and not counted",
        },
        "traffics": {
            "type": "object",
            "properties": {"first": FOUR_VALUES, "second": FOUR_VALUES},
            "required": ["first", "second"],
            "additionalProperties": False,
            "default": {"first": [8, 7, 6, 5], "second": [4, 3, 2, 1]},
            "description": "values of the traffic tiles for the strongest and the second strongest"
            " column of a family; which family gets which is random",
        },
        "briefcases": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"sides": TWO_SIDES, "worth": VALUE},
                "required": ["sides", "worth"],
                "additionalProperties": False,
            },
            "maxItems": 6,
            "default": [{"sides": list(sides), "worth": 2} for sides in DEFAULT_SIDES],
            "description": "bonus tiles; which side is up is random; a tile that mentions 2s is not"
            " used with 2 or 3 seats",
        },
        "copper_card": {
            "type": "number",
            "minimum": 0,
            "maximum": 3,
            "multipleOf": 0.5,
            "default": 1,
            "description": "influence points of the Copper card",
        },
    }
)


def list_mafiosi(
    colours: Mapping[str, Sequence[int]], seats: int, wanted: int
) -> list[tuple[int, int]]:
    """Return family and value of the Mafiosi in the game, ascending; raises OptionError."""
    mafiosi = [
        (family, value)
        for family, colour in enumerate(COLOURS)
        for value in sorted(colours[colour])
        if seats > 3 or value != 2
    ]
    if len(mafiosi) != wanted:
        without = "" if seats > 3 else " without the 2s"
        raise OptionError(
            "mafiosi", f"{seats} seats need {wanted} Mafiosi{without}, not {len(mafiosi)}"
        )
    return mafiosi


def list_briefcases(tiles: Sequence[Mapping[str, Any]], seats: int) -> list[tuple[int, int, int]]:
    """Return the two sides and the worth of each tile in the game."""
    return [
        (SIDES.index(tile["sides"][0]), SIDES.index(tile["sides"][1]), tile["worth"])
        for tile in tiles
        if seats > 3 or not any("twos" in side for side in tile["sides"])
    ]
