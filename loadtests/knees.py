"""The table of knees in docs/operations.md: `make load-knees ARGS=--write` puts it on the page.

Each knee is kept in build/load, so that a run that was interrupted goes on with the next call. One
that a busy machine limited is looked for again.
"""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

import click
from rich.console import Console
from rich.progress import track

from bench.record import machine, put_on_page
from campaigns.attacks.results import revision
from loadtests.generator import Generators, Plan
from loadtests.knee import BY_MACHINE, Knee, find_knee
from loadtests.report import FOLDER
from loadtests.requests import BATCHED, CALLS, PER_MESSAGE
from loadtests.run import Load, Options, target_of

KEPT = FOLDER / "knees.json"
STEPS = 10
REQUESTS = 500


class Way(NamedTuple):
    """A call, and how it travels."""

    call: str
    transport: str
    words: str
    # Calls that one request makes.
    calls: int = 1


def ways() -> list[Way]:
    """Two calls through every transport, and every other call through one."""
    found = []
    for call, field in (("ApplyMoves", "apply_moves"), ("EnumerateMoves", "enumerate_moves")):
        found += [
            Way(call, "grpc", f"`{call}`, gRPC"),
            Way(call, "rest", f"`{call}`, REST"),
            Way(f"Batch/{field}", "grpc", f"`{call}`, `Batch` of {BATCHED}", BATCHED),
            Way(f"Batch/{field}", "rest", f"`{call}`, `Batch` of {BATCHED} over REST", BATCHED),
            Way(
                f"Play/{field}", "grpc", f"`{call}`, `Play`, {PER_MESSAGE} per message", PER_MESSAGE
            ),
        ]
    others = [call for call in CALLS if call not in ("ApplyMoves", "EnumerateMoves")]
    return found + [Way(call, "grpc", f"`{call}`, gRPC") for call in others]


def measure(way: Way) -> Knee:
    """The knee of a call, on a new service."""
    options = Options(way.call, transports=(way.transport,), requests=REQUESTS, steps=STEPS)
    with target_of(options) as target:
        plan = Plan(target.address, way.call, options.transports, requests=REQUESTS)
        with Generators(plan, options.generators) as generators:
            load = Load(options, target, generators)
            first = load.objectives.rate
            # Connections open, and the service warms up.
            load.generators.run(load.phase(first, 1.0, every=1))
            return find_knee(load.step, first, STEPS)


class Knees:
    """The knees that were found with these sources, in a file."""

    def __init__(self, file: Path, version: str) -> None:
        self._file = file
        self._version = version
        self._steps: dict[str, list[Any]] = {}
        if file.exists() and (kept := json.loads(file.read_text()))["revision"] == version:
            self._steps = kept["steps"]

    def find(self, way: Way) -> Knee | None:
        """The knee of a call, unless it is not known or only a busy machine was seen."""
        knee = Knee.from_json(self._steps.get(way.words, []))
        return knee if knee.steps and knee.limit != BY_MACHINE else None

    def keep(self, way: Way, knee: Knee) -> None:
        """Write the knee of a call."""
        self._steps[way.words] = [asdict(step) for step in knee.steps]
        self._file.parent.mkdir(parents=True, exist_ok=True)
        new = self._file.with_suffix(".new")
        new.write_text(json.dumps({"revision": self._version, "steps": self._steps}, indent=1))
        new.rename(self._file)


def row(way: Way, knee: Knee) -> str:
    """A row of the table, in calls."""
    at_most = "at least " if knee.is_lower_bound else ""
    best = max((step for step in knee.steps if step.held), key=lambda s: s.goodput, default=None)
    latency = f"{best.p99_ms:.1f}" if best else "–"
    rate = float(f"{knee.rate * way.calls:.2g}")
    cost = knee.microseconds / way.calls
    return f"| {way.words} | {at_most}{rate:,.0f} | {knee.limit} | {latency} | {cost:,.0f} |"


def table(found: list[tuple[Way, Knee]]) -> str:
    """The table in Markdown."""
    heads = "highest rate that held, calls per second | limited by | p99 there, ms"
    where = f"{machine()}, {datetime.now(UTC):%Y-%m-%d}"
    lines = [
        f"{where}; the service and the generator have one core each:",
        "",
        f"| call | {heads} | CPU of the server per call, µs |",
        "|---|---:|---|---:|---:|",
        *(row(way, knee) for way, knee in found),
    ]
    return "\n".join(lines) + "\n"


@click.command()
@click.option("--write", is_flag=True, help="Put the table into docs/operations.md.")
@click.option("--only", default="", help="Only rows that contain this text.")
@click.option("--again", is_flag=True, help="Look for all knees, even those that are known.")
def knees(write: bool, only: str, again: bool) -> None:
    """Find the knee of every call, and print the table."""
    kept = Knees(KEPT, revision())
    found = []
    chosen = [way for way in ways() if only in way.words]
    for way in track(chosen, "Knees", console=Console(stderr=True)):
        knee = None if again else kept.find(way)
        if knee is None:
            knee = measure(way)
            kept.keep(way, knee)
        found.append((way, knee))
    text = table(found)
    if write:
        put_on_page("knees", text)
    sys.stdout.write(text)
    wrong = sum(step.wrong for _, knee in found for step in knee.steps)
    sys.exit(bool(wrong))
