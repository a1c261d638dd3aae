"""`tablier perft`: count move sequences, depth by depth."""

from __future__ import annotations

from collections.abc import Sequence
from time import perf_counter

import click
from rich.console import Console
from rich.progress import track
from tablier_core.position import Position
from tablier_core.testing.perft import perft

from tablier_cli.arguments import find_game, parse_options


def print_counts(name: str, pairs: Sequence[str], seed: int, depth: int) -> None:
    """Print one line per depth: depth, sequences, seconds."""
    game = find_game(name)
    start = game.start(parse_options(game, pairs), seed)
    for moves in range(1, depth + 1):
        begun = perf_counter()
        nodes = count_sequences(start, moves)
        click.echo(f"{moves}\t{nodes}\t{perf_counter() - begun:.6f}")


def count_sequences(start: Position, depth: int) -> int:
    """Count sequences of `depth` moves, one first move at a time to show progress."""
    if depth == 1:
        return perft(start, 1)
    console = Console(stderr=True)
    firsts = [(seat, move) for seat in start.actors for move in start.moves(seat)]
    return sum(
        perft(start.apply(seat, move), depth - 1)
        for seat, move in track(
            firsts,
            f"depth {depth}",
            console=console,
            transient=True,
            disable=not console.is_terminal,
        )
    )
