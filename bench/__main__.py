"""Run every benchmark; the exit status says whether all required ratios were reached.

At the end, one table has the rows of all benchmarks, and compares them with those of
bench/results.json; build/bench/results.json has the raw samples. `--write` replaces the former. The
memory of a worker needs ten minutes of load, so `make bench-memory` measures it separately.
"""

from __future__ import annotations

import sys

import click
from rich.console import Console

from bench import (
    bots,
    core,
    lanes,
    latency,
    learning,
    record,
    search,
    secured,
    states,
    telling,
    transports,
    workers,
)

BENCHMARKS = {
    "core": core,
    "learning": learning,
    "states": states,
    "telling": telling,
    "search": search,
    "transports": transports,
    "secured": secured,
    "bots": bots,
    "lanes": lanes,
    "latency": latency,
    "workers": workers,
}


@click.command()
@click.argument("names", nargs=-1, type=click.Choice(list(BENCHMARKS)))
@click.option("--write", is_flag=True, help="Commit these results: put them in bench/results.json.")
def main(names: tuple[str, ...], write: bool) -> None:
    """Run all benchmarks, or those with these NAMES; 1 if a required ratio was not reached.

    A regression alone is reported, but does not fail: another machine may be slower in its own way.
    """
    # Benchmarks read their own arguments.
    sys.argv = sys.argv[:1]
    about = record.facts()
    status = max(BENCHMARKS[name].main() for name in names or BENCHMARKS)
    title = "\n".join(f"{name}: {text}" for name, text in about.items())
    table, worse = record.table(record.RECORDED, record.read(record.FILE), title)
    console = Console(width=None if sys.stdout.isatty() else 190)
    console.print(table)
    for row in worse:
        console.print(f"worse than committed: {row}")
    record.write(record.RECORDED, about, record.LATEST)
    if write:
        kept = {row.key: row for row in record.read(record.FILE)}
        rows = [*{**kept, **{row.key: row for row in record.RECORDED}}.values()]
        record.write(rows, about, record.FILE)
    sys.exit(status)


if __name__ == "__main__":
    main()
