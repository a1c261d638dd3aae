"""The report of a run: one HTML page that needs nothing else, a table in the terminal, and JSON."""

from __future__ import annotations

import json
from pathlib import Path
from typing import NamedTuple

from jinja2 import Environment, FileSystemLoader
from rich.table import Table

from loadtests.charts import NINES, lines, percentiles
from loadtests.objectives import Check, Verdict, slope_of
from loadtests.outcomes import DUPLICATED, GOOD, LATE, LOST, REJECTED, WRONG, milliseconds
from loadtests.run import Result

FOLDER = Path("build/load")
# How words look on the page.
TONES = {
    "held": "held",
    "broken": "broken",
    Verdict.NONE.value: "unsure",
    Verdict.DISTURBED.value: "unsure",
    "compared": "unsure",
}
SHOWN = (50.0, 90.0, 99.0, 99.9)
# How many broken objectives the summary names; the table has all of them.
NAMED = 4
# A call with fewer answers has no p99.9.
FEW = 1000


class Section(NamedTuple):
    """A part of the page."""

    title: str
    notes: list[str]
    charts: list[str] = []  # noqa: RUF012
    heads: list[str] = []  # noqa: RUF012
    rows: list[list[str]] = []  # noqa: RUF012


def number(value: float) -> str:
    """A figure with three digits, or all digits before the point."""
    return f"{value:,.0f}" if abs(value) >= 100 or value == int(value) else f"{value:.3g}"


def render(title: str, verdict: str, summary: list[str], sections: list[Section]) -> str:
    """The page."""
    loader = FileSystemLoader(Path(__file__).parent)
    template = Environment(loader=loader, autoescape=True, trim_blocks=True).get_template(
        "page.html"
    )
    return template.render(
        title=title, verdict=verdict, summary=summary, sections=sections, tones=TONES
    )


def check_rows(checks: list[Check]) -> list[list[str]]:
    """What broke first, then what held."""
    ordered = sorted(checks, key=lambda check: check.held)
    return [
        [each.what, number(each.measured), number(each.most), "held" if each.held else "broken"]
        for each in ordered
    ]


def latency_rows(result: Result) -> list[list[str]]:
    """Latencies and outcomes by transport and call."""
    rows = []
    for label in result.tally.labels:
        histogram = result.tally.histogram(label)
        made = result.tally.total(label)
        cells = [
            number(milliseconds(histogram, each)) if made >= FEW or each < 99.9 else "–"
            for each in SHOWN
        ]
        good = result.tally.count(GOOD, label) / max(1, made)
        largest = number(histogram.get_max_value() / 1000)
        rows.append([label, f"{made:,}", f"{good:.2%}", *cells, largest])
    return rows


def over_time(result: Result) -> Section:
    """Latency over time."""
    tally, width = result.tally, result.tally.window_seconds
    windows = sorted(tally.offered)
    seconds = [window * width for window in windows]
    by_window = [tally.histogram(window=window) for window in windows]
    series = {
        name: (seconds, [max(0.01, milliseconds(each, at)) for each in by_window])
        for name, at in (("p50", 50.0), ("p99", 99.0), ("slowest", 100.0))
    }
    return Section(
        "Latency over time",
        ["From the moment at which a request was due, not from when it was sent."],
        [lines(series, "second", "ms", log=True)],
    )


def by_percentile(result: Result) -> Section:
    """Latency by percentile and by call."""
    tally = result.tally
    most_called = sorted(tally.labels, key=tally.total, reverse=True)[:8]
    series = {}
    for label in most_called:
        histogram, made = tally.histogram(label), tally.total(label)
        known = [at for at, slower in NINES.items() if made >= slower]
        series[label] = [max(0.01, milliseconds(histogram, at)) for at in known]
    return Section(
        "Latency by percentile",
        ["Of the answers that were right. The table has every call, the chart the most frequent."],
        [percentiles({label: values for label, values in series.items() if values})],
        ["call", "requests", "good", *(f"p{at:g} ms" for at in SHOWN), "slowest ms"],
        latency_rows(result),
    )


def knee_section(result: Result) -> Section:
    """Offered rate and goodput."""
    steps = sorted(result.knee.steps, key=lambda step: step.rate)
    if not steps:
        return Section("The knee", ["This run did not look for it."])
    rates = [step.offered for step in steps]
    series = {
        "offered": (rates, rates),
        "goodput": (rates, [step.goodput for step in steps]),
        "rejected": (rates, [step.rejected for step in steps]),
        "late": (rates, [step.late for step in steps]),
    }
    heads = ["offered/s", "goodput/s", "rejected/s", "late/s", "errors/s", "wrong", "lost"]
    heads += ["p50 ms", "p99 ms", "start lag p99 ms", "server cores", "generator cores", ""]
    rows = [
        [
            *map(number, (step.offered, step.goodput, step.rejected, step.late, step.errors)),
            *(str(step.wrong), str(step.lost)),
            *map(number, (step.p50_ms, step.p99_ms, step.lag_p99_ms)),
            *map(number, (step.server_cores, step.generator_cores)),
            "no verdict" if step.limited else "held" if step.held else "broken",
        ]
        for step in steps
    ]
    marks = [(result.knee.rate, "knee")] if not result.knee.is_lower_bound else []
    note = "In each step, one answer in 50 was checked. Every rate is per second."
    return Section(
        "Offered rate, goodput and the knee",
        [f"Knee: {result.knee}. {note}"],
        [lines(series, "offered per second", "per second", marks=marks)],
        heads,
        rows,
    )


def server_section(result: Result) -> Section:
    """What the server used."""
    samples = result.samples
    if not samples:
        return Section("Server", ["The run was too short to look at the server."])
    seconds = [sample.second for sample in samples]

    def series(*names: str) -> dict[str, tuple[list[float], list[float]]]:
        return {
            name.replace("_", " "): (seconds, [float(getattr(each, name)) for each in samples])
            for name in names
        }

    lag = lines(series("loop_ms", "longest_loop_ms"), "second", "ms")
    note = "Event-loop lag is how long /healthz took, which waits for nothing but the event loop."
    if not samples[-1].megabytes:
        return Section("Server", ["A remote service shows only its event loop.", note], [lag])
    rows = []
    for field, unit in (("megabytes", "MB"), ("descriptors", ""), ("threads", "")):
        found = slope_of(samples, field)
        values = [float(getattr(each, field)) for each in samples]
        rows.append(
            [
                f"{field} {unit}".strip(),
                *map(number, (values[0], max(values), values[-1])),
                f"{found.per_minute:+.3g} ({found.low:+.3g} to {found.high:+.3g})",
            ]
        )
    return Section(
        "Server",
        [note, "Slopes are of the last two thirds of the run, with their 95% interval."],
        [
            lines(series("server_cores", "other_cores"), "second", "cores"),
            lines(series("megabytes"), "second", "MB, largest process"),
            lines(series("descriptors", "threads"), "second", "number"),
            lag,
        ],
        ["", "at first", "most", "at last", "slope per minute"],
        rows,
    )


def summary_of(result: Result) -> list[str]:
    """The verdict in a few sentences."""
    tally = result.tally
    made = sum(map(tally.total, tally.labels))
    broken = [check.what for check in result.checks if not check.held]
    held = len(result.checks) - len(broken)
    counted = ", ".join(
        f"{tally.count(outcome)} {outcome}" for outcome in (WRONG, LOST, DUPLICATED, REJECTED, LATE)
    )
    named = ", ".join(broken[:NAMED]) + (", …" if len(broken) > NAMED else "")
    broke = f"; broken: {named}" if broken else ""
    said = [
        f"{made:,} requests in {tally.seconds:.0f} s.",
        f"{tally.checked:,} answers compared with the core: {counted}, {tally.errors} errors.",
        f"{held} of {len(result.checks)} objectives held{broke}.",
        f"Knee: {result.knee}.",
    ]
    if result.cpu_seconds:
        said.append(f"CPU time of the server: {result.cpu_seconds / made * 1e6:,.0f} µs a request.")
    return [*said, *result.limited]


def page(result: Result) -> str:
    """The report."""
    tally = result.tally
    lag = tally.lag()
    generator = [
        ["starts that were due", f"{tally.starts:,}"],
        ["skipped starts", f"{tally.skipped:,}"],
        ["lag of a start, p50 ms", number(milliseconds(lag, 50.0))],
        ["lag of a start, p99 ms", number(milliseconds(lag, 99.0))],
        ["cores of the busiest generator", number(tally.generator_cores)],
    ]
    failures = [[reason, f"{count:,}"] for reason, count in tally.reasons().items()]
    sections = [
        Section("Objectives", [], [], ["", "measured", "at most", ""], check_rows(result.checks)),
        by_percentile(result),
        over_time(result),
        knee_section(result),
        Section(
            "Errors by reason",
            [] if failures else ["None."],
            heads=["outcome", "requests"],
            rows=failures,
        ),
        server_section(result),
        Section("The generator itself", [], heads=["", ""], rows=generator),
        Section(
            "How it was measured",
            [],
            heads=["", ""],
            rows=[[name, text] for name, text in result.facts.items()],
        ),
    ]
    title = f"Load test: {result.options['scenario']}, {result.options['shape']}"
    return render(title, result.verdict, summary_of(result), sections)


def write(result: Result, name: str, folder: Path = FOLDER) -> tuple[Path, Path]:
    """Write the page and the JSON file of a run."""
    folder.mkdir(parents=True, exist_ok=True)
    html, data = folder / f"{name}.html", folder / f"{name}.json"
    html.write_text(page(result))
    data.write_text(json.dumps(result.as_json(), indent=1))
    return html, data


def table(result: Result) -> Table:
    """The objectives, for the terminal."""
    found = Table(title=f"{result.options['scenario']}: {result.verdict}")
    found.add_column("objective")
    for head in ("measured", "at most", ""):
        found.add_column(head, justify="right")
    for row in check_rows(result.checks):
        found.add_row(*row)
    return found
