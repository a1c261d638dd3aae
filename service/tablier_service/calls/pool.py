"""The search pool: a few threads and a short queue, so that cheap calls never wait for searches.

Accounts take turns: none can fill the queue, and the next search of an account waits for at most
one search of every other account.
"""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import AsyncGenerator, Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from time import monotonic
from typing import TypeVar

from tablier_core.advice import Cancel

from tablier_service.calls.fair_queue import FairQueue
from tablier_service.calls.limits import NO_LIMIT, Limit
from tablier_service.errors import Overloaded
from tablier_service.observability.metrics import Metrics
from tablier_service.security.callers import CALLER

T = TypeVar("T")

# How much lower the priority of search threads is than that of the event loop.
NICENESS = 10
# The time before a deadline that is reserved for sending the answer.
MARGIN_SECONDS = 0.02
# A shorter search would not find anything useful.
USEFUL_SECONDS = 0.01
# The memory of a search that runs, and of an analysis in progress, at most; and how fast a search
# can fill it.
SEARCH_BYTES, ANALYSIS_BYTES = 64 * 2**20, 8 * 2**20
SEARCH_BYTES_PER_SECOND = 128 * 2**20
# The estimated duration of a search before any has ended, and the weight of each new one.
FIRST_GUESS, WEIGHT = 0.1, 0.2


class SearchPool:
    """Runs searches with the GIL released; rejects those that could not begin soon.

    A search has a place while it runs or waits to run: one of the slots, or one in the queue. A
    stream whose caller has yet to take the last part has none.
    """

    def __init__(
        self,
        slots: int,
        queue: int,
        metrics: Metrics | None = None,
        cores: Iterable[int] | None = None,
        *,
        searches: Limit | None = None,
        analyses: Limit | None = None,
        max_seconds: float = NO_LIMIT,
    ) -> None:
        self._threads = ThreadPoolExecutor(
            slots,
            thread_name_prefix="search",
            initializer=_lower_priority,
            initargs=(set(cores or os.sched_getaffinity(0)),),
        )
        self._slots = self._free = slots
        self._room = slots + queue
        self._metrics = metrics or Metrics()
        # The searches in progress, whether they have a place or not; and the analyses among them,
        # which need memory all the time.
        rejected = self._metrics.rejected["search_share"]
        self._searches = searches or Limit("searches", rejected)
        self._analyses = analyses or Limit("analyses", rejected)
        # How long a search may take from its admission to its end.
        self._max_seconds = max_seconds
        # The searches that wait for a slot, oldest first, with the time they came; their order; and
        # the start times of the searches that have a slot.
        self._waiting: dict[asyncio.Future[None], float] = {}
        self._turns: FairQueue[asyncio.Future[None]] = FairQueue()
        self._began: list[float] = []
        self._mean = FIRST_GUESS

    async def run(
        self,
        search: Callable[[Cancel], T],
        account: str,
        seconds_left: float | None = None,
        *,
        address: str = "",
    ) -> T:
        """Run a search; cancelling this coroutine ends the search.

        With a deadline, the search ends early enough for its answer to be sent. `address` is the
        peer address of a caller without a name: its accounts have a limit together.
        """
        quotas = CALLER.get().quotas
        with (
            quotas.searching(),
            self._admitted(account, address, seconds_left) as (cancel, latest),
        ):
            return await self._turn(quotas.metered(partial(search, cancel)), account, latest)

    async def stream(
        self,
        search: Callable[[Cancel], Iterator[T]],
        account: str,
        seconds_left: float | None = None,
        *,
        address: str = "",
    ) -> AsyncGenerator[T, None]:
        """Run a search that reports repeatedly; closing this iterator ends the search.

        Each part runs only when the previous one has been taken: a caller that does not read costs
        nothing, and waiting searches get a turn in between.
        """
        quotas = CALLER.get().quotas
        with (
            quotas.searching(),
            self._analyses.place(account, address, retry_seconds=self._expected_wait(account)),
            self._admitted(account, address, seconds_left) as (cancel, latest),
        ):
            parts = search(cancel)
            step = quotas.metered(partial(next, parts, None))
            part = await self._turn(step, account, latest)
            while part:
                yield part
                # It has begun in time. At the deadline, `cancel` ends it.
                part = await self._turn(step, account)

    @contextmanager
    def _admitted(
        self, account: str, address: str, seconds_left: float | None
    ) -> Iterator[tuple[Cancel, float]]:
        """Admit a search: the switch that ends it, and the latest time to begin."""
        expected = self._expected_wait(account)
        with self._searches.place(account, address, retry_seconds=expected):
            # Streams that go on may exceed the queue for a moment.
            if self._room <= 0:
                self._metrics.rejected["search_queue"].inc()
                raise Overloaded("", "the search queue is full", retry_seconds=expected)
            seconds = (
                self._max_seconds if seconds_left is None else min(seconds_left, self._max_seconds)
            )
            spare = seconds - MARGIN_SECONDS
            if spare < expected + USEFUL_SECONDS:
                raise self._too_late(expected)
            latest = monotonic() + spare - USEFUL_SECONDS
            cancel = Cancel()
            alarm = asyncio.get_running_loop().call_later(spare, cancel.set)
            try:
                yield cancel, latest
            finally:
                cancel.set()
                alarm.cancel()

    def _too_late(self, expected: float) -> Overloaded:
        self._metrics.rejected["deadline"].inc()
        return Overloaded("", "the search could not begin in time", retry_seconds=expected)

    def _expected_wait(self, account: str) -> float:
        """Estimated seconds until a new search of an account would begin, judging by recent ones.

        Accounts take turns, so the searches of another account count only as far as they come
        first.
        """
        if self._free:
            return 0.0
        now, mean = monotonic(), self._mean
        elapsed = [now - began for began in self._began]
        # A search that already took longer than the mean may take as long again.
        left = sum(mean - spent if spent < mean else spent for spent in elapsed)
        return (left + self._turns.turns_before(account) * mean) / self._slots

    async def _turn(self, work: Callable[[], T], account: str, latest: float | None = None) -> T:
        """Wait for a slot, work in it, and release it when the work has really ended."""
        self._room -= 1
        try:
            if self._free:
                self._free -= 1
            else:
                await self._wait(account, latest)
            began = monotonic()
            self._began.append(began)
            self._update_metrics()
            under_way = asyncio.get_running_loop().run_in_executor(self._threads, work)
            under_way.add_done_callback(partial(self._end, account, began))
            return await asyncio.shield(under_way)
        finally:
            self._room += 1

    async def _wait(self, account: str, latest: float | None) -> None:
        """Wait for a slot; gives up if the caller disconnects or its deadline comes too close."""
        loop = asyncio.get_running_loop()
        turn = loop.create_future()
        self._waiting[turn] = monotonic()
        self._turns.add(account, turn)
        self._update_metrics()
        alarm = None
        if latest is not None:
            alarm = loop.call_later(latest - monotonic(), self._give_up, account, turn)
        try:
            await turn
        except asyncio.CancelledError:
            # The slot may have been assigned at the same moment.
            if turn.done() and not turn.cancelled() and not turn.exception():
                self._pass_on()
            raise
        finally:
            if alarm is not None:
                alarm.cancel()
            self._waiting.pop(turn, None)
            self._turns.discard(account, turn)
            self._update_metrics()

    def _give_up(self, account: str, turn: asyncio.Future[None]) -> None:
        if not turn.done():
            self._turns.discard(account, turn)
            turn.set_exception(self._too_late(self._expected_wait(account)))

    def _end(self, account: str, began: float, ended: asyncio.Future[T]) -> None:
        if not ended.cancelled():
            # If the caller has disconnected, nobody else retrieves the exception.
            ended.exception()
        self._mean += WEIGHT * (monotonic() - began - self._mean)
        self._began.remove(began)
        # An account that has just had a slot gives way to those that came while it ran.
        self._turns.put_last(account)
        self._pass_on()

    def _pass_on(self) -> None:
        """Give the free slot to the next search in the queue."""
        turn = self._turns.take()
        while turn is not None and turn.done():
            # Its caller left a moment ago.
            turn = self._turns.take()
        if turn is None:
            self._free += 1
        else:
            del self._waiting[turn]
            turn.set_result(None)
        self._update_metrics()

    def _update_metrics(self) -> None:
        metrics = self._metrics
        metrics.running.set(len(self._began))
        metrics.queued.set(len(self._waiting))
        metrics.waiting_since.set(next(iter(self._waiting.values()), 0.0))

    @property
    def max_bytes(self) -> int:
        """The memory that the searches in progress may have. Any thread may ask."""
        now, searches = monotonic(), 0
        for began in self._began.copy():
            searches += min(SEARCH_BYTES, round((now - began) * SEARCH_BYTES_PER_SECOND))
        return searches + self._analyses.total * ANALYSIS_BYTES

    def close(self) -> None:
        """Start no more searches."""
        self._threads.shutdown(wait=False, cancel_futures=True)


def _lower_priority(cores: set[int]) -> None:
    # On Linux, every thread has its own priority and CPU affinity, inherited from the process.
    thread = threading.get_native_id()
    own = os.getpriority(os.PRIO_PROCESS, 0)
    os.setpriority(os.PRIO_PROCESS, thread, own + NICENESS)
    os.sched_setaffinity(thread, cores)
