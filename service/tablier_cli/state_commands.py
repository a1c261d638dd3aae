"""The commands that work on a state, which is a token, a record or a new game."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from pathlib import Path

import click

from tablier_cli.flags import (
    SEED,
    Command,
    Level,
    game_argument,
    language_flag,
    match_flag,
    option_flag,
    server_flags,
    state_argument,
)
from tablier_cli.server import Server

THEMES = ("light", "dark", "high-contrast")
FORMATS = ("svg", "png")

json_flag = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
seat_flag = click.option(
    "--seat",
    type=click.IntRange(-1),
    help="Seat whose view to draw; -1 is the referee, who sees everything.",
    show_default="the seat of a view token, or the referee",
)


@click.command()
@game_argument
@click.option("--seed", type=SEED, help="Seed of the game.", show_default="random")
@click.option("--record", "as_record", is_flag=True, help="Print a game record instead of a token.")
@json_flag
@match_flag
@server_flags
@option_flag
def start(
    game: str,
    seed: int | None,
    as_record: bool,
    as_json: bool,
    match: str,
    server: Server | None,
    options: Sequence[str],
) -> None:
    """Start GAME and print its token.

    The token is the whole state, as text. Other commands read it from a pipe, a file or their
    argument. With --record, the game is printed as a record, to which `apply` adds moves.

    \b
    tablier start contigo-alignment --seed 2 | tablier apply a6-a4 | tablier show
    tablier start contract --record > game.txt
    """
    from tablier_cli.tokens import print_start

    chosen = secrets.randbits(32) if seed is None else seed
    print_start(game, options, chosen, match, server, as_record, as_json)


@click.command()
@state_argument
@click.option(
    "--seat", type=click.IntRange(-1), help="Seat whose moves to list.", show_default="all to move"
)
@json_flag
@language_flag
@match_flag
@server_flags
def moves(
    state: str, seat: int | None, as_json: bool, language: str, match: str, server: Server | None
) -> None:
    """List the legal moves in STATE, with what they do in words.

    STATE is a token, a file with a token or a record, - for standard input (the default), or the
    name of a game for its start. In a pipe, each line has a move, its seat and its words, separated
    by tabs.

    \b
    tablier start contract --seed 7 | tablier moves
    """
    from tablier_cli.states import Source
    from tablier_cli.tokens import print_moves

    print_moves(Source(state, match=match), seat, server, language, as_json)


@click.command()
@click.argument("text")
@click.option(
    "--state",
    default="-",
    help="Token, file with a token or a record, or name of a game.",
    show_default="standard input",
)
@click.option(
    "--seat", type=click.IntRange(-1), help="Seat that moves.", show_default="the only one to move"
)
@json_flag
@language_flag
@match_flag
@server_flags
def interpret(
    text: str,
    state: str,
    seat: int | None,
    as_json: bool,
    language: str,
    match: str,
    server: Server | None,
) -> None:
    """Read TEXT as a move and print its notation.

    TEXT can be a notation in any case and spacing, a move in words, its number in `tablier moves`
    from 1, or JSON, with labels and Markdown around it. If it is not exactly one legal move, the
    command explains why, lists candidates and exits with status 1.

    \b
    tablier interpret 'My move: **A6 to A4**' --state game.token
    """
    from tablier_cli.states import Source
    from tablier_cli.tokens import print_interpretation

    print_interpretation(Source(state, match=match), text, seat, server, language, as_json)


@click.command()
@click.argument("moves", nargs=-1, required=True, metavar="MOVE...")
@click.option(
    "--state",
    default="-",
    help="Token, file with a token or a record, or name of a game.",
    show_default="standard input",
)
@click.option(
    "--seat", type=click.IntRange(-1), help="Seat that moves.", show_default="the only one to move"
)
@click.option(
    "--viewer",
    type=click.IntRange(-1),
    help="Seat that the words are for, which say only what it saw; -1 is the referee.",
    show_default="the seat that moves first",
)
@json_flag
@language_flag
@match_flag
@server_flags
def apply(
    moves: Sequence[str],
    state: str,
    seat: int | None,
    viewer: int | None,
    as_json: bool,
    language: str,
    match: str,
    server: Server | None,
) -> None:
    """Make one or more moves and print the token after them.

    If the state comes from a record, the record is printed with the new moves. A move can name its
    seat, which is necessary if several seats are to move: '1: red'.

    \b
    tablier apply a6-a4 13+1.1 --state game.token
    tablier apply a6-a4 < game.token > next.token
    tablier apply '0: red' '1: small' --state contrast.token
    """
    from tablier_cli.states import Source
    from tablier_cli.tokens import print_applied

    print_applied(Source(state, match=match), moves, seat, viewer, server, language, as_json)


@click.command()
@state_argument
@seat_flag
@json_flag
@language_flag
@match_flag
@server_flags
def show(
    state: str, seat: int | None, as_json: bool, language: str, match: str, server: Server | None
) -> None:
    """Draw STATE as text.

    STATE is as in `tablier moves`. With --json, the view is printed as in the protocol; for a seat,
    with its view token.

    \b
    tablier show game.token
    tablier start contrast --seed 7 | tablier show --seat 1
    """
    from tablier_cli.states import Source
    from tablier_cli.tokens import print_state

    print_state(Source(state, match=match), seat, server, language, as_json)


@click.command()
@state_argument
@seat_flag
@click.option(
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    help="File to write.",
    show_default="standard output",
)
@click.option(
    "--format",
    "kind",
    type=click.Choice(FORMATS),
    help="Format of the picture. PNG needs tablier[png].",
    show_default="that of the name of the file, or svg",
)
@click.option(
    "--theme", type=click.Choice(THEMES), default="light", show_default=True, help="Colours."
)
@click.option(
    "--width", type=click.IntRange(100, 4000), help="Width in pixels.", show_default="natural size"
)
@click.option(
    "--bottom", type=click.IntRange(0), help="Seat at the bottom of a board with directions."
)
@click.option("--mark-starts", is_flag=True, help="Mark the parts where legal moves start.")
@click.option("--last", multiple=True, metavar="PART", help="Part of the last move; repeatable.")
@click.option("--mark", multiple=True, metavar="PART", help="Part to mark; repeatable.")
@click.option("--arrow", multiple=True, metavar="FROM>TO", help="Arrow to draw; repeatable.")
@language_flag
@match_flag
@server_flags
def render(
    state: str,
    seat: int | None,
    output: Path | None,
    kind: str | None,
    theme: str,
    width: int | None,
    bottom: int | None,
    mark_starts: bool,
    last: Sequence[str],
    mark: Sequence[str],
    arrow: Sequence[str],
    language: str,
    match: str,
    server: Server | None,
) -> None:
    """Draw STATE as a picture.

    STATE is as in `tablier moves`. Parts have names such as a6 or pit-13; they are in the SVG as
    `data-part`.

    \b
    tablier render game.token --output game.svg
    tablier start contract --seed 7 | tablier render --seat 0 --theme dark > contract.svg
    tablier render contigo-alignment --mark a6 --arrow 'a6>a4' > first.svg
    """
    from tablier_cli.calls import Look
    from tablier_cli.states import Source
    from tablier_cli.tokens import write_picture

    if kind is None:
        kind = "png" if output is not None and output.suffix.lower() == ".png" else "svg"
    look = Look(language, theme, width or 0, bottom, mark_starts, last, mark, arrow)
    write_picture(Source(state, match=match), seat, server, kind, look, output)


# ---- Advice --------------------------------------------------------------------------------------


def advice_flags(command: Command) -> Command:
    """Add the arguments that `suggest` and `analyze` share."""
    for flag in reversed(
        (
            state_argument,
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
            match_flag,
            server_flags,
            option_flag,
        )
    ):
        command = flag(command)
    return command


@click.command()
@advice_flags
@click.option("--level", type=Level(), help="Suggest what this level would play, errors included.")
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
    server: Server | None,
    options: Sequence[str],
    as_json: bool,
) -> None:
    """Rank the moves in STATE.

    STATE is a token, a file with a token or a record, - for standard input (the default), or the
    name of a game for its start. With both --ms and --iterations, the search ends at the limit it
    reaches first. With --iterations alone, the answer is the same on every machine.

    For each move, the table shows the expected result of every seat, from -1 (loss) to +1 (win),
    starting with seat 0; the spread of the advised seat's result; how often the search visited the
    move; the weight that the game's own engine gives it, if there is one; and the expected line.

    \b
    tablier suggest contigo-alignment --ms 1000
    tablier suggest game.token --seat 1 --iterations 20000 --json
    """
    from tablier_cli.advice import Question, print_suggestions
    from tablier_cli.states import Source

    question = Question(
        Source(state, options, seed, match), seat, ms or 0, iterations or 0, seed, top
    )
    print_suggestions(question, level or 0, server, as_json)


@click.command()
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
    server: Server | None,
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
    from tablier_cli.states import Source

    question = Question(
        Source(state, options, seed, match), seat, ms or 0, iterations or 0, seed, top
    )
    watch_analysis(question, interval, server, as_json)
