"""The search pool: bounded, cancellable, and of lower priority than cheap calls."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Iterator
from functools import partial

import pytest
from tablier_core.advice import Cancel, Report, advise
from tablier_core.registry import GAMES
from tablier_service.calls import pool as pool_module
from tablier_service.calls.limits import Limit
from tablier_service.calls.pool import NICENESS, SearchPool
from tablier_service.errors import Overloaded
from tablier_service.observability.metrics import Metrics

# The seconds of a search that the test ends. If it is not ended, it stops by itself and says so.
LONG = 20.0


def run(coroutine):
    return asyncio.run(coroutine)


def test_returns_the_result_of_the_search():
    async def scenario():
        pool = SearchPool(1, 0)
        assert await pool.run(lambda cancel: 42, "a") == 42
        pool.close()

    run(scenario())


def test_an_error_is_passed_on_and_frees_the_slot():
    async def scenario():
        pool = SearchPool(1, 0)
        for _ in range(3):
            with pytest.raises(ValueError, match="no"):
                await pool.run(fail, "a")
        pool.close()

    def fail(cancel: Cancel) -> None:
        raise ValueError("no")

    run(scenario())


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

    run(scenario())


def test_a_stream_returns_every_part_and_frees_the_slot():
    def count(cancel: Cancel) -> Iterator[int]:
        yield from range(1, 4)

    async def scenario():
        pool = SearchPool(1, 0)
        for _ in range(2):
            assert [part async for part in pool.stream(count, "a")] == [1, 2, 3]
        pool.close()

    run(scenario())


def test_a_stream_has_a_place_only_while_it_runs():
    position = GAMES["contigo-alignment"].start({}, 1)
    stopped = []
    begun = threading.Event()

    def search(cancel: Cancel) -> Iterator[str]:
        yield "first"
        begun.set()
        stopped.append(advise(position, position.actors[0], seconds=LONG, cancel=cancel).stopped)
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

    run(scenario())


def test_cancelling_a_call_ends_its_search():
    position = GAMES["contigo-alignment"].start({}, 1)
    stopped: list[str] = []

    async def scenario():
        pool = SearchPool(1, 0)
        begun = asyncio.Event()
        loop = asyncio.get_running_loop()
        ended = threading.Event()

        def search(cancel: Cancel) -> None:
            loop.call_soon_threadsafe(begun.set)
            report = advise(position, position.actors[0], seconds=LONG, cancel=cancel)
            stopped.append(report.stopped)
            ended.set()

        call = asyncio.ensure_future(pool.run(search, "a"))
        await begun.wait()
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        assert await asyncio.to_thread(ended.wait, 30)
        pool.close()

    run(scenario())
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
    assert run(scenario()) == min(19, os.getpriority(os.PRIO_PROCESS, 0) + NICENESS)


async def busy(pool: SearchPool, released: threading.Event) -> asyncio.Future[bool]:
    """A search that holds a slot until the event is set."""
    begun = asyncio.Event()
    loop = asyncio.get_running_loop()

    def search(cancel: Cancel) -> bool:
        loop.call_soon_threadsafe(begun.set)
        return released.wait(30)

    call = asyncio.ensure_future(pool.run(search, "a"))
    await begun.wait()
    return call


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

    run(scenario())


def test_searches_begin_in_order_of_arrival():
    async def scenario():
        pool = SearchPool(1, 8)
        released = threading.Event()
        first = await busy(pool, released)
        begun: list[int] = []
        later = []
        for number in range(5):
            search = partial(lambda number, _: begun.append(number), number)
            later.append(asyncio.ensure_future(pool.run(search, "a")))
            await asyncio.sleep(0)
        released.set()
        await asyncio.gather(first, *later)
        assert begun == [0, 1, 2, 3, 4]
        pool.close()

    run(scenario())


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

    run(scenario())


def test_accounts_take_turns():
    async def scenario():
        pool = SearchPool(1, 8)
        released = threading.Event()
        first = await busy(pool, released)
        begun: list[str] = []
        later = []
        for account in ("a", "a", "a", "b", "b", "c"):
            search = partial(lambda account, _: begun.append(account), account)
            later.append(asyncio.ensure_future(pool.run(search, account)))
            await asyncio.sleep(0)
        released.set()
        await asyncio.gather(first, *later)
        # The first search was one of "a".
        assert begun == ["b", "c", "a", "b", "a", "a"]
        pool.close()

    run(scenario())


def test_an_account_cannot_fill_the_queue():
    async def scenario():
        metrics = Metrics()
        limit = Limit("searches", metrics.rejected["search_share"], per_account=3)
        pool = SearchPool(1, 8, metrics, searches=limit)
        released = threading.Event()
        calls = [await busy(pool, released)]
        calls += [asyncio.ensure_future(pool.run(lambda _: True, "a")) for _ in range(2)]
        await asyncio.sleep(0)
        with pytest.raises(Overloaded, match="the limit is 3"):
            await pool.run(lambda _: True, "a")
        assert metrics.total(metrics.rejected["search_share"]) == 1
        calls.append(asyncio.ensure_future(pool.run(lambda _: True, "b")))
        released.set()
        assert all(await asyncio.gather(*calls))
        assert await pool.run(lambda _: True, "a")
        pool.close()

    run(scenario())


def test_unread_streams_count_as_searches_of_their_account():
    def count(cancel: Cancel) -> Iterator[int]:
        yield from range(1, 4)

    async def scenario():
        limit = Limit("searches", Metrics().rejected["search_share"], per_account=2)
        pool = SearchPool(1, 0, searches=limit)
        unread = [pool.stream(count, "a") for _ in range(2)]
        assert [await anext(parts) for parts in unread] == [1, 1]
        with pytest.raises(Overloaded, match="the limit is 2"):
            await pool.run(lambda _: True, "a")
        assert await pool.run(lambda _: True, "b")
        await unread[0].aclose()
        assert await pool.run(lambda _: True, "a")
        pool.close()

    run(scenario())


def test_limits_the_streams_in_memory():
    def count(cancel: Cancel) -> Iterator[int]:
        yield from range(1, 4)

    async def scenario():
        limit = Limit(
            "streams", Metrics().rejected["search_share"], total=3, per_account=2, per_address=2
        )
        pool = SearchPool(1, 8, streams=limit)
        unread = [pool.stream(count, "a") for _ in range(2)]
        unread.append(pool.stream(count, "b"))
        assert [await anext(parts) for parts in unread] == [1, 1, 1]
        with pytest.raises(Overloaded, match="the limit is 2"):
            await anext(pool.stream(count, "a"))
        with pytest.raises(Overloaded, match="the limit is 3"):
            await anext(pool.stream(count, "b"))
        # Other searches are not affected.
        assert await pool.run(lambda _: True, "a")
        await unread[0].aclose()
        assert await anext(pool.stream(count, "b")) == 1
        pool.close()

    run(scenario())


def test_the_accounts_of_an_address_have_a_limit_together():
    async def scenario():
        limit = Limit("searches", Metrics().rejected["search_share"], per_account=2, per_address=3)
        pool = SearchPool(1, 8, searches=limit)
        released = threading.Event()
        calls = [await busy(pool, released)]

        def begin(account: str, address: str) -> None:
            search = pool.run(lambda _: True, account, address=address)
            calls.append(asyncio.ensure_future(search))

        for account in ("h:1", "h:2", "h:2"):
            begin(account, "h")
        await asyncio.sleep(0)
        with pytest.raises(Overloaded, match="the limit is 3"):
            await pool.run(lambda _: True, "h:3", address="h")
        begin("i:1", "i")
        await asyncio.sleep(0)
        released.set()
        assert all(await asyncio.gather(*calls))
        assert await pool.run(lambda _: True, "h:3", address="h")
        pool.close()

    run(scenario())


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

    run(scenario())


def test_a_search_ends_at_the_limit_without_a_deadline():
    async def scenario():
        pool = SearchPool(1, 0, max_seconds=0.5)
        report = await pool.run(think_long, "a")
        assert (report.stopped, report.iterations > 0) == ("cancelled", True)
        pool.close()

    run(scenario())


def test_a_stream_ends_at_the_limit_without_a_deadline():
    def search(cancel: Cancel) -> Iterator[Report]:
        yield think_long(cancel)

    async def scenario():
        pool = SearchPool(1, 0, max_seconds=0.5)
        assert [report.stopped async for report in pool.stream(search, "a")] == ["cancelled"]
        pool.close()

    run(scenario())


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

    run(scenario())


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

    run(scenario())


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

    run(scenario())


def think_long(cancel: Cancel) -> Report:
    position = GAMES["contigo-alignment"].start({}, 1)
    return advise(position, position.actors[0], seconds=LONG, cancel=cancel)


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

    run(scenario())


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

    run(scenario())


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

    run(scenario())


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

    run(scenario())


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

    run(scenario())


def test_search_threads_use_the_given_cores():
    async def scenario():
        cores = os.sched_getaffinity(0)
        pool = SearchPool(1, 0, cores={min(cores)})
        used = await pool.run(lambda _: os.sched_getaffinity(threading.get_native_id()), "a")
        assert used == {min(cores)}
        pool.close()

    run(scenario())
