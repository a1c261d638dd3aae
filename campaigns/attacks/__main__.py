"""No caller can block the others, shown in one table: `make attacks`.

    make attacks ROW=half-open
    make attacks ARGS="--rows half,watch --requests 2000"
    make attacks ARGS=--write

Each row starts a service on a core of its own. Legitimate callers load it from another core, first
next to well-behaved neighbours and then during the attack. Each row is judged by itself. Its result
is kept in build/attacks, so that a run that was interrupted goes on with the next row.
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

from bench.record import machine, put_on_page
from campaigns.attacks.measurement import WARM_UP, measure
from campaigns.attacks.processes import CLIENTS
from campaigns.attacks.protocol_rows import PROTOCOL_ROWS
from campaigns.attacks.results import (
    FOLDER,
    REQUESTS,
    REQUIRED,
    Result,
    ResultFiles,
    figures_before,
    how_before,
    ratio,
    revision,
)
from campaigns.attacks.rows import ROWS
from campaigns.choice import chosen


def report(results: Sequence[Result]) -> Table:
    """What legitimate callers noticed and what the attack cost: before and after the limits."""
    table = Table("attack", title=machine(), show_lines=True)
    for title in (
        "succeeded",
        "p99, ms",
        "ratio",
        "p99 of all, ms",
        "ratio",
        "service CPU, s",
        "worker MB: before, peak, after",
    ):
        table.add_column(title, justify="right")
    for title in ("the attack", "required of it", "missed"):
        table.add_column(title)
    before = figures_before()
    for result in results:
        old = before.get(result.row)
        if old is not None:
            known = "share" in old
            table.add_row(
                f"{result.row}, before",
                f"{old['share']:.2%}" if known else "",
                milliseconds(old["p99"]) if known else "",
                f"{ratio(old['p99']):.2f}" if known else "",
                *("", "", ""),
                ", ".join(map(str, old["megabytes"])) if known else "",
                old["figure"],
                style="dim",
            )
        table.add_row(
            result.row,
            f"{result.share:.2%}",
            milliseconds(result.p99),
            f"{ratio(result.p99):.2f}",
            milliseconds(result.p99_of_all),
            f"{ratio(result.p99_of_all):.2f}",
            "{:.1f} → {:.1f}".format(*result.cpu),
            ", ".join(f"{size:.0f}" for size in result.megabytes),
            result.figure,
            result.required or "—",
            f"waived: {result.waived}" if result.waived else ", ".join(result.missed) or "nothing",
        )
    return table


def milliseconds(pair: tuple[float, float]) -> str:
    """Latencies next to neighbours and during the attack."""
    return f"{pair[0] * 1e3:,.1f} → {pair[1] * 1e3:,.1f}"


def on_page(results: Sequence[Result]) -> str:
    """The table of docs/operations.md: the service before it had limits per caller, and now."""
    requests = min((result.requests for result in results), default=0)
    measured = (
        f"Measured by `make attacks` on {machine()}, with {requests:,} requests of other callers "
        f"during each attack, and as many next to well-behaved neighbours. Before: {how_before()}"
    )
    head = (
        "| attack | succeeded | p99, to that next to neighbours | most memory of a worker, MB | "
        "what the attack held, sent or obtained |"
    )
    lines = [measured, "", head, "|---|---:|---:|---:|---|"]
    before = figures_before()
    for result in results:
        now = (f"{result.share:.2%}", f"{ratio(result.p99):.2f}x", f"{result.megabytes[1]:.0f}")
        old = before.get(result.row)
        cells: tuple[str, ...] = now
        if old is not None and "share" in old:
            known = (f"{old['share']:.2%}", f"{ratio(old['p99']):.2f}x", f"{old['megabytes'][1]}")
            cells = tuple(f"{then} → {here}" for then, here in zip(known, now, strict=True))
        figure = result.figure if old is None else f"{old['figure']} → {result.figure}"
        lines.append(f"| `{result.row}` | {' | '.join(cells)} | {figure} |")
    return "\n".join(lines) + "\n"


@click.command()
@click.option(
    "--rows",
    help="Only these rows, comma-separated; a part of a name selects all that start with it.",
)
@click.option("--requests", default=REQUESTS, show_default=True, help="Requests of other callers.")
@click.option("--again", is_flag=True, help="Measure all rows, even those that have a result.")
@click.option("--write", is_flag=True, help="Put the table into docs/operations.md.")
def main(rows: str | None, requests: int, *, again: bool, write: bool) -> None:
    """Attack a service in every way, and exit with 1 if others noticed more than allowed."""
    wanted = chosen((*ROWS, *PROTOCOL_ROWS), rows)
    files = ResultFiles(FOLDER, revision(), requests)
    # Attackers and clients on one core; services start on the other.
    os.sched_setaffinity(0, {CLIENTS})
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    console = Console(stderr=True)
    results, broken = [], []
    with Progress(*columns, TimeElapsedColumn(), console=console, transient=True) as progress:
        whole = progress.add_task("all rows", total=len(wanted))
        for row in wanted:
            task = progress.add_task(row.name, total=WARM_UP + 2 * requests)
            result = None if again else files.find(row.name)
            if result is None:
                try:
                    result = measure(row, requests, partial(progress.advance, task))
                    files.keep(result)
                except (RuntimeError, OSError, AssertionError) as error:
                    broken.append(row.name)
                    console.print(f"{row.name} could not be measured: {error}")
            if result is not None:
                results.append(result)
            progress.remove_task(task)
            progress.advance(whole)
    out = Console(width=None if sys.stdout.isatty() else 220)
    out.print(REQUIRED)
    out.print(report(results))
    for result in results:
        for failure, count in result.failures.items():
            out.print(f"{result.row}: {count} times {failure}")
    if write:
        put_on_page("attacks", on_page(results))
    sys.exit(bool(broken or any(result.missed for result in results)))


if __name__ == "__main__":
    main()
