"""The benchmarks and the load test require the promised figures, and fail below them."""

from __future__ import annotations

import asyncio
import tomllib
from pathlib import Path
from typing import Any, cast

import pytest

from bench import lanes, search, secured, transports, workers
from bench.transports import Row, Side
from loadtests.memory import MemoryWatch, Sample

ROOT = Path(__file__).parents[2]
MEMORY = tomllib.loads((ROOT / "loadtests" / "thresholds.toml").read_text())["memory"]


def test_requires_what_was_promised():
    assert (transports.UNARY, transports.LONG_LIST) == (0.8, 0.5)
    assert (transports.BATCH, transports.BATCHED, transports.PLAY, transports.REST) == (
        20.0,
        64,
        2.5,
        3.0,
    )
    assert (secured.UNARY, secured.REST) == (0.6, 3.0)
    assert (lanes.REQUIRED, workers.REQUIRED) == (3.0, 0.95)
    assert (lanes.ADVISED, lanes.RATE) == (32, 200)
    assert [row.required for row in search.rows()] == [3.0, 3.0, 1.0]
    assert search.tree_row("contigo-alignment").required == 0.7
    assert (MEMORY["max_mb"], MEMORY["settled_after_seconds"]) == (80, 60)


def row(ours: list[float], theirs: list[float], required: float | None) -> Row:
    def side(rates: list[float]) -> Side:
        return Side(0, cast("Any", None), rates)

    return Row("a load", side(ours), "echo", side(theirs), required)


class Unmeasured(transports.Loads):
    """The rows, without servers."""

    def __init__(self) -> None:
        nowhere = transports.Server(0, cast("Any", None))
        super().__init__(nowhere, "http://127.0.0.1:1", nowhere)

    def call(self, name: str, data: bytes, operations: int = 1) -> Side:
        return Side(0, cast("Any", None))

    async def play(self, data: bytes, operations: int, window: int, streams: int = 8) -> Side:
        return Side(0, cast("Any", None))

    async def play_compared_with_echo(self, data: bytes) -> Row:
        return row([], [], None)


def test_requires_a_ratio_of_every_alternative_to_the_unary_call():
    request = transports.playing(transports.middle_of("contigo-alignment"))
    rows = asyncio.run(Unmeasured().amortised(request))
    required = [each.required for each in rows if each.baseline == "unary"]
    assert required == [transports.BATCH, *[transports.PLAY] * 3, transports.REST]


def test_the_median_of_paired_ratios_counts():
    # One slow round on either side does not matter.
    assert row([80.0, 80.0, 10.0], [100.0, 100.0, 100.0], 0.8).reached
    assert not row([79.0, 79.0, 100.0], [100.0, 100.0, 10.0], 0.8).reached
    assert row([1.0], [100.0], None).reached


def test_the_ratio_can_be_that_of_the_cpu_time():
    measured = row([1.0], [1.0], 3.0)
    measured.by_cpu = True
    for side, seconds in ((measured.ours, 1.0), (measured.theirs, 3.1)):
        side.operations, side.cpu_seconds = 100, seconds
    assert measured.reached
    measured.theirs.cpu_seconds = 2.9
    assert not measured.reached


@pytest.mark.parametrize(
    ("megabytes", "broken"),
    [
        ([60.0, 70.0, 70.5, 71.0], 0),
        ([60.0, 81.0, 70.0, 70.0], 1),
        ([60.0, 70.0, 72.0, 75.0], 1),
        # Growth in the first minute is not a leak.
        ([40.0, 70.0, 70.0, 70.0], 0),
    ],
)
def test_limits_the_maximum_and_the_growth_of_memory(megabytes: list[float], broken: int):
    watch = MemoryWatch(0, 600)
    watch.samples = [Sample(60.0 * at, size) for at, size in enumerate(megabytes)]
    assert len(watch.exceeded(MEMORY)) == broken
