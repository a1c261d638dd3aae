"""Parse games, options and tokens from the command line; invalid ones exit with status 2."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

import click
from tablier_client import TablierError
from tablier_client.errors import Unavailable
from tablier_core.errors import OptionError
from tablier_core.options import Value
from tablier_core.position import Game
from tablier_core.registry import GAMES

# The argument that sets each field of a request, to name it in error messages.
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
        "viewer": "--viewer",
        "width": "--width",
        "bottom": "--bottom",
        "format": "--format",
        "last_parts": "--last",
        "marked_parts": "--mark",
        "arrows": "--arrow",
        "ca_file": "--ca-file",
        "api_key": "--api-key-file",
        "address": "--server",
    }
)

# What errors of the client advise to pass, and the flags for it.
ARGUMENTS: Mapping[str, str] = MappingProxyType(
    {
        "ca_file=": "--ca-file",
        "credentials=": "--cert-file and --key-file",
        "insecure=True": "--insecure",
    }
)


def find_game(name: str) -> Game:
    """Look up a game by its name; raises click.BadParameter."""
    game = GAMES.get(name)
    if game is None:
        known = ", ".join(sorted(GAMES))
        raise click.BadParameter(f"unknown game {name!r}; choose from: {known}", param_hint="GAME")
    return game


def parse_options(game: Game, pairs: Sequence[str]) -> dict[str, Value]:
    """Parse options of the form NAME=VALUE and have the game validate them."""
    given: dict[str, Value] = {}
    for pair in pairs:
        name, equals, text = pair.partition("=")
        if not equals:
            raise bad_option(pair, "must have the form NAME=VALUE")
        if name in given:
            raise bad_option(name, "is given twice")
        given[name] = game.options.parse(name, text)
    try:
        game.pack_options(given)
    except OptionError as error:
        raise bad_option(error.field, error.message) from None
    return given


def bad_option(name: str, message: str) -> click.BadParameter:
    """Make the error for an invalid game option."""
    return click.BadParameter(message, param_hint=f"--option {name}")


def bad_token(text: str, message: str) -> click.BadParameter:
    """Make the error for an argument that holds no valid token."""
    if text == "-" or is_file(text):
        return click.BadParameter(f"no valid token in {text} ({message})", param_hint="STATE")
    return click.BadParameter(
        f"not a file, a game name or a valid token ({message})", param_hint="STATE"
    )


def is_file(text: str) -> bool:
    """Whether a text is the path of a file."""
    try:
        return Path(text).is_file()
    except OSError:
        # A token can be too long for a path.
        return False


def decode_token(text: bytes) -> bytes:
    """Decode base64 in either alphabet, padded or not; empty if the text is not base64."""
    packed = b"".join(text.split()).translate(bytes.maketrans(b"-_", b"+/")).rstrip(b"=")
    try:
        return base64.b64decode(packed + b"=" * (-len(packed) % 4), validate=True)
    except binascii.Error:
        return b""


def command_error(error: TablierError) -> click.ClickException:
    """Convert an error of a call to one that names the argument at fault."""
    if isinstance(error, Unavailable):
        message = error.message
        for argument, advised in ARGUMENTS.items():
            message = message.replace(argument, advised)
        return click.ClickException(f"{message}\nOmit --server to do without a service.")
    flag = FLAGS.get(error.field.partition("[")[0])
    if flag is None:
        return click.ClickException(error.message)
    return click.BadParameter(error.message, param_hint=flag)
