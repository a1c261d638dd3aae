"""The command `tablier` with all its subcommands and flags.

Each command imports what it needs when it runs, so that `tablier --help` is fast.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from tablier_cli import state_commands
from tablier_cli.flags import (
    DEFAULT_LEVEL,
    RANDOM,
    SEED,
    GameName,
    LevelOrRandom,
    StateText,
    add_to_flag,
    game_argument,
    language_flag,
    option_flag,
    server_flags,
)
from tablier_cli.record_commands import record
from tablier_cli.serve import SettingsCommand
from tablier_cli.server import Server


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="tablier", prog_name="tablier")
def main() -> None:
    """Serve, play and analyse board and card games."""


@main.command(cls=SettingsCommand)
@click.option(
    "--check",
    is_flag=True,
    help="Print every setting and where it comes from, check them all, and exit.",
)
def serve(check: bool, **flags: str | None) -> None:
    """Serve gRPC and REST.

    Every setting is a flag or an environment variable; flags override environment variables. Stop
    the service with SIGTERM or Ctrl-C.
    """
    from tablier_cli.serve import check_settings, serve_until_stopped

    given = {name: text for name, text in flags.items() if text is not None}
    if check:
        check_settings(given)
    else:
        serve_until_stopped(given)


@main.group()
def keys() -> None:
    """Create API keys and seal keys."""


@keys.command(name="new")
@click.argument("name")
@click.option(
    "--role",
    "roles",
    type=click.Choice(["player", "host", "referee", "operator"]),
    multiple=True,
    required=True,
    help="Role of the caller; repeatable.",
)
@add_to_flag
def new_key(name: str, roles: Sequence[str], file: Path | None) -> None:
    """Create an API key for the caller NAME.

    Prints the key, which is not stored anywhere, and the entry for the callers file, which has only
    a hash of the key. With --add-to, the entry is added to that file.

    \b
    tablier keys new lobby --role host --add-to callers.toml > lobby.key
    """
    from tablier_cli.keys import print_new_key

    print_new_key(name, roles, file)


@keys.command(name="seal")
@add_to_flag
def seal_key(file: Path | None) -> None:
    """Create a key for sealing tokens.

    Prints the key, for TABLIER_SEAL_KEYS or a file of keys. With --add-to, the key becomes the last
    line of that file. The first key of a file seals tokens, and all of them open tokens.

    \b
    tablier keys seal --add-to seal-keys
    """
    from tablier_cli.keys import make_seal_key

    make_seal_key(file)


@main.command()
@click.argument("name", required=False, type=GameName())
@language_flag
def games(name: str | None, language: str) -> None:
    """List all games, or show the details of the game NAME."""
    from tablier_cli.catalogue import show_all, show_one

    if name is None:
        show_all(language)
    else:
        show_one(name, language)


@main.command()
@game_argument
@language_flag
@server_flags
def rules(game: str, language: str, server: Server | None) -> None:
    """Show how to play GAME.

    The page explains the game from the beginning, with an example whose moves you can type in
    `tablier play`. A long page is shown in a pager; into a pipe or a file, it is written as
    Markdown.

    \b
    tablier rules contract
    tablier rules contract --language fr
    """
    from tablier_cli.rules import show_rules

    show_rules(game, language, server)


@main.command()
@game_argument
@click.option("--depth", type=click.IntRange(1, 64), required=True, help="Length of the sequences.")
@click.option("--seed", type=SEED, default=0, show_default=True, help="Seed of the game.")
@option_flag
def perft(game: str, depth: int, seed: int, options: Sequence[str]) -> None:
    """Count the move sequences of GAME from its start.

    Prints one line per depth up to --depth: the depth, the number of sequences of that length and
    the seconds that counting took, separated by tabs.
    """
    from tablier_cli.perft import print_counts

    print_counts(game, options, seed, depth)


@main.command()
@game_argument
@click.option("--games", "count", type=click.IntRange(1), required=True, help="Number of games.")
@click.option("--seed", type=SEED, default=0, show_default=True, help="Seed of the first game.")
@option_flag
def playouts(game: str, count: int, seed: int, options: Sequence[str]) -> None:
    """Play random games of GAME and print statistics as JSON.

    Game i starts from seed --seed + i. It is a win if a seat has a positive return, a loss if all
    seats have -1 (a team that misses its goal), and otherwise a draw.
    """
    from tablier_cli.playouts import print_playouts

    print_playouts(game, options, seed, count)


@main.command()
@click.argument("game", type=StateText(), metavar="GAME|FILE")
@click.option(
    "--seat", type=click.IntRange(0), help="Your seat.", show_default="0, or that of a saved game"
)
@click.option(
    "--level",
    type=LevelOrRandom(),
    show_default=f"{DEFAULT_LEVEL}, or that of a saved game",
    help=f"Strength of the other players; 10 is the strongest. `{RANDOM}`: random moves.",
)
@click.option("--seed", type=SEED, help="Seed of the game and the players.", show_default="random")
@language_flag
@server_flags
@option_flag
def play(
    game: str,
    seat: int | None,
    level: int | None,
    seed: int | None,
    language: str,
    server: Server | None,
    options: Sequence[str],
) -> None:
    """Play GAME in the terminal against the computer, or continue the game saved in FILE.

    Type `rules` during the game to learn it, and `help` for commands and notation. Tab completes
    moves. In most games, the number of seats is an option:

    \b
    tablier play contract
    tablier play contract --level 5 -o seats=4
    """
    from tablier_cli.play import play_game

    play_game(game, options, seat, level, seed, server, language)


@main.command()
@game_argument
@click.option(
    "--players",
    required=True,
    metavar="A,B[,..]",
    help="Players by seat: a level from 1 to 10, best, random, or module:function. The last player "
    "takes all remaining seats. Append a budget with @, as in best@50ms or 7@2000it.",
)
@click.option(
    "--games",
    "count",
    type=click.IntRange(1),
    default=100,
    show_default=True,
    help="Number of games.",
)
@click.option("--ms", type=click.IntRange(1), help="Milliseconds per move.", show_default="100")
@click.option(
    "--iterations", type=click.IntRange(1), help="Iterations per move, instead of a time."
)
@click.option("--seed", type=SEED, default=0, show_default=True, help="Seed of the first deal.")
@click.option(
    "--fixed-seats",
    is_flag=True,
    help="Keep players in their seats.",
    show_default="rotate the seats",
)
@click.option(
    "--processes", type=click.IntRange(1), help="Parallel games.", show_default="all cores"
)
@click.option("--ray", metavar="ADDRESS", help="Play on a Ray cluster; `local` starts one here.")
@option_flag
def match(
    game: str,
    players: str,
    count: int,
    ms: int | None,
    iterations: int | None,
    seed: int,
    fixed_seats: bool,
    processes: int | None,
    ray: str | None,
    options: Sequence[str],
) -> None:
    """Let players compete in GAME and print the standings.

    By default, each deal is played once from every rotation of the seats. Draws and shared wins
    count as fractions of a win.

    \b
    tablier match contigo-alignment --players best,random --games 20 --ms 50
    """
    from tablier_cli.match import make_match, run_match
    from tablier_cli.matches.players import Budget
    from tablier_cli.matches.pools import cores

    if ms and iterations:
        raise click.UsageError("use --ms or --iterations, not both")
    budget = Budget(iterations=iterations) if iterations else Budget(milliseconds=ms or 100)
    asked = make_match(game, options, players, budget, seed, rotating=not fixed_seats)
    run_match(asked, count, processes or cores(), ray)


for command in (
    record,
    state_commands.start,
    state_commands.moves,
    state_commands.interpret,
    state_commands.apply,
    state_commands.show,
    state_commands.render,
    state_commands.suggest,
    state_commands.analyze,
):
    main.add_command(command)
