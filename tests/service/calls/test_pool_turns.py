"""The search pool: accounts take turns, and none can fill the queue."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from functools import partial

import pytest
from tablier_core.advice import Cancel
from tablier_service.calls.limits import Limit
from tablier_service.calls.pool import SearchPool
from tablier_service.errors import Overloaded
from tablier_service.observability.metrics import Metrics

from tests.service.calls.searches import busy


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

    asyncio.run(scenario())


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

    asyncio.run(scenario())


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

    asyncio.run(scenario())


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

    asyncio.run(scenario())


def test_limits_the_analyses_in_memory():
    def count(cancel: Cancel) -> Iterator[int]:
        yield from range(1, 4)

    async def scenario():
        limit = Limit(
            "analyses", Metrics().rejected["search_share"], total=3, per_account=2, per_address=2
        )
        pool = SearchPool(1, 8, analyses=limit)
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

    asyncio.run(scenario())


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

    asyncio.run(scenario())
