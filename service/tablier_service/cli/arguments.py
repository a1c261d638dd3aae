"""What people type, as games and options of the core; mistakes end the command with status 2."""

from __future__ import annotations

from collections.abc import Sequence

import click
from tablier_core.errors import OptionError
from tablier_core.options import Value
from tablier_core.position import Game
from tablier_core.registry import GAMES


def find_game(name: str) -> Game:
    """The game of a name."""
    game = GAMES.get(name)
    if game is None:
        known = ", ".join(sorted(GAMES))
        raise click.BadParameter(
            f"there is no game {name!r}; there are: {known}", param_hint="GAME"
        )
    return game


def parse_options(game: Game, pairs: Sequence[str]) -> dict[str, Value]:
    """The options that were given as NAME=VALUE, found good by the game."""
    known = {option.name: option for option in game.options}
    given: dict[str, Value] = {}
    for pair in pairs:
        name, equals, text = pair.partition("=")
        if not equals:
            raise refuse(pair, "must have the form NAME=VALUE")
        if name in given:
            raise refuse(name, "is given twice")
        given[name] = known[name].parse(text) if name in known else text
    try:
        game.pack_options(given)
    except OptionError as error:
        raise refuse(error.field, error.message) from None
    return given


def refuse(name: str, message: str) -> click.BadParameter:
    """The error for an option that a game does not take."""
    return click.BadParameter(message, param_hint=f"--option {name}")
