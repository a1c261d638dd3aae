"""Where searches run: a few threads and a short queue, so that cheap calls never wait for them."""

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

# Search threads give way to the event loop by this much.
NICENESS = 10
# Kept from a caller's deadline for the answer to be written and sent.
MARGIN_SECONDS = 0.02
# A search that could not think for this long would suggest next to nothing.
USEFUL_SECONDS = 0.01
# What a turn in a slot is taken to last before any has ended, and what each one changes of that.
FIRST_GUESS, WEIGHT = 0.1, 0.2


class SearchPool:
    """Runs searches with the GIL released; refuses what it could not begin soon."""

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
            initializer=_give_way,
            initargs=(set(cores or os.sched_getaffinity(0)),),
        )
        self._slots = self._free = slots
        self._room = slots + queue
        self._metrics = metrics or Metrics()
        # Turns that wait for a slot, the first in front, and when they came; when those began that
        # have one.
        self._waiting: dict[asyncio.Future[None], float] = {}
        self._began: list[float] = []
        self._mean = FIRST_GUESS

    async def run(
        self, search: Callable[[Cancel], Answer], seconds_left: float | None = None
    ) -> Answer:
        """The result of a search; ending this coroutine early ends the search too.

        With a deadline, the search ends in time for its answer to be sent, whatever it was asked.
        """
        quotas = CALLER.get().quotas
        with quotas.searching(), self._admitted(seconds_left) as (cancel, latest):
            return await self._turn(quotas.metered(partial(search, cancel)), latest)

    async def stream(
        self, search: Callable[[Cancel], Iterator[Answer]], seconds_left: float | None = None
    ) -> AsyncGenerator[Answer, None]:
        """The results of a search that goes on; closing this iterator early ends the search too.

        Every part is run by itself, when the one before it has been taken: a caller who does not
        read costs nothing, and searches that wait get their turn in between.
        """
        quotas = CALLER.get().quotas
        with quotas.searching(), self._admitted(seconds_left) as (cancel, latest):
            parts = search(cancel)
            step = quotas.metered(partial(next, parts, None))
            while part := await self._turn(step, latest):
                yield part
                # It has begun in time; when the deadline comes, its switch ends it.
                latest = None

    @contextmanager
    def _admitted(self, seconds_left: float | None) -> Iterator[tuple[Cancel, float | None]]:
        """A place in the pool: the switch of a search, and when it has to have begun."""
        expected = self._expected_wait()
        if self._room == 0:
            self._metrics.sheds["queue"].inc()
            raise Overloaded("", "all searches that fit are under way", retry_seconds=expected)
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
        self._metrics.sheds["deadline"].inc()
        return Overloaded(
            "", "the call's deadline would pass before a search begins", retry_seconds=expected
        )

    def _expected_wait(self) -> float:
        """Seconds until a search that comes now would begin, as far as recent ones tell."""
        if self._free:
            return 0.0
        now, mean = monotonic(), self._mean
        elapsed = [now - began for began in self._began]
        # One that has outlived the usual may take as long again.
        left = sum(mean - spent if spent < mean else spent for spent in elapsed)
        return (left + len(self._waiting) * mean) / self._slots

    async def _turn(self, work: Callable[[], Answer], latest: float | None) -> Answer:
        """Wait for a slot, work in it, and give it back when the work has really ended."""
        if self._free:
            self._free -= 1
        else:
            await self._wait(latest)
        began = monotonic()
        self._began.append(began)
        self._tell()
        under_way = asyncio.get_running_loop().run_in_executor(self._threads, work)
        under_way.add_done_callback(partial(self._end, began))
        return await asyncio.shield(under_way)

    async def _wait(self, latest: float | None) -> None:
        """Until it is this caller's turn; a caller who leaves, or would be too late, is dropped."""
        loop = asyncio.get_running_loop()
        turn = loop.create_future()
        self._waiting[turn] = monotonic()
        self._tell()
        alarm = None
        if latest is not None:
            alarm = loop.call_later(latest - monotonic(), self._give_up, turn)
        try:
            await turn
        except asyncio.CancelledError:
            # The slot may have been given to it in the same moment.
            if turn.done() and not turn.cancelled() and not turn.exception():
                self._pass_on()
            raise
        finally:
            if alarm is not None:
                alarm.cancel()
            self._waiting.pop(turn, None)
            self._tell()

    def _give_up(self, turn: asyncio.Future[None]) -> None:
        if not turn.done():
            turn.set_exception(self._too_late(self._expected_wait()))

    def _end(self, began: float, ended: asyncio.Future[Answer]) -> None:
        if not ended.cancelled():
            # Its caller may have left, and then nobody else looks at how it ended.
            ended.exception()
        self._mean += WEIGHT * (monotonic() - began - self._mean)
        self._began.remove(began)
        self._pass_on()

    def _pass_on(self) -> None:
        """Let the first in the queue have the slot that has become free."""
        turn = next((turn for turn in self._waiting if not turn.done()), None)
        if turn is None:
            self._free += 1
        else:
            del self._waiting[turn]
            turn.set_result(None)
        self._tell()

    def _tell(self) -> None:
        metrics = self._metrics
        metrics.running.set(len(self._began))
        metrics.queued.set(len(self._waiting))
        metrics.waiting_since.set(next(iter(self._waiting.values()), 0.0))

    def close(self) -> None:
        """Begin no more searches."""
        self._threads.shutdown(wait=False, cancel_futures=True)


def _give_way(cores: set[int]) -> None:
    # On Linux a thread has a priority and cores of its own; it begins with those of its process.
    thread = threading.get_native_id()
    own = os.getpriority(os.PRIO_PROCESS, 0)
    os.setpriority(os.PRIO_PROCESS, thread, own + NICENESS)
    os.sched_setaffinity(thread, cores)
