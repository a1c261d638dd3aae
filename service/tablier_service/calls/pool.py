"""The search pool: a few threads and a short queue, so that cheap calls never wait for searches."""

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

from tablier_service.errors import Overloaded
from tablier_service.observability.metrics import Metrics
from tablier_service.security.callers import CALLER

Answer = TypeVar("Answer")

# How much lower the priority of search threads is than that of the event loop.
NICENESS = 10
# The time before a deadline that is reserved for sending the answer.
MARGIN_SECONDS = 0.02
# A shorter search would not find anything useful.
USEFUL_SECONDS = 0.01
# The estimated duration of a search before any has ended, and the weight of each new one.
FIRST_GUESS, WEIGHT = 0.1, 0.2


class SearchPool:
    """Runs searches with the GIL released; rejects those that could not begin soon."""

    def __init__(
        self,
        slots: int,
        queue: int,
        metrics: Metrics | None = None,
        cores: Iterable[int] | None = None,
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
        # The searches that wait for a slot, oldest first, with the time they came; and the start
        # times of the searches that have a slot.
        self._waiting: dict[asyncio.Future[None], float] = {}
        self._began: list[float] = []
        self._mean = FIRST_GUESS

    async def run(
        self, search: Callable[[Cancel], Answer], seconds_left: float | None = None
    ) -> Answer:
        """Run a search; cancelling this coroutine ends the search.

        With a deadline, the search ends early enough for its answer to be sent.
        """
        quotas = CALLER.get().quotas
        with quotas.searching(), self._admitted(seconds_left) as (cancel, latest):
            return await self._turn(quotas.metered(partial(search, cancel)), latest)

    async def stream(
        self, search: Callable[[Cancel], Iterator[Answer]], seconds_left: float | None = None
    ) -> AsyncGenerator[Answer, None]:
        """Run a search that reports repeatedly; closing this iterator ends the search.

        Each part runs only when the previous one has been taken: a caller that does not read costs
        nothing, and waiting searches get a turn in between.
        """
        quotas = CALLER.get().quotas
        with quotas.searching(), self._admitted(seconds_left) as (cancel, latest):
            parts = search(cancel)
            step = quotas.metered(partial(next, parts, None))
            while part := await self._turn(step, latest):
                yield part
                # It has begun in time. At the deadline, `cancel` ends it.
                latest = None

    @contextmanager
    def _admitted(self, seconds_left: float | None) -> Iterator[tuple[Cancel, float | None]]:
        """A place in the pool: the switch that ends the search, and the latest time to begin."""
        expected = self._expected_wait()
        if self._room == 0:
            self._metrics.rejected["search_queue"].inc()
            raise Overloaded("", "the search queue is full", retry_seconds=expected)
        cancel = Cancel()
        if seconds_left is None:
            latest, alarm = None, None
        else:
            spare = seconds_left - MARGIN_SECONDS
            if spare < expected + USEFUL_SECONDS:
                raise self._too_late(expected)
            latest = monotonic() + spare - USEFUL_SECONDS
            alarm = asyncio.get_running_loop().call_later(spare, cancel.set)
        self._room -= 1
        try:
            yield cancel, latest
        finally:
            self._room += 1
            cancel.set()
            if alarm is not None:
                alarm.cancel()

    def _too_late(self, expected: float) -> Overloaded:
        self._metrics.rejected["deadline"].inc()
        return Overloaded(
            "", "the deadline would pass before the search begins", retry_seconds=expected
        )

    def _expected_wait(self) -> float:
        """Estimated seconds until a new search would begin, judging by recent ones."""
        if self._free:
            return 0.0
        now, mean = monotonic(), self._mean
        elapsed = [now - began for began in self._began]
        # A search that already took longer than the mean may take as long again.
        left = sum(mean - spent if spent < mean else spent for spent in elapsed)
        return (left + len(self._waiting) * mean) / self._slots

    async def _turn(self, work: Callable[[], Answer], latest: float | None) -> Answer:
        """Wait for a slot, work in it, and release it when the work has really ended."""
        if self._free:
            self._free -= 1
        else:
            await self._wait(latest)
        began = monotonic()
        self._began.append(began)
        self._update_metrics()
        under_way = asyncio.get_running_loop().run_in_executor(self._threads, work)
        under_way.add_done_callback(partial(self._end, began))
        return await asyncio.shield(under_way)

    async def _wait(self, latest: float | None) -> None:
        """Wait for a slot; gives up if the caller leaves or its deadline comes too close."""
        loop = asyncio.get_running_loop()
        turn = loop.create_future()
        self._waiting[turn] = monotonic()
        self._update_metrics()
        alarm = None
        if latest is not None:
            alarm = loop.call_later(latest - monotonic(), self._give_up, turn)
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
            self._update_metrics()

    def _give_up(self, turn: asyncio.Future[None]) -> None:
        if not turn.done():
            turn.set_exception(self._too_late(self._expected_wait()))

    def _end(self, began: float, ended: asyncio.Future[Answer]) -> None:
        if not ended.cancelled():
            # If the caller has left, nobody else retrieves the exception.
            ended.exception()
        self._mean += WEIGHT * (monotonic() - began - self._mean)
        self._began.remove(began)
        self._pass_on()

    def _pass_on(self) -> None:
        """Give the free slot to the first search in the queue."""
        turn = next((turn for turn in self._waiting if not turn.done()), None)
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

    def close(self) -> None:
        """Start no more searches."""
        self._threads.shutdown(wait=False, cancel_futures=True)


def _lower_priority(cores: set[int]) -> None:
    # On Linux, every thread has its own priority and CPU affinity, inherited from the process.
    thread = threading.get_native_id()
    own = os.getpriority(os.PRIO_PROCESS, 0)
    os.setpriority(os.PRIO_PROCESS, thread, own + NICENESS)
    os.sched_setaffinity(thread, cores)
