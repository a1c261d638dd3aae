"""Loads for transports: clients that keep a few requests in flight and count answers."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from time import perf_counter
from typing import Any, NamedTuple

from grpc import aio

# Calls, streams or connections. 8 saturate one process; more only wait longer.
IN_FLIGHT = 8


class Slice(NamedTuple):
    """What was done in a slice of time."""

    operations: int
    seconds: float


# Loads a server for a number of seconds.
Load = Callable[[float], Awaitable[Slice]]


def unary(
    channel: aio.Channel,
    path: str,
    data: bytes,
    operations: int = 1,
    metadata: Sequence[tuple[str, str]] = (),
) -> Load:
    """Unary calls, each worth a number of operations."""
    call: Any = channel.unary_unary(path, None, None)

    async def load(seconds: float) -> Slice:
        begun = perf_counter()
        end = begun + seconds
        count = 0

        async def caller() -> None:
            nonlocal count
            while perf_counter() < end:
                await call(data, metadata=metadata)
                count += operations

        await asyncio.gather(*(caller() for _ in range(IN_FLIGHT)))
        return Slice(count, perf_counter() - begun)

    return load


def stream(
    channel: aio.Channel,
    path: str,
    data: bytes,
    size: int,
    operations: int,
    window: int,
    streams: int = IN_FLIGHT,
) -> Load:
    """Streams with a number of messages in flight, each worth a number of operations.

    The answer to a message has `size` bytes; several may arrive in one message.
    """
    call: Any = channel.stream_stream(path, None, None)

    async def load(seconds: float) -> Slice:
        begun = perf_counter()
        end = begun + seconds
        count = 0

        async def caller() -> None:
            nonlocal count
            under_way = call()
            for _ in range(window):
                await under_way.write(data)
            unanswered = window
            async for answers in under_way:
                answered = len(answers) // size
                count += answered * operations
                if perf_counter() < end:
                    for _ in range(answered):
                        await under_way.write(data)
                else:
                    unanswered -= answered
                    if not unanswered:
                        await under_way.done_writing()

        await asyncio.gather(*(caller() for _ in range(streams)))
        return Slice(count, perf_counter() - begun)

    return load


class Connection(asyncio.Protocol):
    """Sends the same request again as soon as it is answered, until the time is up."""

    def __init__(self, request: bytes, end: float) -> None:
        self._request = request
        self._end = end
        self._received = b""
        self.count = 0
        self.done: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        self._transport = transport
        transport.write(self._request)

    def data_received(self, data: bytes) -> None:
        self._received += data
        head, found, body = self._received.partition(b"\r\n\r\n")
        if not found:
            return
        length = head.lower().partition(b"content-length:")[2].partition(b"\r")[0]
        if len(body) < int(length):
            return
        if not head.startswith(b"HTTP/1.1 200 "):
            self.done.set_exception(RuntimeError(head.decode()))
            return
        self._received = b""
        self.count += 1
        if perf_counter() < self._end:
            self._transport.write(self._request)
        else:
            self._transport.close()

    def connection_lost(self, exc: Exception | None) -> None:
        if not self.done.done():
            self.done.set_result(None)


def rest(
    address: str,
    path: str,
    body: bytes,
    headers: Sequence[tuple[str, str]] = (),
    content_type: str = "application/json",
) -> Load:
    """POST requests on a few connections, without an HTTP library, which would not keep up."""
    host, _, port = address.rpartition("/")[2].rpartition(":")
    lines = [
        f"POST {path} HTTP/1.1",
        f"host: {host}",
        f"content-type: {content_type}",
        f"content-length: {len(body)}",
        *(f"{name}: {value}" for name, value in headers),
    ]
    request = "\r\n".join(lines).encode() + b"\r\n\r\n" + body

    async def load(seconds: float) -> Slice:
        loop = asyncio.get_running_loop()
        begun = perf_counter()
        made = partial(Connection, request, begun + seconds)
        connections = [
            (await loop.create_connection(made, host, int(port)))[1] for _ in range(IN_FLIGHT)
        ]
        await asyncio.gather(*(connection.done for connection in connections))
        count = sum(connection.count for connection in connections)
        return Slice(count, perf_counter() - begun)

    return load


def connect(
    address: str, path: str, message: bytes, headers: Sequence[tuple[str, str]] = ()
) -> Load:
    """Unary calls over Connect, in protobuf."""
    return rest(
        address, path, message, (("connect-protocol-version", "1"), *headers), "application/proto"
    )


class Failed(Exception):
    """A request that got another answer than it should have."""


class Response(NamedTuple):
    """An HTTP response."""

    status: int
    reason: str
    body: bytes


class HttpConnection(asyncio.Protocol):
    """A connection that sends one request at a time."""

    def __init__(self) -> None:
        self._received = b""
        # The size of the body, once its head has arrived.
        self._length: int | None = None
        self._answer: asyncio.Future[Response] | None = None
        self.open = False
        # How many responses arrived that no request had asked for.
        self.surplus = 0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        self._transport = transport
        self.open = True

    async def ask(self, request: bytes) -> Response:
        """Send a request; raises OSError if the connection ends without an answer."""
        self._answer = asyncio.get_running_loop().create_future()
        self._transport.write(request)
        try:
            return await self._answer
        except asyncio.CancelledError:
            self.close()
            raise
        finally:
            self._answer = None

    def data_received(self, data: bytes) -> None:
        if self._answer is None or self._answer.done():
            self.surplus += 1
            self.close()
            return
        self._received += data
        if self._length is None:
            head, found, rest_of_it = self._received.partition(b"\r\n\r\n")
            if not found:
                return
            self._head, self._received = head, rest_of_it
            fields = head.lower()
            self._length = int(fields.partition(b"content-length:")[2].partition(b"\r")[0])
            self._closes = b"connection: close" in fields
        if len(self._received) < self._length:
            return
        body, more = self._received[: self._length], self._received[self._length :]
        self._received, self._length = b"", None
        _, status, reason = self._head.partition(b"\r")[0].split(b" ", 2)
        self._answer.set_result(Response(int(status), reason.decode(), body))
        if more:
            self.surplus += 1
        if more or self._closes:
            self.close()

    def connection_lost(self, exc: Exception | None) -> None:
        self.open = False
        if self._answer is not None and not self._answer.done():
            self._answer.set_exception(exc or ConnectionResetError("the connection was closed"))

    def close(self) -> None:
        """Close the connection; nothing more is read from it."""
        self.open = False
        self._transport.close()


class RestClient:
    """Requests over HTTP/1.1, each on a connection that no other request uses."""

    def __init__(self, address: str, key: str, tls: ssl.SSLContext | None) -> None:
        self._host, _, port = address.rpartition(":")
        self._port = int(port)
        self._fields = f"host: {self._host}\r\n"
        if key:
            self._fields += f"authorization: Bearer {key}\r\n"
        self._tls = tls
        self._idle: list[HttpConnection] = []
        self._surplus = 0

    @property
    def surplus(self) -> int:
        """How many responses arrived that no request had asked for."""
        return self._surplus + sum(connection.surplus for connection in self._idle)

    async def fetch(self, verb: str, path: str, body: bytes = b"") -> Response:
        """Send a request, and return its answer."""
        connection = await self._connection()
        head = f"{verb} {path} HTTP/1.1\r\n{self._fields}content-length: {len(body)}\r\n"
        try:
            response = await connection.ask(
                f"{head}content-type: application/json\r\n\r\n".encode() + body
            )
        finally:
            if connection.open:
                self._idle.append(connection)
            else:
                self._surplus += connection.surplus
        return response

    async def ask(self, verb: str, path: str, body: bytes = b"") -> None:
        """Send a request; raises Failed if the status of the answer is not 200."""
        response = await self.fetch(verb, path, body)
        if response.status != 200:
            raise Failed(f"HTTP/1.1 {response.status} {response.reason}")

    async def _connection(self) -> HttpConnection:
        """An idle connection that the server has not closed, or a new one."""
        while self._idle:
            connection = self._idle.pop()
            if connection.open:
                return connection
            self._surplus += connection.surplus
        loop = asyncio.get_running_loop()
        _, connection = await loop.create_connection(
            HttpConnection, self._host, self._port, ssl=self._tls
        )
        return connection

    def close(self) -> None:
        """Close the connections."""
        for connection in self._idle:
            connection.close()
