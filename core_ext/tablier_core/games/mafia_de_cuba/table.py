"""The setup of Mafia de Cuba: the table by number of seats, and what options change of it."""

from __future__ import annotations

from collections.abc import Mapping

from tablier_core.errors import OptionError

KIND_NAMES = ("loyal", "fbi", "cia", "driver", "cleaner")
LIMITS = {"loyal": 5, "fbi": 1, "cia": 1, "driver": 2, "cleaner": 1}
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
    """The jokers of a game: as asked for, or as the table says."""
    jokers = values["jokers"]
    return _standard(values)[1] if jokers is None else jokers


def count_tokens(values: Mapping[str, object]) -> list[int]:
    """The tokens of a game in the order of KIND_NAMES; raises OptionError."""
    given = values["tokens"]
    tokens = list(_standard(values)[0]) if given is None else _read_tokens(given)
    loyal, cleaner = KIND_NAMES.index("loyal"), KIND_NAMES.index("cleaner")
    if values["cleaner"] and not tokens[cleaner]:
        if not tokens[loyal]:
            raise OptionError("cleaner", "takes the place of a loyal, and there is none")
        tokens[loyal] -= 1
        tokens[cleaner] = 1
    return tokens


def _standard(values: Mapping[str, object]) -> tuple[tuple[int, ...], int]:
    seats = values["seats"]
    assert isinstance(seats, int)
    return STANDARD[seats]


def _read_tokens(given: object) -> list[int]:
    if not isinstance(given, Mapping):
        raise OptionError("tokens", f"must map kinds ({', '.join(KIND_NAMES)}) to counts")
    for kind, count in given.items():
        if kind not in LIMITS:
            raise OptionError("tokens", f"no kind {kind!r}; the kinds are {', '.join(KIND_NAMES)}")
        if isinstance(count, bool) or not isinstance(count, int) or not 0 <= count <= LIMITS[kind]:
            raise OptionError("tokens", f"{kind} must be a whole number from 0 to {LIMITS[kind]}")
    return [given.get(kind, 0) for kind in KIND_NAMES]
