"""`tablier playouts`: play random games and summarise them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from time import perf_counter
from typing import Any

import click
from rich.console import Console
from rich.progress import Progress
from tablier_core.options import Value
from tablier_core.position import Game
from tablier_core.testing.playouts import playouts

from tablier_cli.arguments import find_game, parse_options

# Target duration of a chunk of games: short enough for a smooth progress bar and for Ctrl-C.
CHUNK_SECONDS = 0.2


def print_playouts(name: str, pairs: Sequence[str], seed: int, games: int) -> None:
    """Play random games and print their totals as a JSON object."""
    game = find_game(name)
    options = parse_options(game, pairs)
    console = Console(stderr=True)
    totals: dict[str, Any] = {}
    with Progress(console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task(name, total=games)
        for chunk in play_in_chunks(game, options, seed, games):
            totals = add_tallies(totals, chunk) if totals else chunk
            progress.advance(task, chunk["games"])
    seconds, moves = totals["seconds"], totals["moves"]
    report = {
        "game": name,
        "options": options,
        "seed": seed,
        "games": games,
        "moves": moves,
        "seconds": round(seconds, 6),
        "games_per_second": round(games / seconds, 1),
        "moves_per_second": round(moves / seconds, 1),
        "mean_length": moves / games,
        # One of these four for each game.
        "wins": totals["wins"],
        "draws": totals["draws"],
        "losses": totals["losses"],
        "unfinished": totals["unfinished"],
        "wins_by_seat": totals["wins_by_seat"],
        "mean_returns": [total / games for total in totals["returns"]],
    }
    click.echo(json.dumps(report, indent=2))


def play_in_chunks(
    game: Game, options: dict[str, Value], seed: int, games: int
) -> Iterator[dict[str, Any]]:
    """Play the games in chunks and yield each chunk's tally and duration.

    Every game has its own seed, so the size of the chunks does not affect the results.
    """
    done, size = 0, 1
    while done < games:
        size = min(size, games - done)
        begun = perf_counter()
        tally = playouts(game, options, (seed + done) % 2**64, size)
        seconds = perf_counter() - begun
        yield {**tally, "seconds": seconds}
        done += size
        if seconds < CHUNK_SECONDS / 2:
            size *= 2


def add_tallies(left: dict[str, Any], right: dict[str, Any]) -> dict[str, Any]:
    """Add two tallies of the same game; lists are added seat by seat."""
    return {
        key: [a + b for a, b in zip(value, right[key], strict=True)]
        if isinstance(value, list)
        else value + right[key]
        for key, value in left.items()
    }
