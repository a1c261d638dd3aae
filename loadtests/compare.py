"""Two runs side by side: `make load-compare A=build/load/a.json B=build/load/b.json`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import fmean
from typing import NamedTuple

import click
from hdrh.histogram import HdrHistogram
from rich.console import Console
from rich.table import Table

from bench import record
from loadtests import report
from loadtests.outcomes import GOOD, Tally, milliseconds
from loadtests.run import Result


class Ratio(NamedTuple):
    """B divided by A, with its 95% interval."""

    what: str
    a: float
    b: float
    ratio: float
    low: float
    high: float

    @property
    def differs(self) -> bool:
        """Whether the interval excludes 1."""
        return not self.low <= 1 <= self.high

    def cells(self) -> list[str]:
        """The row of a table."""
        differs = "" if not self.differs else "B is higher" if self.ratio > 1 else "B is lower"
        figures = map(report.number, (self.a, self.b))
        interval = f"{self.low:.2f}-{self.high:.2f}"
        return [self.what, *figures, f"{self.ratio:.2f}", interval, differs]


def bootstrap(what: str, a: Sequence[float], b: Sequence[float]) -> Ratio:
    """The ratio of the means of two samples, one value per window of time.

    Windows are drawn again, not requests: those of one moment are slow together.
    """
    return Ratio(what, fmean(a), fmean(b), *record.bootstrap(a, b, fmean))


def windows(tally: Tally, figure: Callable[[HdrHistogram], float], label: str = "") -> list[float]:
    """A figure of the latencies in every window that has any."""
    found = (tally.histogram(label, window) for window in sorted(tally.offered))
    return [figure(each) for each in found if each.get_total_count()]


def ratios(a: Result, b: Result) -> list[Ratio]:
    """Everything that can be compared."""
    found = []
    for name, at in (("p50", 50.0), ("p99", 99.0)):
        sides = [windows(each.tally, lambda h, at=at: milliseconds(h, at)) for each in (a, b)]  # type: ignore[misc]
        found.append(bootstrap(f"{name} of all calls, ms", *sides))
    for label in sorted({*a.tally.labels} & {*b.tally.labels}):
        sides = [windows(each.tally, lambda h: milliseconds(h, 50.0), label) for each in (a, b)]
        if all(len(side) > 1 for side in sides):
            found.append(bootstrap(f"p50 of {label}, ms", *sides))
    for what, field in (("server cores", "server_cores"), ("memory, MB", "megabytes")):
        sides = [[float(getattr(s, field)) for s in each.samples] for each in (a, b)]
        if all(any(side) for side in sides):
            found.append(bootstrap(what, *sides))
    good = [good_by_window(each.tally) for each in (a, b)]
    found.append(bootstrap("goodput per second", *good))
    return found


def good_by_window(tally: Tally) -> list[float]:
    """Good answers per second, by window."""
    return [
        sum(tally.outcomes[label].get(GOOD, {}).get(window, 0) for label in tally.labels)
        / tally.window_seconds
        for window in sorted(tally.offered)
    ]


HEADS = ["", "A", "B", "B / A", "95% interval", ""]


def page(a: Result, b: Result, found: list[Ratio]) -> str:
    """Both runs, side by side."""
    latencies = [
        report.Section(f"{name}: latency by percentile", [], [report.by_percentile(each).charts[0]])
        for name, each in (("A", a), ("B", b))
    ]
    facts = [[name, a.facts.get(name, ""), b.facts.get(name, "")] for name in a.facts]
    facts += [["knee", str(a.knee), str(b.knee)], ["verdict", a.verdict, b.verdict]]
    sections = [
        report.Section(
            "B compared with A",
            ["Means of one figure per window, with a 95% interval by bootstrap over windows."],
            heads=HEADS,
            rows=[ratio.cells() for ratio in found],
        ),
        *latencies,
        report.Section("How they were measured", [], heads=["", "A", "B"], rows=facts),
    ]
    differing = [ratio.what for ratio in found if ratio.differs]
    summary = [f"Different beyond chance: {', '.join(differing) or 'nothing'}."]
    return report.render("Two load tests", "compared", summary, sections)


@click.command()
@click.argument("a", type=click.Path(path_type=Path, exists=True))
@click.argument("b", type=click.Path(path_type=Path, exists=True))
def compare(a: Path, b: Path) -> None:
    """Show two runs side by side, given as their JSON files."""
    first, second = Result.read(a), Result.read(b)
    found = ratios(first, second)
    table = Table(title=f"A: {a}, B: {b}")
    for head in HEADS:
        table.add_column(head, justify="left" if not head else "right")
    for ratio in found:
        table.add_row(*ratio.cells())
    Console().print(table)
    html = report.FOLDER / "compare.html"
    html.parent.mkdir(parents=True, exist_ok=True)
    html.write_text(page(first, second, found))
    click.echo(f"Report: {html}")
