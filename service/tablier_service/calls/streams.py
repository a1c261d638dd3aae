"""The answers of a stream of requests: sent as they come, many in one message when they queue up.

A message costs gRPC more than an operation costs us. While one is being sent, the answers that
become ready wait, and go together in the next: a message of repeated fields alone can be joined to
another by joining their bytes. Work that takes longer than a slice goes on beside the requests that
follow it, so that a long operation holds up no short one.
"""

from __future__ import annotations

import asyncio
import sys
from collections import deque
from collections.abc import Awaitable, Callable, Coroutine, Generator, Iterator
from contextlib import contextmanager
from itertools import count
from time import perf_counter
from types import TracebackType
from typing import Any, Generic, TypeVar

from tablier_service.calls.slices import Work, begin, in_slices
from tablier_service.errors import Stopping

T = TypeVar("T")

# Beyond so many bytes of answers unsent, or so many long works under way, no request is read.
MAX_UNSENT_BYTES = 256 * 1024
MAX_LONG = 16
# How long answers wait for others to go with, at most.
LINGER_SECONDS = 0.003
# After so many messages the caller's pace is learnt anew.
RELEARN_MESSAGES = 256


class Answers:
    """What is owed to the caller of one stream."""

    def __init__(
        self, write: Callable[[bytes], Awaitable[None]], bill: Callable[[float], None]
    ) -> None:
        self._write = write
        # Told the seconds that each piece of work took.
        self._bill = bill
        self._ready: deque[bytes] = deque()
        self._unsent = 0
        # How many answers the sender waits for, and when the latest came.
        self._wanted = 1
        self._latest = 0.0
        self._long: set[asyncio.Task[None]] = set()
        self._loop = asyncio.get_running_loop()
        self._enough = asyncio.Event()
        self._room = asyncio.Event()
        self._sender = asyncio.create_task(self._send())
        # It ends only by failing, and whoever waits for room must know.
        self._sender.add_done_callback(lambda _: self._room.set())

    async def __aenter__(self) -> Answers:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None
    ) -> None:
        """Send what is ready, or will be; of a stream that failed only what is ready."""
        try:
            if error is None or isinstance(error, Stopping):
                await asyncio.gather(*self._long)
            if not isinstance(error, asyncio.CancelledError):
                while self._unsent and not self._sender.done():
                    await self._wait_for_room()
        finally:
            for task in (*self._long, self._sender):
                task.cancel()
            await asyncio.gather(*self._long, self._sender, return_exceptions=True)

    def add(self, work: Work[bytes]) -> None:
        """Do some work, or begin it."""
        begun = perf_counter()
        answer = begin(work)
        if answer is not None:
            self._bill(perf_counter() - begun)
            self._put(answer)
        else:
            task = asyncio.create_task(self._finish(work, begun))
            self._long.add(task)
            task.add_done_callback(self._long.discard)

    @property
    def full(self) -> bool:
        """Whether no more may be added until there is room."""
        return self._unsent > MAX_UNSENT_BYTES or len(self._long) >= MAX_LONG

    async def room(self) -> None:
        """Come back when more may be added."""
        while self.full:
            await self._wait_for_room()

    async def _finish(self, work: Work[bytes], begun: float) -> None:
        try:
            answer = await in_slices(work)
        finally:
            self._bill(perf_counter() - begun)
            self._room.set()
        self._put(answer)

    def _put(self, answer: bytes) -> None:
        self._ready.append(answer)
        self._unsent += len(answer)
        self._latest = self._loop.time()
        if len(self._ready) >= self._wanted:
            self._enough.set()

    async def _wait_for_room(self) -> None:
        if self._sender.done():
            # Nothing more can be sent.
            self._sender.result()
        self._room.clear()
        await self._room.wait()

    async def _send(self) -> None:
        """Send an answer at once if none is being sent; those that follow it closely together.

        A caller who waits for each answer gets each at once. One who keeps some requests under way
        sends no more before it is answered: when nothing came for the latter half of a wait, there
        was nothing to wait for, and as many as are ready then are enough the next times.
        """
        enough = sys.maxsize
        for sent in count():
            await self._until(1)
            message = self._ready.popleft()
            if self._ready:
                message = self._joined(message)
            await self._write(message)
            self._unsent -= len(message)
            self._room.set()
            if sent % RELEARN_MESSAGES == 0:
                enough = sys.maxsize
            if self._ready:
                timer = self._loop.call_later(LINGER_SECONDS, self._enough.set)
                await self._until(enough)
                timer.cancel()
                if self._loop.time() - self._latest > LINGER_SECONDS / 2:
                    enough = len(self._ready)

    async def _until(self, wanted: int) -> None:
        """Come back when so many answers are ready, or it is enough for another reason."""
        if len(self._ready) < wanted:
            self._wanted = wanted
            self._enough.clear()
            await self._enough.wait()

    def _joined(self, first: bytes) -> bytes:
        """As many of the answers that are ready as one message should carry."""
        parts, size = [first], len(first)
        while self._ready and size + len(self._ready[0]) <= MAX_UNSENT_BYTES:
            parts.append(self._ready.popleft())
            size += len(parts[-1])
        return b"".join(parts)


class Begun(Generic[T]):
    """A coroutine that runs at once, up to where it waits for something, and is awaited later.

    A task would begin only when the event loop comes to it, after the work meanwhile.
    """

    def __init__(self, work: Coroutine[Any, Any, T]) -> None:
        self._work = work
        self._awaited = False
        self._waits_for = work.send(None)

    def __await__(self) -> Generator[Any, Any, T]:
        self._awaited = True
        yield self._waits_for
        return (yield from self._work.__await__())

    def abandon(self) -> None:
        """Let it end by itself if nobody awaited it: what it got by then has to be freed."""
        if not self._awaited:
            ending = asyncio.ensure_future(self)
            # An error is nobody's either.
            ending.add_done_callback(lambda ended: ended.cancelled() or ended.exception())


class Readers:
    """The tasks that read streams, all of which can be told to read no further."""

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[Any]] = set()
        self._stopped = False

    def stop(self) -> None:
        """Let nobody read on."""
        self._stopped = True
        for task in self._tasks:
            task.cancel()

    @contextmanager
    def reading(self) -> Iterator[None]:
        """The block of a task in which it reads; raises Stopping where it has to stop."""
        task = asyncio.current_task()
        assert task is not None
        stopping = Stopping("", "the service stops: send what has no answer on another stream")
        if self._stopped:
            raise stopping
        self._tasks.add(task)
        try:
            yield
        except asyncio.CancelledError:
            if not self._stopped:
                raise
            task.uncancel()
            raise stopping from None
        finally:
            self._tasks.discard(task)
