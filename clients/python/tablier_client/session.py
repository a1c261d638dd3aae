"""Sessions of both clients: many concurrent calls on one stream.

Calls that are submitted while a message is being sent travel together in the next one, so a busy
session costs the service little more than a batch. When the stream breaks, the session opens
another one and sends unanswered calls again; this is safe because calls have no side effects.
"""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import asynccontextmanager, suppress
from types import TracebackType
from typing import Any, Generic, Self, TypeVar

import grpc
from grpc import aio
from tablier.v1 import game_service_pb2 as pb

from tablier_client.call import Call, read_result, write_operation
from tablier_client.channel import Connection
from tablier_client.errors import Closed, ServiceFault, TablierError, Unavailable
from tablier_client.retries import Attempts

T = TypeVar("T")
F = TypeVar("F", Future[Any], asyncio.Future[Any])

# Limit of the service per message.
MAX_OPERATIONS = 1024
STATUS_SECONDS = 5.0


class Outstanding(Generic[F]):
    """The unanswered calls of a session; not thread-safe."""

    def __init__(self) -> None:
        self._last = 0
        self._waiting: deque[pb.Operation] = deque()
        self._calls: dict[int, tuple[pb.Operation, Call[Any], F]] = {}
        # Why the session ended before it was closed.
        self.failure: TablierError | None = None

    def add(self, call: Call[Any], future: F) -> None:
        """Queue a call for the next message; raises InvalidField if it is not an operation."""
        operation = write_operation(call, "call")
        if self.failure is not None:
            raise self.failure
        self._last += 1
        operation.id = self._last
        self._waiting.append(operation)
        self._calls[self._last] = operation, call, future

    def __bool__(self) -> bool:
        return bool(self._calls)

    def send_again(self) -> None:
        """Queue all unanswered calls again, including those that were sent."""
        self._waiting = deque(operation for operation, _, _ in self._calls.values())

    def next_message(self) -> pb.PlayRequest | None:
        """Return the next message to send, or None if no call is queued."""
        count = min(len(self._waiting), MAX_OPERATIONS)
        if not count:
            return None
        return pb.PlayRequest(operations=[self._waiting.popleft() for _ in range(count)])

    def settle(self, answer: pb.PlayResponse) -> list[tuple[F, Any]]:
        """Return the futures that a message answers, each with its result or exception.

        Raises ServiceFault, and changes nothing, if the message answers an unknown call.
        """
        settled: dict[int, tuple[F, Any]] = {}
        for result in answer.results:
            if result.id not in self._calls or result.id in settled:
                raise ServiceFault(
                    "the service answered an unknown operation", code=grpc.StatusCode.INTERNAL
                )
            _, call, future = self._calls[result.id]
            settled[result.id] = future, read_result(call, result)
        for number in settled:
            del self._calls[number]
        return list(settled.values())

    def fail(self, failure: TablierError) -> list[tuple[F, Any]]:
        """End with an error for all unanswered and all later calls; returns the futures."""
        self.failure = failure
        settled = [(future, failure) for _, _, future in self._calls.values()]
        self._calls.clear()
        self._waiting.clear()
        return settled


class Session:
    """A stream of calls; a context manager, safe to share between threads.

    Leaving the context waits for outstanding answers, unless an exception was raised in it.
    """

    def __init__(
        self,
        play: Callable[..., Any],
        connection: Connection,
        retry_seconds: float,
    ) -> None:
        self._play = play
        self._connection = connection
        # How long the service may be unreachable, in seconds.
        self._retry_seconds = retry_seconds
        self._outstanding: Outstanding[Future[Any]] = Outstanding()
        self._changed = threading.Condition()
        self._closed = False
        self._left = False
        # The current stream and its number; earlier streams must not send any more.
        self._stream: Any = None
        self._number = 0
        self._runner = threading.Thread(target=self._run, name="tablier-session", daemon=True)
        self._runner.start()

    def __repr__(self) -> str:
        return f"<Session: {self._connection}>"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if kind is not None:
            with self._changed:
                self._left = True
                stream = self._stream
            if stream is not None:
                stream.cancel()
        self.close()

    def close(self) -> None:
        """Send what is waiting, and wait for all answers."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
        self._runner.join()

    def submit(self, call: Call[T]) -> Future[T]:
        """Send one of `client.calls`; its future has the result or raises TablierError."""
        future: Future[T] = Future()
        # A submitted call cannot be cancelled.
        future.set_running_or_notify_cancel()
        with self._changed:
            if self._closed:
                raise Closed("the session is closed", code=grpc.StatusCode.CANCELLED)
            self._outstanding.add(call, future)
            self._changed.notify_all()
        return future

    def _run(self) -> None:
        """Stream after stream, each as long as it lasts."""
        attempts = None
        while self._wait_for_calls():
            try:
                for answer in self._open():
                    self._connection.answered()
                    with self._changed:
                        settled = self._outstanding.settle(answer)
                    settle(settled)
                    attempts = None
                ended: Exception = unanswered()
            except Exception as error:
                ended = error
            attempts = attempts or Attempts(self._connection, self._retry_seconds)
            pause = attempts.pause_after(ended)
            with self._changed:
                if self._stream is not None:
                    self._stream.cancel()
                self._number += 1
                self._changed.notify_all()
                if not self._left and pause is not None:
                    self._outstanding.send_again()
                    self._changed.wait_for(lambda: self._left, pause)
                    continue
            failure = left() if self._left else self._connection.explain(attempts.failure)
            with self._changed:
                # Nothing reads answers any more, so no future may wait for one.
                settled = self._outstanding.fail(failure)
            settle(settled)
            return

    def _wait_for_calls(self) -> bool:
        """Wait for a call to send; False if the session was closed and there is none."""
        with self._changed:
            self._changed.wait_for(lambda: self._outstanding or self._closed)
            return bool(self._outstanding)

    def _open(self) -> Any:
        """Open a new stream."""
        with self._changed:
            messages = self._messages(self._number)
            self._stream = self._play(messages, metadata=self._connection.metadata)
            if self._left:
                self._stream.cancel()
            return self._stream

    def _messages(self, number: int) -> Iterator[pb.PlayRequest]:
        """Yield the messages of a stream; grpc asks for the next when the last one was sent."""
        while (message := self._next_message(number)) is not None:
            yield message

    def _next_message(self, number: int) -> pb.PlayRequest | None:
        with self._changed:
            while self._number == number:
                message = self._outstanding.next_message()
                if message is not None or self._closed:
                    return message
                self._changed.wait()
            return None


class AsyncSession:
    """A stream of calls; an async context manager for a single event loop.

    Leaving the context waits for outstanding answers, unless an exception was raised in it.
    """

    def __init__(
        self,
        methods: Mapping[str, Callable[..., Any]],
        connection: Connection,
        retry_seconds: float,
    ) -> None:
        self._methods = methods
        self._connection = connection
        # How long the service may be unreachable, in seconds.
        self._retry_seconds = retry_seconds
        self._outstanding: Outstanding[asyncio.Future[Any]] = Outstanding()
        self._changed = asyncio.Event()
        self._closed = False
        # The error of unanswered calls, unless a stream failed with another one.
        self._ended: TablierError = left()
        self._runner = asyncio.ensure_future(self._run())
        # Once nothing reads answers any more, no future may wait for one.
        self._runner.add_done_callback(lambda _: settle(self._outstanding.fail(self._ended)))

    def __repr__(self) -> str:
        return f"<AsyncSession: {self._connection}>"

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if kind is not None:
            self._runner.cancel()
        await self.close()

    async def close(self) -> None:
        """Send what is waiting, and wait for all answers."""
        self._closed = True
        self._changed.set()
        await asyncio.wait([self._runner])

    def submit(self, call: Call[T]) -> asyncio.Future[T]:
        """Send one of `client.calls`; its future has the result or raises TablierError."""
        if self._closed:
            raise Closed("the session is closed", code=grpc.StatusCode.CANCELLED)
        future: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        self._outstanding.add(call, future)
        self._changed.set()
        return future

    async def _run(self) -> None:
        """Stream after stream, each as long as it lasts."""
        attempts = None
        while await self._wait_for_calls():
            try:
                async with self._opened() as stream:
                    async for answer in stream:
                        self._connection.answered()
                        settle(self._outstanding.settle(answer))
                        attempts = None
                ended: Exception = unanswered()
            except Exception as error:
                ended = await self._true_status(error)
            attempts = attempts or Attempts(self._connection, self._retry_seconds)
            pause = attempts.pause_after(ended)
            if pause is None:
                self._ended = await self._connection.explain_async(attempts.failure)
                return
            self._outstanding.send_again()
            await asyncio.sleep(pause)

    @asynccontextmanager
    async def _opened(self) -> AsyncIterator[Any]:
        """Open a new stream, with a task that writes to it."""
        stream = self._methods["Play"](metadata=self._connection.metadata)
        writer = asyncio.ensure_future(self._write(stream))
        try:
            yield stream
        finally:
            stream.cancel()
            writer.cancel()

    async def _true_status(self, error: Exception) -> Exception:
        """Return the error, or the one that gRPC hides behind it.

        If a server rejects a stream while the client writes to it, gRPC's asyncio version reports
        an error of its own instead of the status. A unary call is rejected for the same reason.
        """
        if not is_lost_status(error):
            return error
        request, metadata = pb.ListGamesRequest(), self._connection.metadata
        try:
            await self._methods["ListGames"](request, metadata=metadata, timeout=STATUS_SECONDS)
        except grpc.RpcError as status:
            return status
        return Unavailable("the stream was lost", code=grpc.StatusCode.UNAVAILABLE)

    async def _wait_for_calls(self) -> bool:
        """Wait for a call to send; False if the session was closed and there is none."""
        while not (self._outstanding or self._closed):
            await self._change()
        return bool(self._outstanding)

    async def _change(self) -> None:
        """Wait until a call is submitted or the session is closed."""
        self._changed.clear()
        await self._changed.wait()

    async def _write(self, stream: Any) -> None:
        # Writing fails if the stream has ended; its reader reports why.
        with suppress(grpc.RpcError, asyncio.InvalidStateError):
            while True:
                while (message := self._outstanding.next_message()) is not None:
                    await stream.write(message)
                if self._closed:
                    await stream.done_writing()
                    return
                await self._change()


def is_lost_status(failure: Exception) -> bool:
    """Whether gRPC's asyncio version reports that a stream ended, but not why."""
    return isinstance(failure, aio.AioRpcError) and failure.details() == "Internal error from Core"


def left() -> Closed:
    """Make the error for calls whose session or client was closed without waiting for them."""
    return Closed(
        "the session or its client was closed before the answer", code=grpc.StatusCode.CANCELLED
    )


def unanswered() -> ServiceFault:
    """Make the error for calls whose stream ended normally but without an answer."""
    return ServiceFault("the stream ended without an answer", code=grpc.StatusCode.INTERNAL)


def settle(settled: Sequence[tuple[Future[Any] | asyncio.Future[Any], Any]]) -> None:
    """Set the results and exceptions of futures."""
    for future, outcome in settled:
        if future.cancelled():
            continue
        if isinstance(outcome, Exception):
            future.set_exception(outcome)
        else:
            future.set_result(outcome)
