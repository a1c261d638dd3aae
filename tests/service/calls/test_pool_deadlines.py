"""The search pool: searches begin and end in time, or are rejected at once."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator

import pytest
from tablier_core.advice import Cancel, Report
from tablier_service.calls import pool as pool_module
from tablier_service.calls.pool import SearchPool
from tablier_service.errors import Overloaded
from tablier_service.observability.metrics import Metrics

from tests.service.calls.searches import busy, think_long


def test_rejects_a_search_that_could_not_begin_in_time():
    async def scenario():
        metrics = Metrics()
        pool = SearchPool(1, 8, metrics)
        released = threading.Event()
        first = await busy(pool, released)
        second = asyncio.ensure_future(pool.run(lambda _: 2, "a"))
        await asyncio.sleep(0)
        # Two searches of about 100 ms come first.
        with pytest.raises(Overloaded) as rejection:
            # Rejected before it waits for anything.
            pool.run(lambda _: 3, "a", 0.1).send(None)
        assert 0.1 < rejection.value.retry_seconds < 10
        assert metrics.total(metrics.rejected["deadline"]) == 1
        third = asyncio.ensure_future(pool.run(lambda _: 3, "a", 30.0))
        await asyncio.sleep(0)
        assert metrics.total(metrics.queued) == 2
        released.set()
        assert (await first, await second, await third) == (True, 2, 3)
        assert metrics.total(metrics.queued) == 0
        pool.close()

    asyncio.run(scenario())


def test_estimates_the_wait_from_recent_searches(monkeypatch: pytest.MonkeyPatch):
    now = 100.0
    monkeypatch.setattr(pool_module, "monotonic", lambda: now)

    async def scenario():
        nonlocal now
        pool = SearchPool(1, 8)
        releaseds = [threading.Event() for _ in range(3)]
        for released in releaseds[:2]:
            slow = await busy(pool, released)
            now += 10.0
            released.set()
            await slow
        first = await busy(pool, releaseds[2])
        # By the initial estimate, it could begin in a tenth of a second.
        with pytest.raises(Overloaded) as rejection:
            pool.run(lambda _: 2, "a", 1.0).send(None)
        assert 2.0 < rejection.value.retry_seconds < 10.0
        releaseds[2].set()
        await first
        pool.close()

    asyncio.run(scenario())


def test_the_expected_wait_considers_whose_turn_it_is(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(pool_module, "monotonic", lambda: 100.0)

    async def scenario():
        pool = SearchPool(1, 8)
        released = threading.Event()
        calls = [await busy(pool, released)]
        calls += [asyncio.ensure_future(pool.run(lambda _: True, "a")) for _ in range(6)]
        await asyncio.sleep(0)
        waits = []
        for account in ("a", "b"):
            with pytest.raises(Overloaded) as rejection:
                pool.run(lambda _: True, account, 0.05).send(None)
            waits.append(rejection.value.retry_seconds)
        # A search takes a tenth of a second. One is running, and one more of "a" may come before
        # the search of "b".
        assert waits == pytest.approx([0.7, 0.2])
        released.set()
        await asyncio.gather(*calls)
        pool.close()

    asyncio.run(scenario())


def test_a_search_ends_at_the_limit_without_a_deadline():
    async def scenario():
        pool = SearchPool(1, 0, max_seconds=0.5)
        report = await pool.run(think_long, "a")
        assert (report.stopped, report.iterations > 0) == ("cancelled", True)
        pool.close()

    asyncio.run(scenario())


def test_a_stream_ends_at_the_limit_without_a_deadline():
    def search(cancel: Cancel) -> Iterator[Report]:
        yield think_long(cancel)

    async def scenario():
        pool = SearchPool(1, 0, max_seconds=0.5)
        assert [report.stopped async for report in pool.stream(search, "a")] == ["cancelled"]
        pool.close()

    asyncio.run(scenario())


def test_a_search_that_waits_until_the_limit_is_rejected():
    async def scenario():
        pool = SearchPool(1, 1, max_seconds=0.5)
        released = threading.Event()
        first = await busy(pool, released)
        with pytest.raises(Overloaded, match="in time"):
            await pool.run(lambda _: True, "b")
        released.set()
        await first
        pool.close()

    asyncio.run(scenario())


def test_a_stream_in_progress_waits_for_its_turn_beyond_its_deadline():
    def count(cancel: Cancel) -> Iterator[int]:
        yield from (1, 2)

    async def scenario():
        pool = SearchPool(1, 8)
        parts = pool.stream(count, "a", 0.2)
        assert await anext(parts) == 1
        released = threading.Event()
        other = await busy(pool, released)
        reading = asyncio.ensure_future(anext(parts))
        # After the deadline, the search is ended, not rejected.
        ended, _ = await asyncio.wait({reading}, timeout=0.4)
        assert not ended
        released.set()
        assert await reading == 2
        await other
        await parts.aclose()
        pool.close()

    asyncio.run(scenario())


def test_rejects_a_search_whose_deadline_comes_too_close_in_the_queue():
    async def scenario():
        metrics = Metrics()
        pool = SearchPool(1, 8, metrics)
        released = threading.Event()
        first = await busy(pool, released)
        with pytest.raises(Overloaded):
            await pool.run(lambda _: 2, "a", 0.5)
        assert not first.done()
        assert metrics.total(metrics.rejected["deadline"]) == 1
        released.set()
        await first
        pool.close()

    asyncio.run(scenario())


def test_a_search_ends_at_its_deadline():

    async def scenario():
        pool = SearchPool(1, 0)
        loop = asyncio.get_running_loop()
        end = loop.time() + 0.5
        report = await pool.run(think_long, "a", 0.5)
        # A generous limit, because the machine may be busy.
        assert loop.time() < end + 10
        assert report.iterations > 0
        pool.close()

    asyncio.run(scenario())


def test_reserves_time_for_sending_the_answer(monkeypatch: pytest.MonkeyPatch):
    # Much more than needed, so that the test also works on a busy machine.
    monkeypatch.setattr(pool_module, "MARGIN_SECONDS", 10.0)

    async def scenario():
        pool = SearchPool(1, 0)
        loop = asyncio.get_running_loop()
        deadline = loop.time() + 10.2
        report = await pool.run(think_long, "a", 10.2)
        assert loop.time() < deadline
        assert report.stopped == "cancelled"
        with pytest.raises(Overloaded):
            await pool.run(lambda _: None, "a", 10.0)
        pool.close()

    asyncio.run(scenario())
