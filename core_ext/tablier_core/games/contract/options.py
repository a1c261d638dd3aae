"""The options of Contract. Those that are maps and lists are checked here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tablier_core.errors import OptionError
from tablier_core.options import Option, Whole

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
MOST_TILES = 6

DEFAULT_MAFIOSI = {
    "brakova": (2, 3, 4, 5, 6),
    "yakaz": (2, 3, 4, 5, 6),
    "rodrigos": (2, 3, 4, 5, 6),
    "costa": (2, 3, 4, 5, 6),
    "blackmat": (1, 3, 4, 5),
}
DEFAULT_TRAFFICS = {"first": (8, 7, 6, 5), "second": (4, 3, 2, 1)}
DEFAULT_BRIEFCASES = tuple(
    {"sides": sides, "worth": 2}
    for sides in (
        ("families-3", "families-4"),
        ("same-2", "same-3"),
        ("blackmats-2", "blackmats-2"),
        ("twos-3", "most-twos"),
        ("most-mafiosi", "most-mafiosi"),
        ("largest-family", "most-threes"),
    )
)

OPTIONS = (
    Whole("seats", "number of players", default=3, low=2, high=5),
    Option(
        "mafiosi",
        "values of the Mafiosi by colour",
        default=DEFAULT_MAFIOSI,
        form=f"a map of {', '.join(COLOURS[:-1])} and {COLOURS[-1]} to lists of different values"
        f" from 0 to {HIGHEST}; 20 in all at 2 or 3 seats, not counting the 2s, and 24 at 4 or 5",
    ),
    Option(
        "traffics",
        "values of the traffic tiles",
        default=DEFAULT_TRAFFICS,
        form=f"a map of first and second to lists of four values from 0 to {HIGHEST}",
    ),
    Option(
        "briefcases",
        "bonus tiles; a tile that mentions 2s is not used at 2 or 3 seats",
        default=DEFAULT_BRIEFCASES,
        form=f"a list of 0 to {MOST_TILES} maps of sides, two of {', '.join(SIDES[:-1])} and"
        f" {SIDES[-1]}, and worth, from 0 to {HIGHEST}",
    ),
    Option(
        "copper_card",
        "influence points of the Copper card",
        default=1,
        form="a number from 0 to 3, in steps of 0.5",
    ),
)


def _is_value(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= HIGHEST


def _read_map(option: str, given: object, keys: Sequence[str]) -> Mapping[str, object]:
    if not isinstance(given, Mapping) or set(given) != set(keys):
        raise OptionError(option, f"must be a map with exactly these keys: {', '.join(keys)}")
    return given


def _read_values(option: str, name: str, given: object) -> list[int]:
    if not isinstance(given, list | tuple) or not all(_is_value(value) for value in given):
        raise OptionError(option, f"{name} must be a list of whole numbers from 0 to {HIGHEST}")
    return list(given)


def read_halves(given: object) -> int:
    """Return the points of the Copper card, in halves; raises OptionError."""
    if (
        isinstance(given, bool)
        or not isinstance(given, int | float)
        or not 0 <= given <= 3
        or 2 * given != int(2 * given)
    ):
        raise OptionError("copper_card", "must be from 0 to 3, in steps of 0.5")
    return int(2 * given)


def read_mafiosi(given: object, seats: int, wanted: int) -> list[tuple[int, int]]:
    """Return family and value of the Mafiosi in the game, ascending; raises OptionError."""
    colours = _read_map("mafiosi", given, COLOURS)
    mafiosi: list[tuple[int, int]] = []
    for family, colour in enumerate(COLOURS):
        values = _read_values("mafiosi", colour, colours[colour])
        if len(set(values)) < len(values):
            raise OptionError("mafiosi", f"{colour} has a value twice")
        mafiosi += [(family, value) for value in sorted(values) if seats > 3 or value != 2]
    if len(mafiosi) != wanted:
        without = "" if seats > 3 else " without the 2s"
        raise OptionError(
            "mafiosi", f"{seats} seats need {wanted} Mafiosi{without}, not {len(mafiosi)}"
        )
    return mafiosi


def read_traffics(given: object) -> tuple[list[int], list[int]]:
    """Return the four first and the four second traffics; raises OptionError."""
    both = _read_map("traffics", given, ("first", "second"))
    first, second = (_read_values("traffics", name, both[name]) for name in ("first", "second"))
    for name, values in (("first", first), ("second", second)):
        if len(values) != 4:
            raise OptionError("traffics", f"{name} must have four values")
    return first, second


def read_briefcases(given: object, seats: int) -> list[tuple[int, int, int]]:
    """Return the two sides and the worth of each tile in the game; raises OptionError."""
    if not isinstance(given, list | tuple) or len(given) > MOST_TILES:
        raise OptionError("briefcases", f"must be a list of 0 to {MOST_TILES} tiles")
    tiles = []
    for number, tile in enumerate(given):
        parts = _read_map("briefcases", tile, ("sides", "worth"))
        sides, worth = parts["sides"], parts["worth"]
        if (
            not isinstance(sides, list | tuple)
            or len(sides) != 2
            or any(side not in SIDES for side in sides)
        ):
            raise OptionError(
                "briefcases", f"sides of tile {number} must be two of {', '.join(SIDES)}"
            )
        if not isinstance(worth, int) or not _is_value(worth):
            raise OptionError(
                "briefcases",
                f"worth of tile {number} must be a whole number from 0 to {HIGHEST}",
            )
        if seats > 3 or not any("twos" in side for side in sides):
            tiles.append((SIDES.index(sides[0]), SIDES.index(sides[1]), worth))
    return tiles
