"""What happens on the wire in one call of the direct server.

A call belongs first to the polling thread. If it has to wait, a task on the event loop takes over:
the task starts operations, and the polling thread reports to the event loop that they completed.

gRPC keeps a connection, and the server, until every call object is freed. So an exchange that has
ended drops its call: exceptions and tasks refer back to the exchange, and only the garbage
collector would free such a cycle.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from tablier_service.lifecycle import ClientGone
from tablier_service.transports.grpc import core


def ignore(event: Any) -> None:
    """The tag of operations whose completion changes nothing."""


class Exchange:
    """One call on the wire. Subclasses decide what to send."""

    __slots__ = ("_gone", "_loop", "_task", "wire")

    def __init__(self, wire: core.CoreCall, loop: asyncio.AbstractEventLoop) -> None:
        # None once the call has ended.
        self.wire = wire
        self._loop = loop
        self._task: asyncio.Task[None] | None = None
        # Whether the client has left. The polling thread sets it, and never resets it.
        self._gone = False

    # On the polling thread.

    def continue_on_loop(self) -> None:
        """Let `run` go on, on the event loop; it is cancelled if the client leaves."""
        core.receive_close(self.wire, self._closed)
        self._post(self._create_task)

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

    def _create_task(self) -> None:
        self._task = self._loop.create_task(self.run())
        self._task.add_done_callback(self._done)

    def _cancel(self) -> None:
        if self._task is not None:
            # After the first step of the task, which begins what cancelling has to end.
            self._loop.call_soon(self._task.cancel)

    def _done(self, task: asyncio.Task[None]) -> None:
        self.drop()
        error = None if task.cancelled() else task.exception()
        if error is not None and not isinstance(error, ClientGone):
            self._loop.call_exception_handler(
                {"message": "a call failed", "exception": error, "task": task}
            )

    async def run(self) -> None:
        """The part of the call that waits."""
        raise NotImplementedError

    def drop(self) -> None:
        """Forget the call. gRPC keeps it until the operations in progress have completed."""
        self.wire = None
        self._task = None

    async def send(self, message: bytes) -> None:
        """Send one of several answers, and wait until there is room for the next."""
        future, tag = self._completion()
        core.send_message(self.wire, message, tag)
        if not (await future).success:
            raise ClientGone

    async def read(self) -> bytes | None:
        """Receive the next message; None at the end of the stream."""
        future, tag = self._completion()
        core.receive_message(self.wire, tag)
        message = core.message_in(await future)
        if message is None and self._gone:
            # A client that leaves ends its stream, too.
            raise ClientGone
        return message

    def _completion(self) -> tuple[asyncio.Future[Any], core.Tag]:
        """A future on the event loop, and the tag that completes it with the event."""
        future = self._loop.create_future()

        def complete(event: Any) -> None:
            self._post(_resolve, future, event)

        return future, complete


def _resolve(future: asyncio.Future[Any], event: Any) -> None:
    # Nobody may be waiting any more.
    if not future.done():
        future.set_result(event)
