"""The search pool: bounded, cancellable, and of lower priority than cheap calls."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Iterator

import pytest
from tablier_core.advice import Cancel
from tablier_service.calls import pool
from tablier_service.calls.pool import NICENESS, SearchPool
from tablier_service.errors import Overloaded
from tablier_service.observability.metrics import Metrics

from tests.service.calls.searches import busy, think_long


def test_returns_the_result_of_the_search():
    async def scenario():
        pool = SearchPool(1, 0)
        assert await pool.run(lambda cancel: 42, "a") == 42
        pool.close()

    asyncio.run(scenario())


def test_an_error_is_passed_on_and_frees_the_slot():
    async def scenario():
        pool = SearchPool(1, 0)
        for _ in range(3):
            with pytest.raises(ValueError, match="no"):
                await pool.run(fail, "a")
        pool.close()

    def fail(cancel: Cancel) -> None:
        raise ValueError("no")

    asyncio.run(scenario())


def test_rejects_searches_beyond_the_queue_until_there_is_room():
    async def scenario():
        pool = SearchPool(1, 1)
        released = threading.Event()
        waiting = [
            asyncio.ensure_future(pool.run(lambda _: released.wait(30), "a")) for _ in range(2)
        ]
        await asyncio.sleep(0)
        with pytest.raises(Overloaded):
            await pool.run(lambda _: None, "a")
        released.set()
        assert await asyncio.gather(*waiting) == [True, True]
        assert await pool.run(lambda _: 1, "a") == 1
        pool.close()

    asyncio.run(scenario())


def test_a_stream_returns_every_part_and_frees_the_slot():
    def count(cancel: Cancel) -> Iterator[int]:
        yield from range(1, 4)

    async def scenario():
        pool = SearchPool(1, 0)
        for _ in range(2):
            assert [part async for part in pool.stream(count, "a")] == [1, 2, 3]
        pool.close()

    asyncio.run(scenario())


def test_a_stream_has_a_place_only_while_it_runs():
    stopped = []
    begun = threading.Event()

    def search(cancel: Cancel) -> Iterator[str]:
        yield "first"
        begun.set()
        stopped.append(think_long(cancel).stopped)
        yield "never read"

    async def scenario():
        pool = SearchPool(1, 0)
        parts = pool.stream(search, "a")
        assert await anext(parts) == "first"
        # Nobody reads on, so the slot and the queue are free for others.
        assert await pool.run(lambda _: 0, "b") == 0
        reading = asyncio.ensure_future(anext(parts))
        assert await asyncio.to_thread(begun.wait, 30)
        with pytest.raises(Overloaded):
            await pool.run(lambda _: 0, "b")
        reading.cancel()
        with pytest.raises(asyncio.CancelledError):
            await reading
        # The thread is free again only when the search has ended.
        assert await pool.run(lambda _: 1, "a") == 1
        assert stopped == ["cancelled"]
        pool.close()

    asyncio.run(scenario())


def test_cancelling_a_call_ends_its_search():
    stopped: list[str] = []

    async def scenario():
        pool = SearchPool(1, 0)
        begun = asyncio.Event()
        loop = asyncio.get_running_loop()
        ended = threading.Event()

        def search(cancel: Cancel) -> None:
            loop.call_soon_threadsafe(begun.set)
            report = think_long(cancel)
            stopped.append(report.stopped)
            ended.set()

        call = asyncio.ensure_future(pool.run(search, "a"))
        await begun.wait()
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        assert await asyncio.to_thread(ended.wait, 30)
        pool.close()

    asyncio.run(scenario())
    assert stopped == ["cancelled"]


def test_searches_run_at_a_lower_priority():
    async def scenario():
        pool = SearchPool(1, 0)
        nice = await pool.run(
            lambda _: os.getpriority(os.PRIO_PROCESS, threading.get_native_id()), "a"
        )
        pool.close()
        return nice

    # Nineteen is the lowest priority there is.
    assert asyncio.run(scenario()) == min(19, os.getpriority(os.PRIO_PROCESS, 0) + NICENESS)


def test_a_search_whose_caller_left_the_queue_never_begins():
    async def scenario():
        metrics = Metrics()
        pool = SearchPool(1, 8, metrics)
        released = threading.Event()
        first = await busy(pool, released)
        begun: list[int] = []
        left = asyncio.ensure_future(pool.run(lambda _: begun.append(1), "a"))
        stayed = asyncio.ensure_future(pool.run(lambda _: begun.append(2), "a"))
        await asyncio.sleep(0)
        left.cancel()
        await asyncio.sleep(0)
        assert metrics.total(metrics.queued) == 1
        released.set()
        await asyncio.gather(first, stayed)
        assert begun == [2]
        pool.close()

    asyncio.run(scenario())


def test_passes_on_the_slot_of_a_caller_that_leaves_at_that_moment():
    async def scenario():
        metrics = Metrics()
        pool = SearchPool(1, 8, metrics)
        released = threading.Event()
        first = await busy(pool, released)
        second = asyncio.ensure_future(pool.run(lambda _: 2, "a"))
        await asyncio.sleep(0)
        released.set()
        # It leaves the queue when it gets the slot. Cancel it before it continues.
        while metrics.total(metrics.queued):
            await asyncio.sleep(0)
        second.cancel()
        await first
        with pytest.raises(asyncio.CancelledError):
            await second
        assert await asyncio.wait_for(pool.run(lambda _: 3, "a"), 30) == 3
        pool.close()

    asyncio.run(scenario())


def test_a_slot_is_in_use_until_its_search_has_really_ended():
    async def scenario():
        metrics = Metrics()
        pool = SearchPool(1, 8, metrics)
        released = threading.Event()
        first = await busy(pool, released)
        first.cancel()
        second = asyncio.ensure_future(pool.run(lambda _: 2, "a"))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        # The search ignores that it was cancelled, so it still has the slot.
        assert metrics.total(metrics.running) == 1
        assert metrics.total(metrics.queued) == 1
        released.set()
        assert await second == 2
        assert metrics.total(metrics.running) == 0
        pool.close()

    asyncio.run(scenario())


def test_search_threads_use_the_given_cores():
    async def scenario():
        cores = os.sched_getaffinity(0)
        pool = SearchPool(1, 0, cores={min(cores)})
        used = await pool.run(lambda _: os.sched_getaffinity(threading.get_native_id()), "a")
        assert used == {min(cores)}
        pool.close()

    asyncio.run(scenario())


def test_searches_may_have_more_memory_the_longer_they_run(monkeypatch: pytest.MonkeyPatch):
    now = 100.0
    monkeypatch.setattr(pool, "monotonic", lambda: now)
    searches = pool.SearchPool(2, 2)
    assert searches.max_bytes == 0
    searches._began += [100.0, 99.75]
    assert searches.max_bytes == 32 * 2**20
    now = 200.0
    assert searches.max_bytes == 2 * pool.SEARCH_BYTES
    searches.close()
