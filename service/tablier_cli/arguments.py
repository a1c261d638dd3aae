"""What people type, as games, options and tokens; mistakes end the command with status 2."""

from __future__ import annotations

import base64
import binascii
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

import click
from tablier_client import TablierError
from tablier_client.errors import InvalidToken, Unavailable
from tablier_core.errors import OptionError
from tablier_core.options import Value
from tablier_core.position import Game
from tablier_core.registry import GAMES

# Where a field of a request comes from.
FLAGS: Mapping[str, str] = MappingProxyType(
    {
        "state": "STATE",
        "seat": "--seat",
        "level": "--level",
        "budget.milliseconds": "--ms",
        "budget.iterations": "--iterations",
        "interval_milliseconds": "--interval",
        "max_suggestions": "--top",
        "match": "--match",
    }
)


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


def read_token(text: str) -> bytes:
    """The token that an argument names: a file's, that of standard input (`-`), or itself."""
    if text == "-":
        content = sys.stdin.buffer.read()
    elif is_file(text):
        content = Path(text).read_bytes()
    else:
        content = text.encode()
    # A file may hold a token as it is.
    return decode_token(content) or content


def is_file(text: str) -> bool:
    """Whether a text names a file; one that is too long for a name does not."""
    try:
        return Path(text).is_file()
    except OSError:
        return False


def decode_token(text: bytes) -> bytes:
    """The token of a text in base64, with either alphabet, padded or not; none if it is not one."""
    packed = b"".join(text.split()).translate(bytes.maketrans(b"-_", b"+/")).rstrip(b"=")
    try:
        return base64.b64decode(packed + b"=" * (-len(packed) % 4), validate=True)
    except binascii.Error:
        return b""


def command_error(error: TablierError) -> click.ClickException:
    """What a service refused, as the error of the command that asked."""
    if isinstance(error, Unavailable):
        return click.ClickException(
            f"{error.message}\nIs a service running there? `tablier serve` starts one; "
            "without --server, none is needed."
        )
    if isinstance(error, InvalidToken):
        return click.BadParameter(
            f"no token: it {error.message}. What is wanted is a token in base64, a file that holds "
            "one, or a game's name as `tablier games` lists them",
            param_hint="STATE",
        )
    flag = FLAGS.get(error.field)
    if flag is None:
        return click.ClickException(error.message)
    return click.BadParameter(error.message, param_hint=flag)
