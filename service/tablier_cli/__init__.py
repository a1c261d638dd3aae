"""The command `tablier`: what can be asked of it, all on this page.

What a command needs is imported when it runs, so that `tablier --help` answers at once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

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
    help="An option of the game; may be given several times. `tablier games NAME` lists them.",
)

server_flag = click.option(
    "--server", metavar="HOST:PORT", help="Ask a service instead of this process."
)


def advice_flags(command: Callable[..., None]) -> Callable[..., None]:
    """The arguments that `suggest` and `analyze` share."""
    for flag in reversed(
        (
            click.argument("state"),
            click.option(
                "--seat", type=int, help="Whom to advise.  [default: the only one to move]"
            ),
            click.option("--iterations", type=click.IntRange(1), help="Think so many iterations."),
            click.option(
                "--seed",
                type=SEED,
                default=0,
                show_default=True,
                help="Of the search, and of a new game's chance.",
            ),
            click.option(
                "--top",
                type=click.IntRange(1, 1024),
                default=5,
                show_default=True,
                help="How many moves to tell of.",
            ),
            click.option(
                "--match", default="", help="The match that a sealed token was written for."
            ),
            server_flag,
            option_flag,
        )
    ):
        command = flag(command)
    return command


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="tablier", prog_name="tablier")
def main() -> None:
    """Rules of board and card games: served to programs, or played with right here."""


@main.command(cls=SettingsCommand)
def serve(**flags: str | None) -> None:
    """Serve gRPC and REST until told to stop.

    Every setting is a flag or an environment variable; a flag goes before the variable.
    """
    from tablier_service import app, supervisor

    from tablier_cli.serve import read_settings

    settings = read_settings(flags)
    try:
        if settings.workers == 1:
            app.run(settings)
        else:
            supervisor.run(settings)
    except (OSError, ValueError) as error:
        raise click.ClickException(str(error)) from None


@main.group()
def keys() -> None:
    """API keys of callers."""


@keys.command(name="new")
@click.argument("name")
@click.option(
    "--role",
    "roles",
    type=click.Choice(["player", "host", "referee", "operator"]),
    multiple=True,
    required=True,
    help="What its holder may do; may be given several times.",
)
def new_key(name: str, roles: Sequence[str]) -> None:
    """Make an API key for the caller NAME, and print it with its entry for the callers file."""
    from tablier_cli.keys import print_new_key

    print_new_key(name, roles)


@main.command()
@click.argument("name", required=False)
def games(name: str | None) -> None:
    """List the games, or tell all about the game NAME."""
    from tablier_cli.catalogue import show_all, show_one

    if name is None:
        show_all()
    else:
        show_one(name)


@main.command()
@click.argument("game")
@click.option("--depth", type=click.IntRange(1, 64), required=True, help="Moves to look ahead.")
@click.option("--seed", type=SEED, default=0, show_default=True, help="Of the game's chance.")
@option_flag
def perft(game: str, depth: int, seed: int, options: Sequence[str]) -> None:
    """Count the lines of play of GAME from its start.

    Prints one line for every depth up to the one asked for: the depth, how many sequences of that
    many moves there are, and the seconds that counting took, with tabs between.
    """
    from tablier_cli.perft import print_counts

    print_counts(game, options, seed, depth)


@main.command()
@click.argument("game")
@click.option("--games", "count", type=click.IntRange(1), required=True, help="How many to play.")
@click.option("--seed", type=SEED, default=0, show_default=True, help="Of the first game.")
@option_flag
def playouts(game: str, count: int, seed: int, options: Sequence[str]) -> None:
    """Play random games of GAME and print how they went and how fast, as JSON.

    Game number i is played from the seed plus i.
    """
    from tablier_cli.playouts import print_playouts

    print_playouts(game, options, seed, count)


@main.command()
@click.argument("game")
@click.option("--seat", type=click.IntRange(0), default=0, show_default=True, help="Yours.")
@click.option(
    "--level",
    type=LEVEL,
    help="How well the others play, from 1 to 10, the strongest.  [default: at random]",
)
@click.option("--seed", type=SEED, help="Of chance and of the other players.  [default: any]")
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
    """Play GAME in the terminal against the machine.

    How many play is an option of the game, as in `tablier play contract --level 5 -o seats=4`.
    """
    from tablier_cli.play import play_game

    play_game(game, options, seat, level, seed, server)


@main.command()
@advice_flags
@click.option(
    "--level", type=LEVEL, default=None, help="Advise as that level would play, slips included."
)
@click.option("--ms", type=click.IntRange(1), help="Think so long.  [default: 100]")
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
    """Rank the moves of the seat to move in STATE.

    STATE is the token of a state in base64, a file that holds one, - for standard input, or the
    name of a game, for its beginning. With --ms and --iterations, the first that is reached ends
    the search; with iterations alone, the same question has the same answer on every machine.

    The values are what each seat, from seat 0 on, may expect behind a move, from -1 (it loses) to
    +1 (it wins); the spread is how much the advised seat's result varies, the visits how often the
    search tried the move. "engine" is how much the game's own engine favours it.

    \b
    tablier suggest contigo-alignment --ms 1000
    tablier suggest game.token --seat 1 --iterations 20000 --json
    """
    from tablier_cli.advice import Question, print_suggestions

    question = Question(state, options, seat, ms or 0, iterations or 0, seed, top, match)
    print_suggestions(question, level or 0, server, as_json)


@main.command()
@advice_flags
@click.option("--ms", type=click.IntRange(1), help="Think so long.  [default: until Ctrl-C]")
@click.option(
    "--interval",
    type=click.IntRange(10),
    default=250,
    show_default=True,
    help="Milliseconds from one report to the next.",
)
@click.option("--json", "as_json", is_flag=True, help="Print a line of JSON for every report.")
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
    """Watch the ranking of moves in STATE get better.

    STATE is as in `tablier suggest`. Ctrl-C ends the search and leaves the last report; so does a
    service when its own limit is reached.

    \b
    tablier analyze contigo-alignment
    tablier analyze game.token --ms 10000 --interval 1000
    """
    from tablier_cli.advice import Question, watch_analysis

    question = Question(state, options, seat, ms or 0, iterations or 0, seed, top, match)
    watch_analysis(question, interval, server, as_json)


@main.command()
@click.argument("game")
@click.option(
    "--players",
    required=True,
    metavar="A,B[,..]",
    help="Who plays: a level from 1 to 10, best, random, or module:function; the last one named "
    "takes the seats that are left. `best@50ms` or `7@2000it` give a player a budget of its own.",
)
@click.option("--games", "count", type=click.IntRange(1), default=100, show_default=True)
@click.option("--ms", type=click.IntRange(1), help="Milliseconds a move.  [default: 100]")
@click.option("--iterations", type=click.IntRange(1), help="Iterations a move, instead of time.")
@click.option("--seed", type=SEED, default=0, show_default=True, help="Of the first deal.")
@click.option(
    "--fixed-seats", is_flag=True, help="Players keep their seats; else they rotate, deal by deal."
)
@click.option("--processes", type=click.IntRange(1), help="Games at a time.  [default: all cores]")
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
    """Let players play GAME against each other and print who is stronger.

    A share of wins counts a draw, or a win that is shared, by its share.
    """
    from tablier_cli.match import make_match, run_match
    from tablier_cli.matches.players import Budget
    from tablier_cli.matches.pools import cores

    if ms and iterations:
        raise click.UsageError("a budget is in --ms or in --iterations, not in both")
    budget = Budget(iterations=iterations) if iterations else Budget(milliseconds=ms or 100)
    asked = make_match(game, options, players, budget, seed, rotating=not fixed_seats)
    run_match(asked, count, processes or cores(), ray)
