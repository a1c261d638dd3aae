"""The command `tablier` with all its subcommands and flags.

Each command imports what it needs when it runs, so that `tablier --help` is fast.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import BinaryIO

import click

from tablier_cli.serve import SettingsCommand

SEED = click.IntRange(0, 2**64 - 1)
LEVEL = click.IntRange(1, 10)

option_flag = click.option(
    "--option",
    "-o",
    "options",
    multiple=True,
    metavar="NAME=VALUE",
    help="Game option such as seats=4; repeatable. `tablier games NAME` lists them.",
)

add_to_flag = click.option(
    "--add-to",
    "file",
    type=click.Path(dir_okay=False, path_type=Path),
    help="File to add it to, created if it does not exist.",
)

server_flag = click.option(
    "--server",
    metavar="HOST:PORT",
    help="gRPC address of a service.",
    show_default="run in this process",
)


def advice_flags(command: Callable[..., None]) -> Callable[..., None]:
    """Add the arguments that `suggest` and `analyze` share."""
    for flag in reversed(
        (
            click.argument("state"),
            click.option(
                "--seat", type=int, help="Seat to advise.", show_default="the only seat to move"
            ),
            click.option(
                "--iterations", type=click.IntRange(1), help="Iteration budget of the search."
            ),
            click.option(
                "--seed",
                type=SEED,
                default=0,
                show_default=True,
                help="Seed of the search, and of a new game.",
            ),
            click.option(
                "--top",
                type=click.IntRange(1, 1024),
                default=5,
                show_default=True,
                help="Number of moves to show.",
            ),
            click.option("--match", default="", help="Match that a sealed token belongs to."),
            server_flag,
            option_flag,
        )
    ):
        command = flag(command)
    return command


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
@click.argument("name", required=False)
def games(name: str | None) -> None:
    """List all games, or show the details of the game NAME."""
    from tablier_cli.catalogue import show_all, show_one

    if name is None:
        show_all()
    else:
        show_one(name)


@main.command()
@click.argument("game")
@click.option(
    "--language",
    metavar="TAG",
    envvar=["LC_ALL", "LC_MESSAGES", "LANG"],
    default="",
    help="Language of the text, such as fr.",
    show_default="that of the system, or English",
)
@server_flag
def rules(game: str, language: str, server: str | None) -> None:
    """Show how to play GAME.

    The page explains the game from the beginning, with an example whose moves you can type in
    `tablier play`. A long page is shown in a pager; into a pipe or a file, it is written as
    Markdown.

    \b
    tablier rules contract
    tablier rules contract --language fr
    """
    from tablier_cli.rules import show_rules, tag_of

    show_rules(game, tag_of(language), server)


@main.command()
@click.argument("game")
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
@click.argument("game")
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
@click.argument("game")
@click.option("--seat", type=click.IntRange(0), default=0, show_default=True, help="Your seat.")
@click.option(
    "--level",
    type=LEVEL,
    help="Strength of the other players; 10 is the strongest.",
    show_default="random moves",
)
@click.option("--seed", type=SEED, help="Seed of the game and the players.", show_default="random")
@server_flag
@option_flag
def play(
    game: str,
    seat: int,
    level: int | None,
    seed: int | None,
    server: str | None,
    options: Sequence[str],
) -> None:
    """Play GAME in the terminal against the computer.

    Type `help` during the game for commands and notation. In most games, the number of seats is an
    option:

    \b
    tablier play contract --level 5 -o seats=4
    """
    from tablier_cli.play import play_game

    play_game(game, options, seat, level, seed, server)


@main.command()
@advice_flags
@click.option(
    "--level", type=LEVEL, default=None, help="Suggest what this level would play, errors included."
)
@click.option(
    "--ms", type=click.IntRange(1), help="Time budget in milliseconds.", show_default="100"
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of a table.")
def suggest(
    state: str,
    seat: int | None,
    level: int | None,
    ms: int | None,
    iterations: int | None,
    seed: int,
    top: int,
    match: str,
    server: str | None,
    options: Sequence[str],
    as_json: bool,
) -> None:
    """Rank the moves in STATE.

    STATE is a token in base64, a file with a token, - for standard input, or the name of a game
    for its start. With both --ms and --iterations, the search ends at the limit it reaches first.
    With --iterations alone, the answer is the same on every machine.

    For each move, the table shows the expected result of every seat, from -1 (loss) to +1 (win),
    starting with seat 0; the spread of the advised seat's result; how often the search visited the
    move; the weight that the game's own engine gives it, if there is one; and the expected line.

    \b
    tablier suggest contigo-alignment --ms 1000
    tablier suggest game.token --seat 1 --iterations 20000 --json
    """
    from tablier_cli.advice import Question, print_suggestions

    question = Question(state, options, seat, ms or 0, iterations or 0, seed, top, match)
    print_suggestions(question, level or 0, server, as_json)


@main.command()
@advice_flags
@click.option(
    "--ms", type=click.IntRange(1), help="Time budget in milliseconds.", show_default="until Ctrl-C"
)
@click.option(
    "--interval",
    type=click.IntRange(10),
    default=250,
    show_default=True,
    help="Milliseconds between reports.",
)
@click.option("--json", "as_json", is_flag=True, help="Print every report as a line of JSON.")
def analyze(
    state: str,
    seat: int | None,
    ms: int | None,
    iterations: int | None,
    seed: int,
    top: int,
    match: str,
    server: str | None,
    options: Sequence[str],
    interval: int,
    as_json: bool,
) -> None:
    """Rank the moves in STATE continuously.

    STATE and the columns are as in `tablier suggest`. The search ends with Ctrl-C, at its budget,
    or at the limit of the service, and leaves the last report.

    \b
    tablier analyze contigo-alignment
    tablier analyze game.token --ms 10000 --interval 1000
    """
    from tablier_cli.advice import Question, watch_analysis

    question = Question(state, options, seat, ms or 0, iterations or 0, seed, top, match)
    watch_analysis(question, interval, server, as_json)


record_argument = click.argument("file", type=click.File("rb"), default="-")


@main.group()
def record() -> None:
    """Check, show and convert game records.

    A record is a text file with a whole game, like PGN for chess. FILE is its path, or - for
    standard input, which is the default. docs/records.md describes the format.

    \b
    tablier record show game.txt
    tablier record convert game.txt --viewer 2 > seen-by-seat-2.txt
    """


@record.command()
@record_argument
@server_flag
def check(file: BinaryIO, server: str | None) -> None:
    """Check the record in FILE by replaying it.

    Variations are replayed, too. A record that lacks a seed or hides moves, such as that of a
    viewer, is only read, and the command says so. The exit status is 1 if something is wrong.
    """
    from tablier_cli.record import check_record

    check_record(file.read(), server)


@record.command()
@record_argument
def show(file: BinaryIO) -> None:
    """Show the record in FILE: its tags and a table of its moves.

    Variations are indented. This also works for records that cannot be replayed.
    """
    from tablier_cli.record import show_record

    show_record(file.read())


@record.command()
@record_argument
@click.option(
    "--viewer",
    type=click.IntRange(0),
    help="Seat that the new record is for: it contains only what this seat saw, and no seed, "
    "comments, evaluations and variations.",
    show_default="everything",
)
@server_flag
def convert(file: BinaryIO, viewer: int | None, server: str | None) -> None:
    """Replay the record in FILE and print it again, complete or for a viewer.

    Scores and the result are added if they are missing.
    """
    from tablier_cli.record import convert_record

    convert_record(file.read(), viewer, server)


@main.command()
@click.argument("game")
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
