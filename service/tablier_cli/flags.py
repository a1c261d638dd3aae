"""Arguments and flags that several commands share, and how shells complete them.

Nothing heavy is imported here before it is needed, so that `tablier --help` is fast.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from pathlib import Path
from typing import Any

import click
from click.shell_completion import CompletionItem
from click.types import StringParamType

from tablier_cli.server import Server

SEED = click.IntRange(0, 2**64 - 1)
LEVELS = 10
# Everyone who plays for the first time should have a chance.
DEFAULT_LEVEL = 3
RANDOM = "random"
# The most numbers that a shell offers for an option.
FEW = 12

Command = Callable[..., None]


def starting(texts: Sequence[str], incomplete: str) -> list[CompletionItem]:
    """The texts that complete what was typed."""
    return [CompletionItem(text) for text in texts if text.startswith(incomplete)]


def game_names() -> list[str]:
    """The names of all games."""
    from tablier_core.registry import GAMES

    return sorted(GAMES)


class GameName(StringParamType):
    """The name of a game; whether there is such a game is for the command to find out."""

    name = "game"

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        return starting(game_names(), incomplete)


class StateText(StringParamType):
    """A token, a file with a token or a record, `-`, or the name of a game."""

    name = "state"

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        # The shell completes names of files itself.
        return [*starting(game_names(), incomplete), CompletionItem(incomplete, type="file")]


class Level(click.IntRange):
    """A level of the computer's play."""

    def __init__(self) -> None:
        super().__init__(1, LEVELS)

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        return starting([str(level + 1) for level in range(LEVELS)], incomplete)


class LevelOrRandom(Level):
    """A level, or 0 for random moves."""

    def get_metavar(self, param: click.Parameter, ctx: click.Context | None = None) -> str:
        return f"1-{LEVELS}|{RANDOM}"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        return 0 if value in (RANDOM, 0) else super().convert(value, param, ctx)

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        return [*super().shell_complete(ctx, param, incomplete), *starting([RANDOM], incomplete)]


def choices(schema: Mapping[str, Any]) -> list[str]:
    """The values that a game option accepts, if there are only a few."""
    if "anyOf" in schema:
        return [value for each in schema["anyOf"] for value in choices(each)]
    if schema["type"] == "boolean":
        return ["true", "false"]
    if schema["type"] == "integer" and schema["maximum"] - schema["minimum"] < FEW:
        return [str(value) for value in range(schema["minimum"], schema["maximum"] + 1)]
    return [*schema.get("enum", ())]


def complete_option(
    ctx: click.Context, param: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Complete the name of a game option, or its value if there are only a few."""
    from tablier_core.registry import GAMES

    # While a flag has no value yet, click has not assigned the other words.
    words = (ctx.params.get("game"), ctx.params.get("state"), *ctx.args)
    game = next((game for game in GAMES.values() if game.name in words), None)
    if game is None:
        return []
    properties = game.options.properties
    name, equals, _ = incomplete.partition("=")
    if equals and name in properties:
        return starting([f"{name}={value}" for value in choices(properties[name])], incomplete)
    return [
        CompletionItem(f"{option}=", help=schema["description"])
        for option, schema in properties.items()
        if option.startswith(incomplete)
    ]


def complete_language(
    ctx: click.Context, param: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Complete the tag of a language."""
    from tablier_core.languages import LANGUAGES

    return starting(LANGUAGES, incomplete)


def tag_of(locale: str) -> str:
    """The BCP 47 tag of a locale: `fr-CA` for `fr_CA.UTF-8`, and none for `C`."""
    name = re.split("[.@]", locale)[0]
    return "" if name in ("C", "POSIX") else name.replace("_", "-")


def read_language(ctx: click.Context, param: click.Parameter, locale: str) -> str:
    """The tag of the flag, or of the locale of the system."""
    return tag_of(locale)


# ---- Flags ---------------------------------------------------------------------------------------

game_argument = click.argument("game", type=GameName())
state_argument = click.argument("state", type=StateText(), default="-")

option_flag = click.option(
    "--option",
    "-o",
    "options",
    multiple=True,
    metavar="NAME=VALUE",
    shell_complete=complete_option,
    help="Game option such as seats=4; repeatable. `tablier games NAME` lists them.",
)

language_flag = click.option(
    "--language",
    metavar="TAG",
    envvar=["LC_ALL", "LC_MESSAGES", "LANG"],
    default="",
    callback=read_language,
    shell_complete=complete_language,
    help="Language of the texts, such as fr.",
    show_default="that of the system, or English",
)

match_flag = click.option("--match", default="", help="Match that a sealed token belongs to.")

add_to_flag = click.option(
    "--add-to",
    "file",
    type=click.Path(dir_okay=False, path_type=Path),
    help="File to add it to, created if it does not exist.",
)

FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
SERVER_FLAGS = (
    click.option(
        "--server",
        metavar="HOST:PORT",
        help="gRPC address of a service. Connections to other machines use TLS.",
        show_default="run in this process",
    ),
    click.option(
        "--api-key-file",
        type=FILE,
        help="File with your API key for the service.",
        show_default="the key in TABLIER_API_KEY",
    ),
    click.option(
        "--ca-file",
        type=FILE,
        help="PEM file of the authorities that sign the certificate of the service.",
        show_default="those of the system",
    ),
    click.option(
        "--cert-file", type=FILE, help="PEM file of your own certificate, if you need one."
    ),
    click.option("--key-file", type=FILE, help="PEM file of the private key of --cert-file."),
    click.option("--insecure", is_flag=True, help="Do not use TLS, whatever the address."),
)


def server_flags(command: Command) -> Command:
    """Add the flags of a connection; the command gets one `Server`, or None."""

    @wraps(command)
    def with_server(
        *args: object,
        server: str | None,
        api_key_file: Path | None,
        ca_file: Path | None,
        cert_file: Path | None,
        key_file: Path | None,
        insecure: bool,
        **others: object,
    ) -> None:
        used = api_key_file or ca_file or cert_file or key_file or insecure
        if server is None and used:
            raise click.UsageError("flags of a connection need --server")
        if (cert_file is None) is not (key_file is None):
            raise click.UsageError("use --cert-file and --key-file together")
        if insecure and (ca_file or cert_file):
            raise click.UsageError("--insecure does not go with certificates")
        found = None
        if server is not None:
            found = Server(server, api_key_file, ca_file, cert_file, key_file, insecure)
        command(*args, server=found, **others)

    flagged: Command = with_server
    for flag in reversed(SERVER_FLAGS):
        flagged = flag(flagged)
    return flagged
