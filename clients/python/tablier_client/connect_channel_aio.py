"""Calls of the asyncio client over Connect: the counterpart of `connect_channel`."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from functools import partial
from typing import Any

import grpc
from google.protobuf.descriptor import ServiceDescriptor
from google.protobuf.message import Message
from tablier.v1 import game_service_pb2 as pb

from tablier_client.channel import Connection as Chosen
from tablier_client.connect import (
    Envelopes,
    Method,
    explain,
    failure,
    has_failed,
    methods_of,
)
from tablier_client.errors import Closed
from tablier_client.http1 import Gone, NotHttp, Response

# Between attempts to connect, for calls that wait until a server is ready.
RECONNECT_SECONDS = 0.1
# Nothing more is read while so much waits to be taken.
MAX_WAITING_BYTES = 1024 * 1024


class Connection(asyncio.Protocol):
    """A connection that carries one call at a time."""

    def __init__(self) -> None:
        self.transport: asyncio.Transport
        self.response = Response()
        self.used = False
        self.open = False
        self._error: Exception | None = None
        # Resolved when something has arrived.
        self._arrived: asyncio.Future[None] | None = None
        self._paused = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        self.open = True

    def begin(self, data: bytes) -> None:
        """Send a request."""
        self.response = Response()
        self.transport.write(data)

    def data_received(self, data: bytes) -> None:
        try:
            self.response.feed(data)
        except NotHttp as error:
            self._fail(error)
            return
        if self.response.waiting > MAX_WAITING_BYTES and not self.response.complete:
            self._paused = True
            self.transport.pause_reading()
        self._wake()

    def connection_lost(self, exc: Exception | None) -> None:
        self.open = False
        if exc is not None:
            self._fail(Gone(str(exc)) if self.response.untouched else exc)
        elif not self.response.complete:
            try:
                self.response.end()
            except NotHttp as error:
                self._fail(error)
        self._wake()

    def _fail(self, error: Exception) -> None:
        self._error = self._error or error
        self.open = False
        self.transport.abort()
        self._wake()

    def _wake(self) -> None:
        if self._arrived is not None and not self._arrived.done():
            self._arrived.set_result(None)

    async def receive(self) -> None:
        """Wait until more of the response has arrived; raises OSError and NotHttp."""
        if self._paused:
            self._paused = False
            self.transport.resume_reading()
        if self._error is None and self.open:
            self._arrived = asyncio.get_running_loop().create_future()
            try:
                await self._arrived
            finally:
                self._arrived = None
        if self._error is not None:
            raise self._error
        if not self.open and not self.response.complete:
            raise Gone("the connection was closed before the answer")


class AsyncConnectChannel:
    """The connections of an asyncio client, and its methods by name."""

    def __init__(self, chosen: Chosen, services: Sequence[ServiceDescriptor]) -> None:
        assert chosen.place is not None
        self._place = chosen.place
        self._tls = chosen.tls
        self._wait_for_ready = chosen.wait_for_ready
        # All connections, and those that no call uses.
        self._open: set[Connection] = set()
        self._idle: list[Connection] = []
        self._closed = False
        self.methods: dict[str, Callable[..., Any]] = {}
        for method in methods_of(services, chosen.place, chosen.metadata):
            call = AsyncAnswers if method.streaming else AsyncConnectChannel._ask
            self.methods[method.name] = partial(call, self, method)
        self.methods["Play"] = partial(AsyncBatches, self.methods["Batch"])

    async def close(self, grace: float | None = None) -> None:
        """Close all connections, which ends the calls on them."""
        self._closed = True
        for connection in list(self._open):
            connection.transport.abort()

    async def _ask(
        self,
        method: Method,
        request: Message,
        *,
        timeout: float | None = None,
        metadata: object = (),
        wait_for_ready: bool | None = None,
    ) -> Message:
        """Make a call with one answer; raises TablierError. The metadata is that of the client."""
        data = method.write(request, timeout)
        try:
            async with asyncio.timeout(timeout):
                connection = await self.send(data, wait_for_ready)
                try:
                    response = connection.response
                    while not response.complete:
                        await connection.receive()
                finally:
                    self.release(connection)
        except Exception as error:
            raise self.explain(error) from None
        return method.read(response)

    async def send(self, data: bytes, wait_for_ready: bool | None = None) -> Connection:
        """Send a request, and receive the first part of its response."""
        while True:
            connection = await self._take(wait_for_ready)
            used, connection.used = connection.used, True
            try:
                connection.begin(data)
                await connection.receive()
            except BaseException as error:
                self.release(connection)
                lost = isinstance(error, ConnectionError | Gone)
                if used and lost and not self._closed:
                    # The server has closed it since its last call.
                    continue
                raise
            return connection

    def release(self, connection: Connection) -> None:
        """Keep a connection for the next call, or close it."""
        response = connection.response
        if connection.open and response.complete and response.reusable and not self._closed:
            self._idle.append(connection)
        else:
            self._open.discard(connection)
            connection.transport.abort()

    def explain(self, error: Exception) -> Exception:
        """The error of a call, for what went wrong on its connection."""
        if self._closed:
            return Closed("the client is closed", code=grpc.StatusCode.CANCELLED)
        return explain(self._place, error)

    async def _take(self, wait_for_ready: bool | None) -> Connection:
        while self._idle:
            connection = self._idle.pop()
            if connection.open:
                return connection
            self._open.discard(connection)
        waits = self._wait_for_ready if wait_for_ready is None else wait_for_ready
        loop, place = asyncio.get_running_loop(), self._place
        while True:
            try:
                if self._closed:
                    raise ConnectionError
                _, connection = await loop.create_connection(
                    Connection, place.host, place.port, ssl=self._tls
                )
                self._open.add(connection)
                return connection
            except ConnectionError:
                if not waits or self._closed:
                    raise
            await asyncio.sleep(RECONNECT_SECONDS)


class AsyncAnswers:
    """The answers of a call with many, as an asynchronous iterator."""

    def __init__(
        self,
        channel: AsyncConnectChannel,
        method: Method,
        request: Message,
        *,
        timeout: float | None = None,
        metadata: object = (),
    ) -> None:
        self._channel = channel
        self._timeout = timeout
        self._end = None if timeout is None else asyncio.get_running_loop().time() + timeout
        self._envelopes = Envelopes(method)
        self._data = method.write(request, timeout)
        self._connection: Connection | None = None

    async def __aiter__(self) -> AsyncIterator[Message]:
        channel, envelopes = self._channel, self._envelopes
        try:
            async with asyncio.timeout_at(self._end):
                self._connection = connection = await channel.send(self._data)
            response = connection.response
            while not response.complete and (not response.status or has_failed(response)):
                await self._receive(connection)
            if has_failed(response):
                raise failure(response, response.take())
            complete = False
            while not complete:
                # More may arrive while the caller uses an answer.
                complete = response.complete
                for answer in envelopes.feed(response.take()):
                    yield answer
                if not (response.complete or response.waiting):
                    await self._receive(connection)
            envelopes.end()
        except Exception as error:
            raise channel.explain(error) from None
        finally:
            if self._connection is not None:
                channel.release(self._connection)
                self._connection = None

    async def _receive(self, connection: Connection) -> None:
        async with asyncio.timeout_at(self._end):
            await connection.receive()

    def cancel(self) -> None:
        """End the call; the service notices that the connection is closed."""
        if self._connection is not None:
            self._connection.transport.abort()


class AsyncBatches:
    """A stream of operations, as one batch after another: HTTP/1.1 has no such streams."""

    def __init__(self, batch: Callable[..., Any], metadata: object = ()) -> None:
        self._batch = batch
        self._message: pb.PlayRequest | None = None
        self._done = False
        self._changed = asyncio.Condition()

    async def write(self, message: pb.PlayRequest) -> None:
        """Send operations once those before them are answered; meanwhile, more can gather."""
        async with self._changed:
            self._message = message
            self._changed.notify_all()
            await self._changed.wait_for(lambda: self._message is None or self._done)

    async def done_writing(self) -> None:
        """End the stream after what is written."""
        async with self._changed:
            self._done = True
            self._changed.notify_all()

    async def __aiter__(self) -> AsyncIterator[pb.PlayResponse]:
        while True:
            async with self._changed:
                await self._changed.wait_for(lambda: self._message is not None or self._done)
                message = self._message
            if message is None:
                return
            answer = await self._batch(pb.BatchRequest(operations=message.operations))
            # Its futures are resolved before the next message is written.
            yield pb.PlayResponse(results=answer.results)
            async with self._changed:
                self._message = None
                self._changed.notify_all()

    def cancel(self) -> None:
        """Send nothing more, and cancel the tasks that read and write."""
        self._done = True
