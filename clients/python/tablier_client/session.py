"""Many calls in flight on one stream: sessions of both clients.

What is submitted while a message is on its way travels together in the next one, so a session that
is kept busy costs the service little more than a batch. When a service stops or is lost, the
session opens a stream to another and sends again what was not answered: calls change nothing.
"""

from __future__ import annotations

import asyncio
import random
import threading
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import asynccontextmanager, suppress
from types import TracebackType
from typing import Any, Generic, Self, TypeVar, cast

import grpc
from tablier.v1 import game_service_pb2 as pb

from tablier_client.calls import Call, read_result, write_operation
from tablier_client.channel import RETRY_CODES, RETRY_TRIES
from tablier_client.errors import ServiceFault, TablierError, from_call

T = TypeVar("T")
F = TypeVar("F", Future[Any], asyncio.Future[Any])

# What the service takes in one message.
MAX_OPERATIONS = 1024
# As for unary calls.
FIRST_PAUSE_SECONDS = 0.1


class Outstanding(Generic[F]):
    """The calls of a session that are not answered yet. It does no locking."""

    def __init__(self) -> None:
        self._last = 0
        self._waiting: deque[pb.Operation] = deque()
        self._calls: dict[int, tuple[pb.Operation, Call[Any], F]] = {}
        # Why the session ended before it was closed.
        self.failure: Exception | None = None

    def add(self, call: Call[Any], future: F) -> None:
        """Let a call wait for the next message; raises ValueError for calls that are too costly."""
        operation = write_operation(call)
        if self.failure is not None:
            raise self.failure
        self._last += 1
        operation.id = self._last
        self._waiting.append(operation)
        self._calls[self._last] = operation, call, future

    def __bool__(self) -> bool:
        return bool(self._calls)

    def send_again(self) -> None:
        """Let all calls wait for the next message, also those that were in others."""
        self._waiting = deque(operation for operation, _, _ in self._calls.values())

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
            _, call, future = self._calls[result.id]
            settled[result.id] = future, read_result(call, result)
        for number in settled:
            del self._calls[number]
        return list(settled.values())

    def fail(self, error: Exception) -> list[tuple[F, Any]]:
        """End with an error: that of all that is not answered, and of all that comes later."""
        self.failure = from_call(error) if isinstance(error, grpc.RpcError) else error
        settled = [(future, self.failure) for _, _, future in self._calls.values()]
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
        self._play = play
        self._metadata = metadata
        self._outstanding: Outstanding[Future[Any]] = Outstanding()
        self._changed = threading.Condition()
        self._closed = False
        self._left = False
        # The stream of now; that of before sends nothing more.
        self._stream: Any = None
        self._number = 0
        self._runner = threading.Thread(target=self._run, name="tablier-session", daemon=True)
        self._runner.start()

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
        # It is on its way, so it cannot be taken back.
        future.set_running_or_notify_cancel()
        with self._changed:
            if self._closed:
                raise ValueError("the session is closed")
            self._outstanding.add(call, future)
            self._changed.notify_all()
        return future

    def _run(self) -> None:
        """Stream after stream, each as long as it lasts."""
        failures = 0
        while self._wait_for_calls():
            try:
                for answer in self._open():
                    with self._changed:
                        settled = self._outstanding.settle(answer)
                    settle(settled)
                    failures = 0
                ended: Exception = unanswered()
            except Exception as error:
                ended = error
            failures += 1
            with self._changed:
                if self._stream is not None:
                    self._stream.cancel()
                self._number += 1
                self._changed.notify_all()
                if not self._left and worth_another(ended, failures):
                    self._outstanding.send_again()
                    self._changed.wait_for(lambda: self._left, pause(failures))
                    continue
                # However it ended, nobody may wait for answers that are not read any more.
                settled = self._outstanding.fail(ended)
            settle(settled)
            return

    def _wait_for_calls(self) -> bool:
        """Come back once there is a call to send, or, with False, when there will be none."""
        with self._changed:
            self._changed.wait_for(lambda: self._outstanding or self._closed)
            return bool(self._outstanding)

    def _open(self) -> Any:
        """A new stream."""
        with self._changed:
            self._stream = opened(self._play, self._metadata, self._messages(self._number))
            if self._left:
                self._stream.cancel()
            return self._stream

    def _messages(self, number: int) -> Iterator[pb.PlayRequest]:
        """What grpc sends: it asks for the next message when the last one is on its way."""
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
    """A stream of calls; an async context manager, used in one event loop.

    Leaving it waits for the answers that are still to come; leaving it by an exception does not.
    """

    def __init__(
        self,
        play: Callable[..., Any],
        metadata: Sequence[tuple[str, str]],
    ) -> None:
        self._play = play
        self._metadata = metadata
        self._outstanding: Outstanding[asyncio.Future[Any]] = Outstanding()
        self._changed = asyncio.Event()
        self._closed = False
        # Why the session ended, if nothing else is known.
        self._ended: Exception = TablierError(
            "the session was left", code=grpc.StatusCode.CANCELLED
        )
        self._runner = asyncio.ensure_future(self._run())
        # However it ended, nobody may wait for answers that are not read any more.
        self._runner.add_done_callback(lambda _: settle(self._outstanding.fail(self._ended)))

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
            raise ValueError("the session is closed")
        future: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        self._outstanding.add(call, future)
        self._changed.set()
        return future

    async def _run(self) -> None:
        """Stream after stream, each as long as it lasts."""
        failures = 0
        while await self._wait_for_calls():
            try:
                async with self._opened() as stream:
                    async for answer in stream:
                        settle(self._outstanding.settle(answer))
                        failures = 0
                ended: Exception = unanswered()
            except Exception as error:
                ended = error
            failures += 1
            if not worth_another(ended, failures):
                self._ended = ended
                return
            self._outstanding.send_again()
            await asyncio.sleep(pause(failures))

    @asynccontextmanager
    async def _opened(self) -> AsyncIterator[Any]:
        """A new stream, which is written to beside the block."""
        stream = opened(self._play, self._metadata)
        writer = asyncio.ensure_future(self._write(stream))
        try:
            yield stream
        finally:
            stream.cancel()
            writer.cancel()

    async def _wait_for_calls(self) -> bool:
        """Come back once there is a call to send, or, with False, when there will be none."""
        while not (self._outstanding or self._closed):
            await self._change()
        return bool(self._outstanding)

    async def _change(self) -> None:
        """Come back when something was submitted, or the session closed."""
        self._changed.clear()
        await self._changed.wait()

    async def _write(self, stream: Any) -> None:
        # A stream that has ended takes no more; its reader says why.
        with suppress(grpc.RpcError, asyncio.InvalidStateError):
            while True:
                while (message := self._outstanding.next_message()) is not None:
                    await stream.write(message)
                if self._closed:
                    await stream.done_writing()
                    return
                await self._change()


def opened(play: Callable[..., Any], metadata: Sequence[tuple[str, str]], *messages: object) -> Any:
    """A stream; raises TablierError."""
    try:
        return play(*messages, metadata=metadata)
    except Exception as error:
        # There is nothing wrong with the call, so it is the channel.
        code = grpc.StatusCode.CANCELLED
        raise TablierError(f"the client is closed: {error}", code=code) from error


def worth_another(failure: Exception, failures: int) -> bool:
    """Whether another stream may carry on after one, so many of which brought nothing.

    Retried is what unary calls are retried for, and as often.
    """
    return (
        failures < RETRY_TRIES
        and isinstance(failure, grpc.RpcError)
        # Every error that a stub raises is a call as well; grpc's types do not say so.
        and cast("grpc.Call", failure).code().name in RETRY_CODES
    )


def pause(failures: int) -> float:
    """The seconds after which another stream is opened, spread at random as grpc does."""
    return FIRST_PAUSE_SECONDS * 2.0 ** (failures - 1) * random.uniform(0.8, 1.2)


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
