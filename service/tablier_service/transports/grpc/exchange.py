"""What happens on the wire in one call of the direct server.

A call belongs first to the polling thread. If it has to wait, a task on the event loop takes over:
the task starts operations, and the polling thread reports to the event loop that they completed.

gRPC keeps a connection, and the server, until every call object is freed. So an exchange that has
ended drops its call: exceptions and tasks refer back to the exchange, and only the garbage
collector would free such a cycle.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Any

from tablier_service.lifecycle import ClientGone
from tablier_service.transports.grpc import core

# How many messages of a stream are received ahead, if they are no larger than this.
AHEAD = 8
AHEAD_BYTES = 8192


def ignore(event: Any) -> None:
    """The tag of operations whose completion changes nothing."""


class Exchange:
    """One call on the wire. Subclasses decide what to send."""

    __slots__ = ("_gone", "_inbox", "_loop", "_outbox", "_task", "wire")

    def __init__(self, wire: core.CoreCall, loop: asyncio.AbstractEventLoop) -> None:
        # None once the call has ended.
        self.wire = wire
        self._loop = loop

    # On the polling thread.

    def continue_on_loop(self, run: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """Let a coroutine go on, on the event loop; it is cancelled if the client disconnects."""
        self._task: asyncio.Task[None] | None = None
        # Whether the client has disconnected. The polling thread sets it, and never resets it.
        self._gone = False
        # For streams only.
        self._inbox: Inbox | None = None
        self._outbox: Outbox | None = None
        core.receive_close(self.wire, self._closed)
        self._post(self._create_task, run)

    def _closed(self, event: Any) -> None:
        if core.was_cancelled(event):
            self._gone = True
            self._post(self._cancel)

    def reject(self, code: int, message: str, details: core.Metadata = ()) -> None:
        """End a call that has sent nothing and does not `continue_on_loop`, with an error."""
        core.reject(self.wire, code, message, details, ignore)
        self.drop()

    def _post(self, step: Callable[..., object], *args: Any) -> None:
        """Let the event loop take a step; one that is closed has no more calls."""
        with suppress(RuntimeError):
            self._loop.call_soon_threadsafe(step, *args)

    # On the event loop.

    def _create_task(self, run: Callable[[], Coroutine[Any, Any, None]]) -> None:
        self._task = self._loop.create_task(run())
        self._task.add_done_callback(self._done)

    def _cancel(self) -> None:
        if self._task is not None:
            # After the first step of the task, which begins what cancelling has to end.
            self._loop.call_soon(self._task.cancel)

    def _done(self, task: asyncio.Task[None]) -> None:
        self._task = None
        for box in (self._inbox, self._outbox):
            if box is not None:
                box.wire = None
        self.drop()
        error = None if task.cancelled() else task.exception()
        if error is not None and not isinstance(error, ClientGone):
            self._loop.call_exception_handler(
                {"message": "a call failed", "exception": error, "task": task}
            )

    def drop(self) -> None:
        """Forget the call. gRPC keeps it until the operations in progress have completed."""
        self.wire = None

    async def send(self, message: bytes) -> None:
        """Send one of several answers, when the one before has been sent."""
        if self._outbox is None:
            self._outbox = Outbox(self.wire, self._loop)
        await self._outbox.send(message)

    async def flush(self) -> None:
        """Wait until the last answer has left."""
        if self._outbox is not None:
            await self._outbox.flush()

    async def read(self) -> bytes | None:
        """Receive the next message; None at the end of the stream."""
        if self._inbox is None:
            self._inbox = Inbox(self.wire, self._loop)
        message = await self._inbox.read()
        if message is None and self._gone:
            # A client that disconnects ends its stream, too.
            raise ClientGone
        return message


class Box:
    """What the polling thread and a task on the event loop exchange about one stream.

    Neither needs a lock. The polling thread first changes the state and then looks whether the task
    waits; the task first announces that it waits and then looks at the state once more.
    """

    __slots__ = ("_loop", "_waiter", "wire")

    def __init__(self, wire: core.CoreCall, loop: asyncio.AbstractEventLoop) -> None:
        # None once the call has ended.
        self.wire = wire
        self._loop = loop
        self._waiter: asyncio.Future[None] | None = None

    def wake(self) -> None:
        """On the polling thread: let the task look at the state if it waits."""
        waiter = self._waiter
        if waiter is not None:
            self._waiter = None
            with suppress(RuntimeError):
                self._loop.call_soon_threadsafe(_resolve, waiter)

    async def until(self, holds: Callable[[], bool]) -> None:
        """On the event loop: wait until a condition holds."""
        while not holds():
            self._waiter = waiter = self._loop.create_future()
            if not holds():
                await waiter
            self._waiter = None


class Inbox(Box):
    """The messages that have arrived on a stream. Small ones are received ahead."""

    __slots__ = ("_error", "_messages", "_paused", "_turns", "silent")

    def __init__(self, wire: core.CoreCall, loop: asyncio.AbstractEventLoop) -> None:
        Box.__init__(self, wire, loop)
        self._messages: deque[bytes | None] = deque()
        # Whether no message is being received. The side that starts to receive resets it.
        self._paused = True
        # How many messages were read without letting the event loop serve others.
        self._turns = 0
        # Whether nothing has come yet. The polling thread resets it.
        self.silent = True
        # Why nothing more is read.
        self._error: Exception | None = None

    def _received(self, event: Any) -> None:
        self.silent = False
        wire, message = self.wire, core.message_in(event)
        self._messages.append(message)
        ahead = len(self._messages) < AHEAD and message is not None and len(message) <= AHEAD_BYTES
        if ahead and wire is not None:
            core.receive_message(wire, self._received)
        else:
            self._paused = True
        self.wake()

    async def read(self) -> bytes | None:
        """Take the next message; None at the end of the stream."""
        messages = self._messages
        if not messages:
            self._turns = 0
            await self.until(self._can_take)
            if not messages:
                assert self._error is not None
                raise self._error
        elif self._turns < AHEAD:
            self._turns += 1
        else:
            self._turns = 0
            await asyncio.sleep(0)
        return messages.popleft()

    def _can_take(self) -> bool:
        if self._error is not None:
            return True
        if not self._messages and self._paused:
            self._paused = False
            core.receive_message(self.wire, self._received)
        return bool(self._messages)

    @property
    def waits(self) -> bool:
        """Whether the next message is being received."""
        return not (self._paused or self._messages)

    def interrupt(self, error: Exception) -> None:
        """On the event loop: let `read` raise an error once all messages are read."""
        self._error = error
        if self._waiter is not None:
            _resolve(self._waiter)


class Outbox(Box):
    """The message that is being sent on a stream."""

    __slots__ = ("_failed", "_sending")

    def __init__(self, wire: core.CoreCall, loop: asyncio.AbstractEventLoop) -> None:
        Box.__init__(self, wire, loop)
        self._sending = False
        self._failed = False

    def _sent(self, event: Any) -> None:
        self._failed = not event.success
        self._sending = False
        self.wake()

    async def send(self, message: bytes) -> None:
        """Send a message when the one before has been sent; raises ClientGone."""
        if self._sending:
            await self.until(lambda: not self._sending)
        if self._failed:
            raise ClientGone
        self._sending = True
        core.send_message(self.wire, message, self._sent)

    async def flush(self) -> None:
        """Wait until the last message has left."""
        if self._sending:
            await self.until(lambda: not self._sending)


def _resolve(waiter: asyncio.Future[None]) -> None:
    # Nobody may be waiting any more.
    if not waiter.done():
        waiter.set_result(None)
