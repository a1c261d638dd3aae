"""The options of Mafia de Cuba, and the standard setup by number of seats."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tablier_core.errors import OptionError
from tablier_core.games.mafia_de_cuba.notation import KIND_NAMES
from tablier_core.options import OptionSchema, Schema

MOST_TOKENS = {"loyal": 5, "fbi": 1, "cia": 1, "driver": 2, "cleaner": 1}
TABLE: Schema = {"type": "string", "enum": ["table"]}

OPTIONS = OptionSchema(
    {
        "seats": {
            "type": "integer",
            "minimum": 5,
            "maximum": 12,
            "default": 8,
            "description": "number of players, including the Godfather",
        },
        "cleaner": {
            "type": "boolean",
            "default": False,
            "description": "the cleaner replaces one loyal, unless there is a cleaner already;"
            " rejected if there is neither",
        },
        "jokers": {
            "anyOf": [{"type": "integer", "minimum": 0, "maximum": 2}, TABLE],
            "default": "table",
            "description": "wrong accusations that are forgiven; `table`: 0 with up to 7 seats, 1"
            " with up to 10, otherwise 2",
        },
        "tokens": {
            "type": "object",
            "properties": {
                kind: {"type": "integer", "minimum": 0, "maximum": MOST_TOKENS[kind]}
                for kind in KIND_NAMES
            },
            "additionalProperties": False,
            "description": "all tokens in the box; an empty object means none; without it, the"
            " standard tokens for the number of seats",
        },
        "questions": {
            "anyOf": [{"type": "integer", "minimum": 0, "maximum": 96}, TABLE],
            "default": "table",
            "description": "questions that the Godfather may ask; `table`: 4 per seat",
        },
        "statements": {
            "type": "integer",
            "minimum": 0,
            "maximum": 8,
            "default": 2,
            "description": "statements that every seat except the Godfather may make without being"
            " asked",
        },
    }
)

QUESTIONS_PER_SEAT = 4
# By number of seats: tokens in the order of KIND_NAMES, and jokers.
STANDARD = {
    5: ((1, 1, 0, 0, 0), 0),
    6: ((1, 1, 0, 1, 0), 0),
    7: ((2, 1, 0, 1, 0), 0),
    8: ((3, 1, 0, 1, 0), 1),
    9: ((4, 1, 0, 1, 0), 1),
    10: ((4, 1, 1, 1, 0), 1),
    11: ((4, 1, 1, 2, 0), 2),
    12: ((5, 1, 1, 2, 0), 2),
}


def count_jokers(values: Mapping[str, Any]) -> int:
    """The number of jokers: the option, or the standard number."""
    jokers: int | str = values["jokers"]
    return STANDARD[values["seats"]][1] if isinstance(jokers, str) else jokers


def count_questions(values: Mapping[str, Any]) -> int:
    """The number of questions: the option, or the standard number."""
    questions: int | str = values["questions"]
    return QUESTIONS_PER_SEAT * values["seats"] if isinstance(questions, str) else questions


def count_tokens(values: Mapping[str, Any]) -> list[int]:
    """The tokens in the order of KIND_NAMES; raises OptionError."""
    given = values["tokens"]
    if given is None:
        tokens = list(STANDARD[values["seats"]][0])
    else:
        tokens = [given.get(kind, 0) for kind in KIND_NAMES]
    loyal, cleaner = KIND_NAMES.index("loyal"), KIND_NAMES.index("cleaner")
    if values["cleaner"] and not tokens[cleaner]:
        if not tokens[loyal]:
            raise OptionError("cleaner", "replaces a loyal, and there is none")
        tokens[loyal] -= 1
        tokens[cleaner] = 1
    return tokens
