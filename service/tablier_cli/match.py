"""`tablier match`: play a match with a progress bar and print the standings."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table
from tablier_core.drawing import counted

from tablier_cli.arguments import find_game, parse_options
from tablier_cli.matches.games import BadMove, GameResult, Match, fill_seats, seats_of
from tablier_cli.matches.players import Budget, find_player
from tablier_cli.matches.pools import play_here, play_on_ray
from tablier_cli.matches.ratings import Standing, standings


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
    results = play_on_ray(match, games, ray) if ray else play_here(match, games, processes)
    try:
        played = list(watch(results, match.game, games))
    except (BadMove, RuntimeError) as error:
        raise click.ClickException(str(error)) from None
    print_standings(standings(match.players, played), find_game(match.game).title, games)


def watch(results: Iterator[GameResult], name: str, games: int) -> Iterator[GameResult]:
    """Yield the results while a progress bar counts them."""
    console = Console(stderr=True)
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
    )
    with Progress(
        *columns, console=console, transient=True, disable=not console.is_terminal
    ) as bar:
        task = bar.add_task(name, total=games)
        for result in results:
            bar.advance(task)
            yield result


def print_standings(found: Sequence[Standing], title: str, games: int) -> None:
    """Print a table of standings."""
    table = Table(title=f"{title}, {counted(games, 'game')}")
    for heading in ("player", "seats played", "wins", "95% interval", "Elo", "ms per move"):
        table.add_column(heading, justify="left" if heading == "player" else "right")
    for standing in found:
        table.add_row(
            standing.name,
            str(standing.games),
            f"{100 * standing.wins:.1f}%",
            f"{100 * standing.low:.1f}-{100 * standing.high:.1f}%",
            rating(standing),
            f"{standing.milliseconds:.1f}",
        )
    Console().print(table)


def rating(standing: Standing) -> str:
    """Elo points and their error, which is unknown if all games had the same result."""
    error = f" ± {standing.elo_error:.0f}" if standing.elo_error else ""
    return f"{standing.elo:+.0f}{error}"
