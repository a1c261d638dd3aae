"""How far searches overshoot their time, and how long they use the CPU after a cancel.

In this process as `make bench` measures it, and through a service in a process of its own.
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

# How often it is looked whether a service still works: long enough for it to get its turn.
LOOK_SECONDS = 0.05
# The part of that time that a service at rest works, at most; a search works all of it.
AT_REST = 0.1

Times = Callable[[int], Iterator[float | None]]


def overshoot_here(calls: int) -> Iterator[float | None]:
    return (overshoot(position) for position in starts(calls))


def cancel_here(calls: int) -> Iterator[float | None]:
    return (after_cancel(position) for position in starts(calls))


def overshoot_served(calls: int) -> Iterator[float | None]:
    """What callers wait beyond the time that they gave, the way to the service included."""
    with served(calls) as (_, states):
        for state in states:
            begun = time.perf_counter()
            advice = state.suggest(state.actors[0], milliseconds=round(BUDGET_SECONDS * 1000))
            late = time.perf_counter() - begun - BUDGET_SECONDS
            yield late if advice.stopped == "time" else None


def cancel_served(calls: int) -> Iterator[float | None]:
    """CPU time of the service between a cancel and its rest."""
    with served(calls) as (pid, states):
        for state in states:
            # To leave the block is to cancel the call.
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
    """A service's process, and states of all games in turn."""
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
    """CPU time of another process, which has a clock of its own; Linux numbers it by the pid."""
    return time.clock_gettime((~pid << 3) | 2)


def summary(seconds: list[float], part: int, limit: float) -> tuple[str, str, str]:
    """The decisive figure, the others, and whether it is within the limit."""
    hundredths = [*quantiles(seconds, n=100, method="inclusive"), max(seconds)]
    decisive = hundredths[part - 1]
    others = (("mean", mean(seconds)), ("p99", hundredths[98]), ("worst", max(seconds)))
    return (
        f"{1000 * decisive:.2f} ms",
        ", ".join(f"{name} {1000 * value:.2f}" for name, value in others),
        "ok" if decisive <= limit else "ABOVE",
    )


# Name, what is measured, its times, which hundredth decides, and the limit.
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
