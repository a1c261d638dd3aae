"""The benchmarks and the load test require the promised figures, and fail below them."""

from __future__ import annotations

import asyncio
import tomllib
from pathlib import Path
from typing import Any, cast

import pytest

from bench import lanes, latency, learning, search, secured, transports, workers
from bench.memory_watch import MemoryWatch, Sample
from bench.transports import Row, Side

ROOT = Path(__file__).parents[2]
MEMORY = tomllib.loads((ROOT / "loadtests" / "objectives.toml").read_text())["memory"]


def test_requires_what_was_promised():
    assert (transports.UNARY, transports.UNARY_ASYNCIO, transports.NO_WORSE) == (2.3, 2.7, 0.95)
    assert (transports.LONG_LIST, transports.DESCRIBE) == (0.5, 3.6)
    assert (transports.BATCH, transports.BATCHED, transports.PLAY, transports.REST) == (
        20.0,
        64,
        2.5,
        3.0,
    )
    assert (secured.SEALED, secured.SEALED_ASYNCIO) == (2.0, 2.4)
    assert (secured.LOGGED, secured.REST) == (0.6, 3.0)
    assert (lanes.REQUIRED, workers.REQUIRED) == (3.0, 0.95)
    assert (lanes.ADVISED, lanes.RATE) == (32, 200)
    assert latency.NO_WORSE == 1.05
    assert (learning.REQUIRED, learning.SMALL, learning.PER_KILOBYTE) == (1_000_000, 1024, 1e-6)
    assert (learning.TIMES, learning.TIMES_SOWING, learning.CORES) == (50.0, 20.0, 2)
    assert [row.required for row in search.rows()] == [3.0, 3.0, 1.0]
    assert search.tree_row("contigo-alignment").required == 0.7
    assert (MEMORY["max_mb"], MEMORY["settled_after_seconds"]) == (90, 60)


def row(ours: list[float], theirs: list[float], required: float | None) -> Row:
    def side(rates: list[float]) -> Side:
        return Side(0, cast("Any", None), rates)

    return Row("a load", side(ours), "echo", side(theirs), required)


class Unmeasured(transports.Loads):
    """Loads without a server."""

    def __init__(self) -> None:
        super().__init__(transports.Server(0, cast("Any", None)), "http://127.0.0.1:1")

    def call(self, name: str, data: bytes, operations: int = 1) -> Side:
        return Side(0, cast("Any", None))

    async def play(self, data: bytes, operations: int, window: int, streams: int = 8) -> Side:
        return Side(0, cast("Any", None))

    async def answer(self, call: str, data: bytes) -> bytes:
        return b""

    async def answer_in_stream(self, data: bytes) -> bytes:
        return b""


class Nowhere:
    """A channel to no server."""

    def unary_unary(self, *_: object) -> None:
        return None

    stream_stream = unary_unary


def all_rows() -> list[Row]:
    bare = transports.Server(0, cast("Any", Nowhere()))
    return asyncio.run(transports.Rows(Unmeasured(), Unmeasured(), bare).all())


def test_requires_a_ratio_of_every_alternative_to_the_unary_call():
    required = [each.required for each in all_rows() if each.baseline == "asyncio unary"]
    assert required == [
        transports.BATCH,
        *[transports.PLAY] * 3,
        transports.REST,
        transports.CONNECT,
    ]
    [connect] = [each for each in all_rows() if each.name.startswith("Connect")]
    assert connect.by_cpu


def test_requires_ratios_of_unary_calls_and_streams_by_cpu_time():
    rows = all_rows()
    pools = {(each.name, each.baseline): each for each in transports.pooled(rows)}
    for call in ("EnumerateMoves", "ApplyMoves"):
        for baseline, least in (
            ("echo", transports.UNARY),
            ("asyncio", transports.UNARY_ASYNCIO),
        ):
            judged = pools[f"{call}, all games", baseline]
            assert (judged.required, judged.by_cpu) == (least, True)
    streams = [each for each in rows if each.name.startswith("Play") and each.baseline == "asyncio"]
    assert [(each.required, each.by_cpu) for each in streams] == [(transports.NO_WORSE, True)] * 2
    [views] = [each for each in rows if each.name.startswith("DescribeState")]
    assert (views.required, views.by_cpu) == (transports.DESCRIBE, True)


def test_the_median_of_paired_ratios_counts():
    # One slow round on either side does not matter.
    assert row([80.0, 80.0, 10.0], [100.0, 100.0, 100.0], 0.8).reached
    assert not row([79.0, 79.0, 100.0], [100.0, 100.0, 10.0], 0.8).reached
    assert row([1.0], [100.0], None).reached


def test_the_ratio_can_be_that_of_the_cpu_time():
    measured = row([1.0], [1.0], 3.0)
    measured.by_cpu = True
    measured.ours.costs, measured.theirs.costs = [1.0, 1.0, 9.0], [3.1, 3.1, 3.1]
    assert measured.reached
    measured.theirs.costs = [2.9, 2.9, 30.0]
    assert not measured.reached


def test_a_pool_counts_the_slices_of_all_its_rows():
    rows = [row([1.0, 3.0], [1.0, 1.0], None), row([3.0], [1.0], None)]
    for each in rows:
        each.pool = transports.Pool("all", 2.0)
    [pool] = transports.pooled(rows)
    assert (pool.name, pool.ratios, pool.reached) == ("all", [1.0, 3.0, 3.0], True)
    rows[1].ours.rates = [1.0]
    assert not transports.pooled(rows)[0].reached


def test_the_p99_must_not_be_worse():
    def side(milliseconds: list[float]) -> latency.Side:
        rounds = [[each] * 100 for each in milliseconds]
        return latency.Side(cast("Any", None), cast("Any", None), rounds)

    on_asyncio = side([1.0, 1.0, 1.0])
    assert latency.Row("", 1, side([1.04, 1.04, 9.0]), on_asyncio).reached
    assert not latency.Row("", 1, side([1.06, 1.06, 0.1]), on_asyncio).reached


@pytest.mark.parametrize(
    ("megabytes", "broken"),
    [
        ([60.0, 70.0, 70.5, 71.0], 0),
        ([60.0, 91.0, 70.0, 70.0], 1),
        ([60.0, 70.0, 72.0, 75.0], 1),
        # Growth in the first minute is not a leak.
        ([40.0, 70.0, 70.0, 70.0], 0),
    ],
)
def test_limits_the_maximum_and_the_growth_of_memory(megabytes: list[float], broken: int):
    watch = MemoryWatch(0, 600)
    watch.samples = [Sample(60.0 * at, size) for at, size in enumerate(megabytes)]
    assert len(watch.exceeded(MEMORY)) == broken


@pytest.mark.parametrize(
    ("game", "shown", "seconds", "others", "kept"),
    [
        ("pig", 1000, 1.9e-6, 100e-6, True),
        ("pig", 1000, 2.1e-6, 200e-6, False),  # fewer than a million steps per second
        ("pig", 1000, 1.9e-6, 90e-6, False),  # less than 50 times as fast
        ("contract", 5120, 5.9e-6, 300e-6, True),
        (
            "contract",
            5120,
            6.1e-6,
            600e-6,
            False,
        ),  # more than twice the core's step and 1 µs per kB
        ("contract", 5120, 5.9e-6, 290e-6, False),  # less than 50 times as fast
        ("contigo-capture", 5120, 5.9e-6, 120e-6, True),
        ("contigo-capture", 5120, 5.9e-6, 110e-6, False),  # less than 20 times as fast
    ],
)
def test_requires_fast_steps_for_learners(
    game: str, shown: int, seconds: float, others: float, kept: bool
):
    steps = learning.Row(game, shown, [seconds] * 3, 0.5e-6)
    assert steps.kept([others] * 3) is kept
