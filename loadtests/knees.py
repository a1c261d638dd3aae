"""The table of knees in docs/operations.md: `make load-knees ARGS=--write` puts it on the page."""

from __future__ import annotations

import sys
from typing import NamedTuple

import click
from rich.console import Console
from rich.progress import track

from bench.record import machine, put_on_page
from loadtests.generator import Generators, Plan
from loadtests.knee import Knee, find_knee
from loadtests.requests import BATCHED, CALLS, PER_MESSAGE
from loadtests.run import Load, Options, target_of

STEPS = 9
REQUESTS = 500
# Where the search begins: low enough for every call, so that the service is what breaks.
FIRST = {"Batch": 20.0, "Play": 50.0, "SuggestMoves": 20.0, "ReplayGame": 50.0}
FIRST_OTHERWISE = 100.0


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
            first = FIRST.get(way.call.partition("/")[0], FIRST_OTHERWISE)
            # Connections open, and the service warms up.
            load.generators.run(load.phase(first, 1.0, every=1))
            return find_knee(load.step, first, STEPS)


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
    lines = [
        f"{machine()}; the service and the generator have one core each:",
        "",
        f"| call | {heads} | CPU of the server per call, µs |",
        "|---|---:|---|---:|---:|",
        *(row(way, knee) for way, knee in found),
    ]
    return "\n".join(lines) + "\n"


@click.command()
@click.option("--write", is_flag=True, help="Put the table into docs/operations.md.")
@click.option("--only", default="", help="Only rows that contain this text.")
def knees(write: bool, only: str) -> None:
    """Find the knee of every call, and print the table."""
    chosen = [way for way in ways() if only in way.words]
    found = [(way, measure(way)) for way in track(chosen, "Knees", console=Console(stderr=True))]
    text = table(found)
    if write:
        put_on_page("knees", text)
    sys.stdout.write(text)
    wrong = sum(step.wrong for _, knee in found for step in knee.steps)
    sys.exit(bool(wrong))
