"""What the benchmarks and the load test judge by: the promised figures, and failure below them."""

from __future__ import annotations

import asyncio
import tomllib
from pathlib import Path
from typing import Any, cast

import pytest

from bench import doors, guarded, lanes, search, workers
from bench.doors import Row, Side
from loadtests.memory import MemoryWatch, Sample

ROOT = Path(__file__).parents[2]
MEMORY = tomllib.loads((ROOT / "loadtests" / "thresholds.toml").read_text())["memory"]


def test_what_is_required_is_what_was_promised():
    assert (doors.UNARY, doors.LONG_LIST) == (0.8, 0.5)
    assert (doors.BATCH, doors.BATCHED, doors.PLAY, doors.REST) == (20.0, 64, 2.5, 3.0)
    assert (guarded.REQUIRED, lanes.REQUIRED, workers.REQUIRED) == (0.6, 3.0, 0.95)
    assert (lanes.ADVISED, lanes.RATE) == (32, 200)
    assert [row.required for row in search.rows()] == [3.0, 3.0, 1.0]
    assert search.tree_row("contigo-alignment").required == 0.7
    assert (MEMORY["max_mb"], MEMORY["settled_after_seconds"]) == (80, 60)


def row(ours: list[float], theirs: list[float], required: float | None) -> Row:
    def side(rates: list[float]) -> Side:
        return Side(0, cast("Any", None), rates)

    return Row("a load", side(ours), "echo", side(theirs), required)


class Unmeasured(doors.Doors):
    """The rows, without servers to measure."""

    def __init__(self) -> None:
        nowhere = doors.Server(0, cast("Any", None))
        super().__init__(nowhere, "http://127.0.0.1:1", nowhere)

    def call(self, name: str, data: bytes, operations: int = 1) -> Side:
        return Side(0, cast("Any", None))

    async def play(self, data: bytes, operations: int, window: int, streams: int = 8) -> Side:
        return Side(0, cast("Any", None))

    async def play_beside_echo(self, data: bytes) -> Row:
        return row([], [], None)


def test_every_way_beside_the_unary_call_is_judged():
    request = doors.playing(doors.middle_of("contigo-alignment"))
    rows = asyncio.run(Unmeasured().amortised(request))
    beside_unary = [each.required for each in rows if each.beside == "unary"]
    assert beside_unary == [doors.BATCH, *[doors.PLAY] * 3, doors.REST]


def test_the_median_of_paired_ratios_counts():
    # One slow round on either side decides nothing.
    assert row([80.0, 80.0, 10.0], [100.0, 100.0, 100.0], 0.8).reached
    assert not row([79.0, 79.0, 100.0], [100.0, 100.0, 10.0], 0.8).reached
    assert row([1.0], [100.0], None).reached


@pytest.mark.parametrize(
    ("megabytes", "broken"),
    [
        ([60.0, 70.0, 70.5, 71.0], 0),
        ([60.0, 81.0, 70.0, 70.0], 1),
        ([60.0, 70.0, 72.0, 75.0], 1),
        # What comes in the first minute is no leak.
        ([40.0, 70.0, 70.0, 70.0], 0),
    ],
)
def test_memory_is_judged_by_its_most_and_its_growth(megabytes: list[float], broken: int):
    watch = MemoryWatch(0, 600)
    watch.samples = [Sample(60.0 * at, size) for at, size in enumerate(megabytes)]
    assert len(watch.exceeded(MEMORY)) == broken
