"""The options that every game is tested with. All generic tests run over this table.

One entry per game: its name, and options that together reach all its rules and seat counts.
"""

from __future__ import annotations

from collections.abc import Mapping

from tablier_core.position import Game
from tablier_core.registry import GAMES
from tablier_core.testing.games import TESTING_GAMES

Options = Mapping[str, object]

LINES_APART = "RRR.BB/B....R/....../....../R....B/BB.RRR"

SHORT_DECK = [[image / 40] * 12 for image in range(31)]

KINGS_CLOSE = "Rr..../....../..b.B./.g...y/.G..Y./......"
KINGS_TOUCH = "....../.RrB../.YrG../....../....../......"

# Few families and many Blackmats, so that columns are often lost and joined.
BLACK_MARKET = {
    "seats": 4,
    "mafiosi": {
        "brakova": [0, 2, 3, 20],
        "yakaz": [1, 2, 3, 19],
        "rodrigos": [],
        "costa": [5],
        "blackmat": list(range(15)),
    },
    "traffics": {"first": [20, 0, 3, 3], "second": [0, 0, 9, 1]},
    "briefcases": [
        {"sides": ["families-3", "same-2"], "worth": 0},
        {"sides": ["blackmats-2", "twos-3"], "worth": 20},
        {"sides": ["most-twos", "largest-family"], "worth": 7},
    ],
    "copper_card": 2.5,
}

VARIANTS: dict[str, list[Options]] = {
    # The tiny games of tablier_core.testing.
    "tic-tac-toe": [{}],
    "connect-four": [{}],
    "pig": [{}, {"target": 60}],
    "kuhn-poker": [{}],
    "rock-paper-scissors": [{}],
    # The registered games.
    "contigo-alignment": [{}, {"advanced": True}, {"layout": LINES_APART, "turn_limit": 9}],
    "contigo-capture": [
        {},
        {"quick": True},
        {"layout": KINGS_CLOSE, "turn_limit": 9},
        {"layout": KINGS_TOUCH, "beads": [1] * 28, "quick": True},
    ],
    "contract": [{}, {"seats": 2}, {"seats": 4}, {"seats": 5}, BLACK_MARKET],
    "contrast": [
        *({"seats": seats} for seats in (2, 3, 4, 6)),
        {"seats": 5, "expert": True},
        {"seats": 3, "deck": SHORT_DECK},
    ],
    "contrat500": [
        {"max_deals": 3},
        {"seats": 3, "target": 100, "max_deals": 20},
        {"seats": 4, "blind_bids": True, "max_deals": 2},
    ],
    "mafia-de-cuba": [
        {},
        {"seats": 5, "questions": 3, "statements": 0},
        {"cleaner": True, "questions": 2, "statements": 0},
        {"seats": 12, "cleaner": True, "questions": 6},
        {"seats": 6, "tokens": {}, "jokers": 0, "questions": 2},
        {"seats": 7, "tokens": {"loyal": 2, "cia": 1, "driver": 2, "cleaner": 1}, "jokers": 2},
    ],
}

ALL_GAMES: dict[str, Game] = {**GAMES, **TESTING_GAMES}


def cases() -> list[tuple[Game, Options]]:
    """Return every game with each of its variants."""
    return [(game, options) for name, game in ALL_GAMES.items() for options in VARIANTS[name]]


def every_seat_count() -> list[tuple[Game, Options]]:
    """Return these cases, and the numbers of seats that none of them has."""
    found = cases()
    for game in ALL_GAMES.values():
        reached = {game.start(options, 0).seats for options in VARIANTS[game.name]}
        missing = {*range(game.min_seats, game.max_seats + 1)} - reached
        found += [(game, {"seats": seats}) for seats in sorted(missing)]
    return found


def label(value: object) -> str:
    """Name a game or a variant in a test id."""
    if isinstance(value, Game):
        return value.name
    assert isinstance(value, Mapping)
    seats = f"s{value['seats']}" if "seats" in value else ""
    return "-".join(filter(None, (variant_name(value), seats))) or "default"


def variant_name(options: Options) -> str:
    """Name a variant in the file name of a golden file: flags, numbers and names of options."""
    parts = []
    for name, value in options.items():
        if value is True:
            parts.append(name)
        elif name != "seats":
            plain = isinstance(value, int) or (isinstance(value, str) and value.isalnum())
            parts.append(f"{name}{value}" if plain else name)
    return "-".join(parts)
