"""Searches end on time: how far they overshoot their budget, and CPU time used after a cancel.

Measured in this process, as in `make bench`, and through a service in another process. These are
the `time` rows of `make strength`.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from statistics import mean, quantiles

from tablier_client import Client, State
from tablier_core.registry import GAMES

from bench.search import (
    AFTER_CANCEL_SECONDS,
    BUDGET_SECONDS,
    LATEST_SECONDS,
    after_cancel,
    overshoot,
    starts,
)
from tests.live_server import start_server

# Interval at which a service's CPU time is read: long enough for the service to be scheduled.
LOOK_SECONDS = 0.05
# An idle service uses at most this share of an interval; a search uses all of it.
AT_REST = 0.1

Times = Callable[[int], Iterator[float | None]]


def overshoot_here(calls: int) -> Iterator[float | None]:
    return (overshoot(position) for position in starts(calls))


def cancel_here(calls: int) -> Iterator[float | None]:
    return (after_cancel(position) for position in starts(calls))


def overshoot_served(calls: int) -> Iterator[float | None]:
    """Seconds that a client waits beyond its budget, network time included."""
    with served(calls) as (_, states):
        for state in states:
            begun = time.perf_counter()
            advice = state.suggest(state.actors[0], milliseconds=round(BUDGET_SECONDS * 1000))
            late = time.perf_counter() - begun - BUDGET_SECONDS
            yield late if advice.stopped == "time" else None


def cancel_served(calls: int) -> Iterator[float | None]:
    """CPU seconds that the service uses from a cancel until it is idle."""
    with served(calls) as (pid, states):
        for state in states:
            # Leaving the block cancels the call.
            analysis = state.analyze(state.actors[0], interval=10)
            with closing(analysis) as reports:  # type: ignore[type-var]
                first = next(reports)
                begun = cpu_seconds(pid)
            now = begun
            while True:
                time.sleep(LOOK_SECONDS)
                before, now = now, cpu_seconds(pid)
                if now - before < AT_REST * LOOK_SECONDS:
                    break
            yield now - begun if first.stopped == "unspecified" else None


@contextmanager
def served(calls: int) -> Iterator[tuple[int, Iterator[State]]]:
    """Run a service; yields its process id and states of all games in turn."""
    server = start_server(log=Path(os.devnull))
    try:
        with Client(server.grpc_address) as client:
            games = list(GAMES)
            yield (
                server.process.pid,
                (client.start(games[number % len(games)], seed=number) for number in range(calls)),
            )
    finally:
        server.stop()
        server.close()


def cpu_seconds(pid: int) -> float:
    """CPU time of another process, read from its clock, whose number Linux derives from the pid."""
    return time.clock_gettime((~pid << 3) | 2)


def summary(seconds: list[float], part: int, limit: float) -> tuple[str, str, str]:
    """Return the percentile that decides, other statistics, and the verdict, as text."""
    hundredths = [*quantiles(seconds, n=100, method="inclusive"), max(seconds)]
    decisive = hundredths[part - 1]
    others = (("mean", mean(seconds)), ("p99", hundredths[98]), ("worst", max(seconds)))
    return (
        f"{1000 * decisive:.2f} ms",
        ", ".join(f"{name} {1000 * value:.2f}" for name, value in others),
        "ok" if decisive <= limit else "ABOVE",
    )


# Name, what is measured, the function that measures it, the percentile that decides, and the limit.
MEASURES: tuple[tuple[str, str, Times, int, float], ...] = (
    ("time-overshoot", "overshoot of 100 ms", overshoot_here, 99, LATEST_SECONDS),
    (
        "time-overshoot-served",
        "overshoot of 100 ms, at a client",
        overshoot_served,
        99,
        LATEST_SECONDS,
    ),
    ("time-cancel", "CPU after a cancel", cancel_here, 100, AFTER_CANCEL_SECONDS),
    (
        "time-cancel-served",
        "CPU of a service after a cancel",
        cancel_served,
        100,
        AFTER_CANCEL_SECONDS,
    ),
)
