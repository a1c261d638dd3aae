"""`tablier match`: play a match with a progress bar and print the standings."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import click
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from tablier_core.drawing import counted

from tablier_cli.arguments import find_game, parse_options
from tablier_cli.matches.games import BadMove, GameResult, Match, fill_seats, seats_of
from tablier_cli.matches.players import Budget, find_player
from tablier_cli.matches.pools import Report, play_here, play_on_ray
from tablier_cli.matches.ratings import Standing, standings
from tablier_cli.terminal import make_table, open_console


def make_match(
    name: str, pairs: Sequence[str], players: str, budget: Budget, seed: int, rotating: bool
) -> Match:
    """Build a match from command-line arguments; raises click.BadParameter."""
    game = find_game(name)
    options = parse_options(game, pairs)
    try:
        names = fill_seats([part.strip() for part in players.split(",")], seats_of(name, options))
        for player in names:
            find_player(player, budget)
    except ValueError as error:
        raise click.BadParameter(str(error), param_hint="--players") from None
    return Match(name, options, names, budget, seed, rotating)


def run_match(match: Match, games: int, processes: int, ray: str | None) -> None:
    """Play a match and print its standings."""

    def begin(report: Report) -> Iterator[GameResult]:
        if ray:
            return play_on_ray(match, games, ray, report)
        return play_here(match, games, processes, report)

    try:
        played = list(watch(begin, games))
    except (BadMove, RuntimeError) as error:
        raise click.ClickException(str(error)) from None
    print_standings(standings(match.players, played), find_game(match.game).title, games)


def watch(begin: Callable[[Report], Iterator[GameResult]], games: int) -> Iterator[GameResult]:
    """Begin a match and yield its results, while a progress bar counts games and moves."""
    out = open_console(stderr=True)
    columns = (
        BarColumn(bar_width=None),
        MofNCompleteColumn(),
        TextColumn("{task.fields[moves]}"),
        TimeElapsedColumn(),
    )
    with Progress(
        *columns, console=out, transient=True, expand=True, disable=not out.is_terminal
    ) as bar:
        task = bar.add_task("", total=games, moves=counted(0, "move"))
        for result in begin(lambda moves: bar.update(task, moves=counted(moves, "move", ","))):
            bar.advance(task)
            yield result


def print_standings(found: Sequence[Standing], title: str, games: int) -> None:
    """Print a table of standings."""
    headings = ("player", "seats played", "wins", "95% interval", "Elo", "ms per move")
    rows = [
        (
            standing.name,
            str(standing.games),
            f"{100 * standing.wins:.1f}%",
            f"{100 * standing.low:.1f}-{100 * standing.high:.1f}%",
            rating(standing),
            f"{standing.milliseconds:.1f}",
        )
        for standing in found
    ]
    out = open_console()
    title = f"{title}, {counted(games, 'game')}"
    out.print(make_table(out.width, headings, rows, title=title, right=headings[1:]))


def rating(standing: Standing) -> str:
    """Elo points and their error, which is unknown if all games had the same result."""
    error = f" ± {standing.elo_error:.0f}" if standing.elo_error else ""
    return f"{standing.elo:+.0f}{error}"
