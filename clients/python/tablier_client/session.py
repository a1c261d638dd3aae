"""Many calls in flight on one stream: sessions of both clients.

What is submitted while a message is on its way travels together in the next one, so a session that
is kept busy costs the service little more than a batch.
"""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from types import TracebackType
from typing import Any, Generic, Self, TypeVar

import grpc
from tablier.v1 import game_service_pb2 as pb

from tablier_client.calls import Call, read_result, write_operation
from tablier_client.errors import ServiceFault, TablierError, from_call

T = TypeVar("T")
F = TypeVar("F", Future[Any], asyncio.Future[Any])

# What the service takes in one message.
MAX_OPERATIONS = 1024


class Outstanding(Generic[F]):
    """The calls of a session that are not answered yet. It does no locking."""

    def __init__(self) -> None:
        self._last = 0
        self._waiting: deque[pb.Operation] = deque()
        self._calls: dict[int, tuple[Call[Any], F]] = {}
        # Why the stream ended before it was closed.
        self.failure: Exception | None = None

    def add(self, call: Call[Any], future: F) -> None:
        """Let a call wait for the next message; raises ValueError for calls that are too costly."""
        operation = write_operation(call)
        if self.failure is not None:
            raise self.failure
        self._last += 1
        operation.id = self._last
        self._waiting.append(operation)
        self._calls[self._last] = call, future

    def next_message(self) -> pb.PlayRequest | None:
        """What is to be sent now, if anything is."""
        count = min(len(self._waiting), MAX_OPERATIONS)
        if not count:
            return None
        return pb.PlayRequest(operations=[self._waiting.popleft() for _ in range(count)])

    def settle(self, answer: pb.PlayResponse) -> list[tuple[F, Any]]:
        """The futures that a message answers, each with its result or its exception.

        Where that cannot be told, it raises, and all of them are outstanding still.
        """
        settled: dict[int, tuple[F, Any]] = {}
        for result in answer.results:
            if result.id not in self._calls or result.id in settled:
                raise ServiceFault("answered what was not asked", code=grpc.StatusCode.INTERNAL)
            call, future = self._calls[result.id]
            settled[result.id] = future, read_result(call, result)
        for number in settled:
            del self._calls[number]
        return list(settled.values())

    def fail(self, error: Exception) -> list[tuple[F, Any]]:
        """End with an error: that of all that is not answered, and of all that comes later."""
        self.failure = from_call(error) if isinstance(error, grpc.RpcError) else error
        settled = [(future, self.failure) for _, future in self._calls.values()]
        self._calls.clear()
        self._waiting.clear()
        return settled


class Session:
    """A stream of calls; a context manager, safe to share between threads.

    Leaving it waits for the answers that are still to come; leaving it by an exception does not.
    """

    def __init__(
        self,
        play: Callable[..., Any],
        metadata: Sequence[tuple[str, str]],
    ) -> None:
        self._outstanding: Outstanding[Future[Any]] = Outstanding()
        self._changed = threading.Condition()
        self._closed = False
        self._stream = play(self._messages(), metadata=metadata)
        self._reader = threading.Thread(target=self._read, name="tablier-session", daemon=True)
        self._reader.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if kind is not None:
            self._stream.cancel()
        self.close()

    def close(self) -> None:
        """Send what is waiting, and wait for all answers."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
        self._reader.join()

    def submit(self, call: Call[T]) -> Future[T]:
        """Send one of `client.calls`; its future has the result or raises TablierError."""
        future: Future[T] = Future()
        # It is on its way, so it cannot be taken back.
        future.set_running_or_notify_cancel()
        with self._changed:
            if self._closed:
                raise ValueError("the session is closed")
            self._outstanding.add(call, future)
            self._changed.notify_all()
        return future

    def _messages(self) -> Iterator[pb.PlayRequest]:
        """What grpc sends: it asks for the next message when the last one is on its way."""
        while True:
            with self._changed:
                while (message := self._outstanding.next_message()) is None:
                    if self._closed or self._outstanding.failure is not None:
                        return
                    self._changed.wait()
            yield message

    def _read(self) -> None:
        try:
            for answer in self._stream:
                with self._changed:
                    settled = self._outstanding.settle(answer)
                settle(settled)
            ended: Exception = unanswered()
        except Exception as error:
            self._stream.cancel()
            ended = error
        # However it ended, nobody may wait for answers that are not read any more.
        with self._changed:
            settled = self._outstanding.fail(ended)
            self._changed.notify_all()
        settle(settled)


class AsyncSession:
    """A stream of calls; an async context manager, used in one event loop.

    Leaving it waits for the answers that are still to come; leaving it by an exception does not.
    """

    def __init__(
        self,
        play: Callable[..., Any],
        metadata: Sequence[tuple[str, str]],
    ) -> None:
        self._outstanding: Outstanding[asyncio.Future[Any]] = Outstanding()
        self._changed = asyncio.Event()
        self._closed = False
        self._stream = play(metadata=metadata)
        self._tasks = [asyncio.ensure_future(work) for work in (self._write(), self._read())]

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if kind is not None:
            self._stream.cancel()
        await self.close()

    async def close(self) -> None:
        """Send what is waiting, and wait for all answers."""
        self._closed = True
        self._changed.set()
        await asyncio.gather(*self._tasks)

    def submit(self, call: Call[T]) -> asyncio.Future[T]:
        """Send one of `client.calls`; its future has the result or raises TablierError."""
        if self._closed:
            raise ValueError("the session is closed")
        future: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        self._outstanding.add(call, future)
        self._changed.set()
        return future

    async def _write(self) -> None:
        try:
            while True:
                while (message := self._outstanding.next_message()) is not None:
                    await self._stream.write(message)
                if self._closed or self._outstanding.failure is not None:
                    await self._stream.done_writing()
                    return
                self._changed.clear()
                await self._changed.wait()
        except (grpc.RpcError, asyncio.InvalidStateError, asyncio.CancelledError):
            # The stream has ended, and its reader says why.
            return

    async def _read(self) -> None:
        try:
            async for answer in self._stream:
                settle(self._outstanding.settle(answer))
            ended: Exception = unanswered()
        except Exception as error:
            self._stream.cancel()
            ended = error
        except asyncio.CancelledError:
            ended = TablierError("the session was left", code=grpc.StatusCode.CANCELLED)
        # However it ended, nobody may wait for answers that are not read any more.
        settle(self._outstanding.fail(ended))
        self._changed.set()


def unanswered() -> ServiceFault:
    """Why calls fail whose stream has ended in order, as if they had all been answered."""
    return ServiceFault("the stream ended without an answer", code=grpc.StatusCode.INTERNAL)


def settle(settled: Sequence[tuple[Future[Any] | asyncio.Future[Any], Any]]) -> None:
    """Give futures what has come for them."""
    for future, outcome in settled:
        if future.cancelled():
            continue
        if isinstance(outcome, Exception):
            future.set_exception(outcome)
        else:
            future.set_result(outcome)
