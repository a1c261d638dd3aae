"""No caller can block the others, shown in one table: `make attacks`.

    make attacks ARGS="--rows half,watch --requests 2000"

Each row starts a service on a core of its own. Legitimate callers load it from another core, first
next to well-behaved neighbours and then during the attack. Required of every row: nearly all of
their requests succeed, their latency stays within a factor, and the workers stay small.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from functools import partial

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from bench.core import machine
from campaigns.attacks.measurement import WARM_UP, Result, measure
from campaigns.attacks.processes import CLIENTS
from campaigns.attacks.rows import ROWS
from campaigns.choice import chosen


def report(results: Sequence[Result], requests: int) -> Table:
    """What legitimate callers noticed, and what the attack cost."""
    table = Table("attack", title=f"{requests:,} requests of other callers; {machine()}")
    for title in (
        "succeeded",
        "p99, ms",
        "ratio",
        "advice, ms",
        "ratio",
        "service CPU, s",
        "worker MB: before, peak, after",
    ):
        table.add_column(title, justify="right")
    table.add_column("the attack")
    table.add_column("missed")
    for result in results:
        polite, attacked = result.polite, result.attacked
        table.add_row(
            result.row.name,
            f"{attacked.share:.2%}",
            f"{polite.p99 * 1e3:,.1f} → {attacked.p99 * 1e3:,.1f}",
            f"{result.ratio:.2f}",
            f"{polite.median_advice * 1e3:,.0f} → {attacked.median_advice * 1e3:,.0f}",
            f"{result.advice_ratio:.2f}",
            f"{result.cpu[0]:.1f} → {result.cpu[1]:.1f}",
            f"{result.before:.0f}, {result.peak:.0f}, {result.after:.0f}",
            result.own.figure,
            ", ".join(result.missed) or ("ok" if result.row.judged else "nothing required"),
        )
    return table


@click.command()
@click.option("--rows", help="Only rows whose names start with one of these, comma-separated.")
@click.option("--requests", default=10_000, show_default=True, help="Requests of other callers.")
def main(rows: str | None, requests: int) -> None:
    """Attack a service in every way, and exit with 1 if others noticed more than allowed."""
    wanted = chosen(ROWS, rows)
    # Attackers and clients on one core; services start on the other.
    os.sched_setaffinity(0, {CLIENTS})
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    console = Console(stderr=True)
    results, broken = [], []
    with Progress(*columns, TimeElapsedColumn(), console=console, transient=True) as progress:
        whole = progress.add_task("all rows", total=len(wanted))
        for row in wanted:
            task = progress.add_task(row.name, total=WARM_UP + 2 * requests)
            try:
                results.append(measure(row, requests, partial(progress.advance, task)))
            except (RuntimeError, OSError, AssertionError) as error:
                broken.append(row.name)
                console.print(f"{row.name} could not be measured: {error}")
            progress.remove_task(task)
            progress.advance(whole)
    out = Console(width=None if sys.stdout.isatty() else 220)
    out.print(report(results, requests))
    for result in results:
        for failure, count in result.attacked.failures.most_common(5):
            out.print(f"{result.row.name}: {count} times {failure}")
    sys.exit(bool(broken or any(result.missed for result in results)))


if __name__ == "__main__":
    main()
