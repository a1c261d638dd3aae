"""Long calls run in slices of about a millisecond, so that other calls are served in between.

A long call is a generator that yields wherever it may pause and returns its answer; its runner
decides when to pause, and closes it when the caller disconnects. However many calls and streams
there are, a turn of the event loop begins work for two milliseconds, and runs one slice of what has
to wait. Accounts take turns.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Generator, Iterable
from time import perf_counter, thread_time
from typing import TypeAlias, TypeVar

from tablier_service.calls.fair_queue import FairQueue

T = TypeVar("T")

# Work that may pause at every `yield` and returns its result.
Work: TypeAlias = Generator[None, None, T]

SLICE_SECONDS = 0.001
# How much time the work that does not wait may take before the next turn of the event loop.
TURN_SECONDS = 0.002


def run_slice(work: Work[T]) -> T | None:
    """Run work for one slice; returns its result, or None if there is more to do."""
    end = perf_counter() + SLICE_SECONDS
    try:
        while perf_counter() < end:
            next(work)
    except StopIteration as done:
        result: T = done.value
        return result
    return None


class Slices:
    """Runs the long calls of an event loop."""

    def __init__(self) -> None:
        self._turns: FairQueue[asyncio.Future[None]] = FairQueue()
        # Whether `_next` is about to run.
        self._scheduled = False
        # How long work that did not wait has taken since `_forget`, and whether that is to run.
        self._spent = 0.0
        self._forgetting = False

    @property
    def has_time(self) -> bool:
        """Whether work may begin now, on the event loop, without waiting for a `turn`."""
        return self._spent < TURN_SECONDS

    def spend(self, seconds: float) -> None:
        """Count the time of work on the event loop that did not wait for a `turn`."""
        self._spent += seconds
        # Not for all work: another turn of the event loop would cost as much as a small call.
        if self._spent > TURN_SECONDS / 2 and not self._forgetting:
            self._forgetting = True
            asyncio.get_running_loop().call_soon(self._forget)

    def _forget(self) -> None:
        """Begin to count again, in the next turn of the event loop."""
        self._spent = 0.0
        self._forgetting = False

    async def run(self, work: Work[T], account: str, bill: Callable[[float], None]) -> T:
        """Run work in slices; `bill` is called with the CPU seconds of each."""
        result = None
        while result is None:
            await self.turn(account)
            began = thread_time()
            try:
                result = run_slice(work)
            finally:
                bill(thread_time() - began)
        return result

    async def turn(self, account: str) -> None:
        """Wait until it is an account's turn to work for a slice."""
        loop = asyncio.get_running_loop()
        turn = loop.create_future()
        self._turns.add(account, turn)
        if not self._scheduled:
            self._scheduled = True
            loop.call_soon(self._next, loop)
        try:
            await turn
        finally:
            self._turns.discard(account, turn)

    def _next(self, loop: asyncio.AbstractEventLoop) -> None:
        """Let the next call run a slice, in the next turn of the event loop."""
        turn = self._turns.take()
        self._scheduled = turn is not None
        if turn is not None:
            if not turn.done():
                turn.set_result(None)
            loop.call_soon(self._next, loop)


def collect(items: Iterable[T]) -> Work[list[T]]:
    """Collect items, with a possible pause after each."""
    collected = []
    for item in items:
        collected.append(item)
        yield
    return collected


def run_all(work: Work[T]) -> T:
    """Run work without a pause: for callers with a thread of their own."""
    try:
        while True:
            next(work)
    except StopIteration as done:
        result: T = done.value
        return result
