"""Parts of a service fail under load, shown in one table: `make faults`.

    make faults ROW=kill
    make faults REPEATS=10

Each row runs two services of two workers, and callers with and without retries whose answers are
checked. Then its fault happens once, or REPEATS times, at least ten seconds apart. Results are kept
in build/faults, so that a campaign that was interrupted goes on.
"""

from __future__ import annotations

import asyncio
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic

import click
import uvloop
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from bench.record import machine
from campaigns.attacks.results import revision
from campaigns.choice import chosen
from campaigns.faults.ground import Ground, ground
from campaigns.faults.load import RATE, Load
from campaigns.faults.questions import Questions
from campaigns.faults.results import FOLDER, RETRYING, Window, WindowFiles, judge
from campaigns.faults.rows import RECOVERY_SECONDS, ROWS, SHARE, Row

REQUIRED = (
    "required of every row: no wrong answer, no failed call with retries, every failure has a "
    f"status to act on, none comes later than {RECOVERY_SECONDS:g} s after the fault; without "
    f"retries, at most {SHARE:.1%} fail when a process is killed, and none when a service pauses, "
    "restarts, reloads or gets new keys or certificates"
)
# Calls before the first fault.
WARM_UP_SECONDS = 1.0


async def measure(row: Row, place: Ground, load: Load, number: int) -> Window:
    """Bring about the fault once; returns what was noticed in its window."""
    load.window()
    begun = monotonic()
    figure = broken = ""
    try:
        figure = await row.fault(place, number)
    except AssertionError as error:
        broken = str(error)
    ended = monotonic()
    await asyncio.sleep(max(begun + row.seconds, ended + 1) - monotonic())
    tallies = load.window()
    while any(tally.under_way for tally in tallies.values()):
        await asyncio.sleep(0.05)
    return judge(row, tallies, ended, figure, broken)


async def run(
    row: Row, files: WindowFiles, repeats: int, rate: int, progress: Progress
) -> list[Window]:
    """Measure what is missing of a row; returns all windows."""
    windows = files.find(row.name)
    task = progress.add_task(row.name, total=repeats, completed=len(windows))
    if len(windows) < repeats:
        with TemporaryDirectory() as folder, ground(row.setup, Path(folder), row.proxy) as place:
            async with Load(place.reach, Questions(row.setup.keys), rate) as load:
                await asyncio.sleep(WARM_UP_SECONDS)
                while len(windows) < repeats:
                    windows.append(await measure(row, place, load, len(windows)))
                    files.keep(row.name, windows)
                    progress.advance(task)
    progress.remove_task(task)
    return windows


def report(results: Sequence[tuple[Row, list[Window]]]) -> Table:
    """What callers noticed of every fault."""
    table = Table("fault", title=machine(), show_lines=True)
    for title in ("times", "calls without retries", "failed", "calls with retries", "failed"):
        table.add_column(title, justify="right")
    table.add_column("last failure, s", justify="right")
    for title in ("the fault", "missed"):
        table.add_column(title)
    for row, windows in results:
        counts: Counter[bool] = Counter()
        failures: dict[bool, Counter[str]] = {True: Counter(), False: Counter()}
        for window in windows:
            for kind, calls in window.calls.items():
                counts[kind == RETRYING] += calls
                failures[kind == RETRYING].update(window.failed[kind])
        missed = Counter(words for window in windows for words in window.missed)
        table.add_row(
            row.name,
            str(len(windows)),
            f"{counts[False]:,}",
            in_words(failures[False]),
            f"{counts[True]:,}",
            in_words(failures[True]),
            f"{max((window.recovered for window in windows), default=0):.1f}",
            windows[-1].figure if windows else "",
            ", ".join(f"{words} ({count}x)" for words, count in missed.items()) or "nothing",
        )
    return table


def in_words(failures: Counter[str]) -> str:
    """How many calls failed, and how."""
    kinds = ", ".join(f"{count:,} {kind}" for kind, count in failures.most_common())
    return kinds or "0"


@click.command()
@click.option(
    "--rows",
    help="Only these rows, comma-separated; a part of a name selects all that start with it.",
)
@click.option("--repeats", default=1, show_default=True, help="How often each fault happens.")
@click.option("--rate", default=RATE, show_default=True, help="Calls per second of each kind.")
def main(rows: str | None, repeats: int, rate: int) -> None:
    """Let parts of a service fail under load, and exit with 1 if callers noticed too much."""
    wanted = chosen(ROWS, rows)
    files = WindowFiles(FOLDER, revision(), rate)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    console = Console(stderr=True)
    results: list[tuple[Row, list[Window]]] = []
    broken = []
    with Progress(*columns, TimeElapsedColumn(), console=console, transient=True) as progress:
        whole = progress.add_task("all rows", total=len(wanted))
        for row in wanted:
            try:
                results.append((row, uvloop.run(run(row, files, repeats, rate, progress))))
            except (RuntimeError, OSError, AssertionError) as error:
                broken.append(row.name)
                console.print(f"{row.name} could not be measured: {type(error).__name__} {error}")
            progress.advance(whole)
    out = Console(width=None if sys.stdout.isatty() else 200)
    out.print(REQUIRED)
    out.print(report(results))
    missed = any(window.missed for _, windows in results for window in windows)
    sys.exit(bool(broken or missed))


if __name__ == "__main__":
    main()
