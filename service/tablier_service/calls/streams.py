"""Answering a stream of requests: as answers become ready, several per message if they queue up.

A message costs gRPC more than an operation costs the core. While one message is being sent, further
answers wait and then go together in the next: the bytes of messages that consist of repeated fields
can be joined by concatenation. Work that takes longer than a slice continues while later requests
are served, so a long operation does not delay a short one.
"""

from __future__ import annotations

import asyncio
import sys
from collections import deque
from collections.abc import Awaitable, Callable, Coroutine, Generator, Iterator
from contextlib import contextmanager
from itertools import count
from types import TracebackType
from typing import Any, Generic, NamedTuple, TypeVar

from tablier_service.calls.slices import Work, run_slice
from tablier_service.errors import SlowReader, Stopping, StreamIdle

T = TypeVar("T")

# No request is read while there are more unsent bytes or more long operations than this. The answer
# of a long operation can have megabytes.
MAX_UNSENT_BYTES = 256 * 1024
MAX_LONG = 4
# How long answers wait for others to share a message with, at most.
LINGER_SECONDS = 0.003
# The pace of the caller is measured again after this many messages.
REMEASURE_MESSAGES = 256


class StreamTimeouts(NamedTuple):
    """How long a stream waits for its caller, in seconds."""

    # With nothing to do and nothing to send.
    idle: float
    # For the caller to take a message.
    slow_reader: float


class Answers:
    """The answers that the caller of one stream waits for."""

    def __init__(
        self,
        write: Callable[[bytes], Awaitable[None]],
        run_long: Callable[[Work[bytes]], Awaitable[bytes]],
        timeouts: StreamTimeouts,
    ) -> None:
        self._write = write
        # Runs work that takes longer than a slice.
        self._run_long = run_long
        self._timeouts = timeouts
        self._ready: deque[bytes] = deque()
        self._unsent = 0
        # How many answers the sender waits for, and when the latest became ready.
        self._wanted = 1
        self._loop = asyncio.get_running_loop()
        self._latest = self._loop.time()
        # Since when the caller has been given a message that it has yet to take.
        self._sending_since: float | None = None
        self._long: set[asyncio.Task[None]] = set()
        # The task that reads the stream, and the error that has to end it.
        self._reader = asyncio.current_task()
        self._error: BaseException | None = None
        self._closing = False
        self._enough = asyncio.Event()
        self._room = asyncio.Event()
        self._sender = asyncio.create_task(self._send())
        # It ends only if it fails; then a reader that waits for room must wake up.
        self._sender.add_done_callback(lambda _: self._room.set())
        self._timer = self._loop.call_later(min(timeouts), self._check_timeouts)

    async def __aenter__(self) -> Answers:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None
    ) -> None:
        """Send all answers; if the stream failed, only those that are ready."""
        self._closing = True
        if self._error is not None and isinstance(error, asyncio.CancelledError):
            # Cancelled by `_fail`, not by the caller.
            assert self._reader is not None
            self._reader.uncancel()
            error = self._error
        try:
            if error is None or isinstance(error, Stopping):
                await asyncio.gather(*self._long)
            if not isinstance(error, asyncio.CancelledError):
                while self._unsent and not self._sender.done():
                    await self._wait_for_room()
        finally:
            self._timer.cancel()
            for task in (*self._long, self._sender):
                task.cancel()
            await asyncio.gather(*self._long, self._sender, return_exceptions=True)
        if self._error is not None and error in (None, self._error):
            raise self._error

    def add(self, work: Work[bytes]) -> None:
        """Do some work, or start it if it takes longer than a slice."""
        answer = run_slice(work)
        if answer is not None:
            self._put(answer)
        else:
            task = asyncio.create_task(self._finish(work))
            self._long.add(task)
            task.add_done_callback(self._end)

    @property
    def full(self) -> bool:
        """Whether nothing may be added until there is room."""
        return self._unsent > MAX_UNSENT_BYTES or len(self._long) >= MAX_LONG

    async def room(self) -> None:
        """Wait until more may be added."""
        while self.full:
            await self._wait_for_room()

    async def _finish(self, work: Work[bytes]) -> None:
        try:
            answer = await self._run_long(work)
        finally:
            self._room.set()
        self._put(answer)

    def _end(self, task: asyncio.Task[None]) -> None:
        """Forget a long operation that has ended; if it failed, the stream fails with it."""
        self._long.discard(task)
        error = None if task.cancelled() else task.exception()
        if error is not None and not self._closing:
            self._fail(error)

    def _fail(self, error: BaseException) -> None:
        """Make the stream end with an error, unless it has one already."""
        if self._error is None:
            self._error = error
            if self._reader is not None and not self._closing:
                self._reader.cancel()

    def _check_timeouts(self) -> None:
        """End the stream if its caller sends nothing or takes nothing for too long.

        Starting a timer for every message would cost more.
        """
        idle, slow_reader = self._timeouts
        now = self._loop.time()
        if self._sending_since is not None:
            left = self._sending_since + slow_reader - now
        elif self._unsent or self._long:
            left = slow_reader
        else:
            left = self._latest + idle - now
        if left > 0:
            self._timer = self._loop.call_later(min(left, slow_reader), self._check_timeouts)
        elif self._sending_since is None:
            self._fail(StreamIdle.after(idle))
        else:
            self._fail(SlowReader.after(slow_reader))
            self._sender.cancel()

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
        """Send an answer at once if none is being sent, and answers that queue up together.

        A caller that waits for each answer gets each one at once. A caller that keeps a number of
        requests in flight sends no more until it is answered: if nothing came during the second
        half of a wait, waiting was pointless, and next time as many answers as now are enough.
        """
        enough = sys.maxsize
        for sent in count():
            await self._until(1)
            message = self._ready.popleft()
            if self._ready:
                message = self._joined(message)
            self._sending_since = self._loop.time()
            await self._write(message)
            self._sending_since = None
            self._unsent -= len(message)
            self._room.set()
            if sent % REMEASURE_MESSAGES == 0:
                enough = sys.maxsize
            if self._ready:
                timer = self._loop.call_later(LINGER_SECONDS, self._enough.set)
                await self._until(enough)
                timer.cancel()
                if self._loop.time() - self._latest > LINGER_SECONDS / 2:
                    enough = len(self._ready)

    async def _until(self, wanted: int) -> None:
        """Wait until this many answers are ready, or the time to wait for them is over."""
        if len(self._ready) < wanted:
            self._wanted = wanted
            self._enough.clear()
            await self._enough.wait()

    def _joined(self, first: bytes) -> bytes:
        """Join as many of the ready answers as one message should carry."""
        parts, size = [first], len(first)
        while self._ready and size + len(self._ready[0]) <= MAX_UNSENT_BYTES:
            parts.append(self._ready.popleft())
            size += len(parts[-1])
        return b"".join(parts)


class Eager(Generic[T]):
    """A coroutine that runs immediately up to its first wait, or to its end, and is awaited later.

    A task would start only when the event loop gets to it, after the current work.
    """

    def __init__(self, work: Coroutine[Any, Any, T]) -> None:
        self._work = work
        self._awaited = False
        self._ended = False
        try:
            self._waits_for = work.send(None)
        except StopIteration as end:
            self._ended = True
            self._result: T = end.value

    def __await__(self) -> Generator[Any, Any, T]:
        self._awaited = True
        if self._ended:
            return self._result
        yield self._waits_for
        return (yield from self._work.__await__())

    def abandon(self) -> None:
        """If nobody awaited it, let it end by itself, so that what it acquired is released."""
        if not (self._awaited or self._ended):
            ending = asyncio.ensure_future(self)
            # Nobody is interested in an error either.
            ending.add_done_callback(lambda ended: ended.cancelled() or ended.exception())


class Readers:
    """The tasks that read streams, so that all of them can be stopped."""

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[Any]] = set()
        self._stopped = False

    def stop(self) -> None:
        """Make every task stop reading."""
        self._stopped = True
        for task in self._tasks:
            task.cancel()

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Context in which the current task reads; raises Stopping when it has to stop."""
        task = asyncio.current_task()
        assert task is not None
        stopping = Stopping(
            "", "the service is stopping; send unanswered requests again on another stream"
        )
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
