"""The options of Mafia de Cuba, and the standard setup by number of seats."""

from __future__ import annotations

from collections.abc import Mapping

from tablier_core.errors import OptionError
from tablier_core.games.mafia_de_cuba.notation import KIND_NAMES
from tablier_core.options import Flag, Option, Whole, WholeOr

OPTIONS = (
    Whole("seats", "number of players, including the Godfather", default=8, low=5, high=12),
    Flag("cleaner", "replace one loyal with the cleaner"),
    WholeOr("jokers", "wrong accusations that are forgiven", low=0, high=2, word="table"),
    Option(
        "tokens",
        "tokens in the box, instead of the standard ones",
        form="a map to counts: loyal to 5, fbi to 1, cia to 1, driver to 2, cleaner to 1",
    ),
    WholeOr(
        "questions",
        "questions that the Godfather may ask; by default 4 per seat",
        low=0,
        high=96,
        word="table",
    ),
    Whole("statements", "unasked statements that each seat may make", default=2, low=0, high=8),
)

LIMITS = {"loyal": 5, "fbi": 1, "cia": 1, "driver": 2, "cleaner": 1}
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


def count_jokers(values: Mapping[str, object]) -> object:
    """The number of jokers: the option, or the standard number."""
    jokers = values["jokers"]
    return STANDARD[_seats(values)][1] if jokers is None else jokers


def count_questions(values: Mapping[str, object]) -> object:
    """The number of questions: the option, or the standard number."""
    questions = values["questions"]
    return QUESTIONS_PER_SEAT * _seats(values) if questions is None else questions


def count_tokens(values: Mapping[str, object]) -> list[int]:
    """The tokens in the order of KIND_NAMES; raises OptionError."""
    given = values["tokens"]
    tokens = list(STANDARD[_seats(values)][0]) if given is None else _read_tokens(given)
    loyal, cleaner = KIND_NAMES.index("loyal"), KIND_NAMES.index("cleaner")
    if values["cleaner"] and not tokens[cleaner]:
        if not tokens[loyal]:
            raise OptionError("cleaner", "replaces a loyal, and there is none")
        tokens[loyal] -= 1
        tokens[cleaner] = 1
    return tokens


def _seats(values: Mapping[str, object]) -> int:
    seats = values["seats"]
    assert isinstance(seats, int)
    return seats


def _read_tokens(given: object) -> list[int]:
    if not isinstance(given, Mapping):
        raise OptionError("tokens", f"must map kinds ({', '.join(KIND_NAMES)}) to counts")
    for kind, count in given.items():
        if kind not in LIMITS:
            kinds = ", ".join(KIND_NAMES)
            raise OptionError("tokens", f"unknown kind {kind!r}; the kinds are {kinds}")
        if isinstance(count, bool) or not isinstance(count, int) or not 0 <= count <= LIMITS[kind]:
            raise OptionError("tokens", f"{kind} must be a whole number from 0 to {LIMITS[kind]}")
    return [given.get(kind, 0) for kind in KIND_NAMES]
