"""The advice is strong enough, shown in one table: `make strength`.

    make strength ARGS="--rows contract,tactics --games 40"
    make strength ARGS="--minutes 0 --write"              # the full table, into docs/strength.md

A row is a match with rotating seats and deals from one seed, and measures the share of games won;
or it compares two such matches; or it measures solved tactical problems or times. Every figure has
its 95% interval. A row is BELOW if the whole interval is below the requirement, and unsure if only
the figure is: more games would decide.

Games are kept in build/strength, and a run goes on from them. All rows grow together, in rounds of
twice as many games, until the minutes are over.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import astuple
from functools import partial
from time import monotonic

import click
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.table import Table
from tablier_cli.matches.pools import cores

from bench.record import machine
from campaigns.choice import chosen
from campaigns.kept import BUILD, ENGINE, OPPONENTS, Kept, Workers, fingerprint
from campaigns.page import markdown, measured_by, put
from campaigns.strength_rows import NOT_MEASURED, Figure, Plan, Row, all_rows
from campaigns.strength_targets import step_rows, target_rows

TITLES = ("row", "game", "against", "n", "required", "measured", "95% interval", "")
# The first round plays this share of the games of every row; each further one doubles it.
ROUNDS = (1 / 16, 1 / 8, 1 / 4, 1 / 2, 1)
# The fewest games of a row in a round.
FEWEST = 8
COMMAND = "make strength"


def fill(rows: Sequence[Row], plan: Plan, size: int | None) -> Iterator[tuple[Row, int, Figure]]:
    """Measure rows one by one, with a progress bar, again and again with more games."""
    console = Console(stderr=True)
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.completed:.0f}/{task.total:.0f}"),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console, transient=True) as progress:
        for part in (1,) if size else ROUNDS:
            whole = progress.add_task(f"all rows, {part:.0%} of the games", total=len(rows))
            for row in rows:
                progress.advance(whole)
                # Rows whose games are kept show these, also when the time is over.
                due = part in (ROUNDS[0], 1) and plan.go_on()
                if not row.resumable and not due:
                    continue
                count = size or min(row.size, max(FEWEST, round(part * row.size)))
                task = progress.add_task(row.name, total=count)
                figure = row.measure(plan, count, partial(progress.advance, task))
                played = int(progress.tasks[progress.task_ids.index(task)].completed)
                progress.remove_task(task)
                if not console.is_terminal:
                    shown = f"{figure.measured} ({figure.interval}) {figure.verdict}"
                    console.print(f"{row.name}, {played}: {shown}")
                yield row, played, figure
            progress.remove_task(whole)


@click.command()
@click.option("--rows", metavar="A,B,..", help="Prefixes of the rows to measure.  [default: all]")
@click.option("--games", type=click.IntRange(2), help="Games, questions or calls per row.")
@click.option(
    "--ms", type=click.IntRange(1), default=100, show_default=True, help="Milliseconds per move."
)
@click.option("--seed", type=int, default=1, show_default=True, help="Seed of the first deal.")
@click.option("--processes", type=click.IntRange(1), help="Parallel games.  [default: all cores]")
@click.option(
    "--minutes",
    type=float,
    default=25,
    show_default=True,
    help="Then begin no game; 0: no end.",
)
@click.option("--write", is_flag=True, help="Put the table into docs/strength.md.")
@click.option("--list", "listed", is_flag=True, help="Print the names of the rows and exit.")
def main(
    rows: str | None,
    games: int | None,
    ms: int,
    seed: int,
    processes: int | None,
    minutes: float,
    write: bool,
    listed: bool,
) -> None:
    """Measure the strength of the advice and compare it with what is required."""
    wanted = chosen([*target_rows(), *all_rows(), *step_rows()], rows)
    if listed:
        click.echo("\n".join(row.name for row in wanted))
        return
    end = monotonic() + 60 * minutes if minutes else float("inf")
    kept = Kept(BUILD / "strength" / "games.jsonl", fingerprint(*ENGINE, *OPPONENTS))
    found = {row.name: (row, 0, NOT_MEASURED) for row in wanted}
    try:
        with Workers(processes or cores()) as workers:
            plan = Plan(ms, workers, seed, kept, lambda: monotonic() < end)
            for row, count, figure in fill(wanted, plan, games):
                found[row.name] = (row, count, figure)
    finally:
        # Also after Ctrl-C: print the rows measured so far.
        table = [
            (row.name, row.what, row.against, str(count), row.required, *astuple(figure))
            for row, count, figure in found.values()
        ]
        show(table, ms)
        if write:
            options = f"--minutes {minutes:g} --ms {ms}"
            put("strength", f"{markdown(TITLES, table)}\n\n" + measured_by(f"{COMMAND} {options}"))
    bad = [name for name, (_, _, figure) in found.items() if figure.verdict in ("BELOW", "ABOVE")]
    sys.exit(1 if bad else 0)


def show(rows: Sequence[Sequence[str]], ms: int) -> None:
    """Print the table."""
    table = Table(title=f"Strength of the advice, {ms} ms per move\n{machine()}")
    for title in TITLES:
        table.add_column(title, justify="left" if title in ("row", "game", "against") else "right")
    for row in rows:
        table.add_row(*row)
    Console(width=None if sys.stdout.isatty() else 180).print(table)


if __name__ == "__main__":
    main()
