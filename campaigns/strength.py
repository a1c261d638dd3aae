"""The advice is strong enough, shown in one table: `make strength`.

    make strength ARGS="--rows contract,tactics --games 40"

A row is a match with rotating seats and deals from one seed, and measures the share of games won;
or it compares two such matches; or it measures solved tactical problems or times. Every figure has
its 95% interval. A row is BELOW if the whole interval is below the requirement, and unsure if only
the figure is: more games would decide.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import astuple
from functools import partial

import click
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.table import Table
from tablier_cli.matches.pools import cores

from bench.record import machine
from campaigns.choice import chosen
from campaigns.strength_rows import Figure, Plan, Row, all_rows


def fill(rows: Sequence[Row], plan: Plan, size: int | None) -> Iterator[tuple[Row, int, Figure]]:
    """Measure rows one by one, with a progress bar."""
    console = Console(stderr=True)
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.completed:.0f}/{task.total:.0f}"),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console, transient=True) as progress:
        whole = progress.add_task("all rows", total=len(rows))
        for row in rows:
            count = size or row.size
            task = progress.add_task(row.name, total=count)
            figure = row.measure(plan, count, partial(progress.advance, task))
            progress.remove_task(task)
            progress.advance(whole)
            if not console.is_terminal:
                console.print(f"{row.name}: {figure.measured} ({figure.interval}) {figure.verdict}")
            yield row, count, figure


@click.command()
@click.option("--rows", metavar="A,B,..", help="Prefixes of the rows to measure.  [default: all]")
@click.option("--games", type=click.IntRange(2), help="Games, questions or calls per row.")
@click.option(
    "--ms", type=click.IntRange(1), default=100, show_default=True, help="Milliseconds per move."
)
@click.option("--seed", type=int, default=1, show_default=True, help="Seed of the first deal.")
@click.option("--processes", type=click.IntRange(1), help="Parallel games.  [default: all cores]")
@click.option("--list", "listed", is_flag=True, help="Print the names of the rows and exit.")
def main(
    rows: str | None, games: int | None, ms: int, seed: int, processes: int | None, listed: bool
) -> None:
    """Measure the strength of the advice and compare it with what is required."""
    wanted = chosen(all_rows(), rows)
    if listed:
        click.echo("\n".join(row.name for row in wanted))
        return
    table = Table(title=f"Strength of the advice, {ms} ms per move\n{machine()}")
    for title in ("row", "game", "against", "n", "required", "measured", "95% interval", ""):
        table.add_column(title, justify="left" if title in ("row", "game", "against") else "right")
    kept = True
    try:
        for row, count, figure in fill(wanted, Plan(ms, processes or cores(), seed), games):
            kept &= figure.verdict in ("ok", "unsure")
            cells = (row.name, row.what, row.against, str(count), row.required)
            table.add_row(*cells, *astuple(figure))
    finally:
        # Also after Ctrl-C: print the rows measured so far.
        Console(width=None if sys.stdout.isatty() else 180).print(table)
    sys.exit(0 if kept else 1)


if __name__ == "__main__":
    main()
