"""Calls of the synchronous client over Connect, with the interface of gRPC's stubs.

A connection carries one call at a time and is kept for the next. One that the server has closed in
the meantime is replaced: every call is safe to send again.
"""

from __future__ import annotations

import socket
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
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
from tablier_client.http1 import Gone, Response

RECEIVE_BYTES = 65_536
# Between attempts to connect, for calls that wait until a server is ready.
RECONNECT_SECONDS = 0.1


class ConnectChannel:
    """The connections of a client, and its methods by name; safe to share between threads."""

    def __init__(self, chosen: Chosen, services: Sequence[ServiceDescriptor]) -> None:
        assert chosen.place is not None
        self._place = chosen.place
        self._tls = chosen.tls
        self._wait_for_ready = chosen.wait_for_ready
        # All connections, and those that no call uses. Each operation on them is atomic.
        self._open: set[socket.socket] = set()
        self._idle: list[socket.socket] = []
        self._closed = False
        self.methods: dict[str, Callable[..., Any]] = {}
        for method in methods_of(services, chosen.place, chosen.metadata):
            call = Answers if method.streaming else ConnectChannel._ask
            self.methods[method.name] = partial(call, self, method)
        self.methods["Play"] = partial(Batches, self.methods["Batch"])

    def close(self) -> None:
        """Close all connections, which ends the calls on them."""
        self._closed = True
        for connection in list(self._open):
            drop(connection)

    def _ask(
        self,
        method: Method,
        request: Message,
        *,
        timeout: float | None = None,
        metadata: object = (),
        wait_for_ready: bool | None = None,
    ) -> Message:
        """Make a call with one answer; raises TablierError. The metadata is that of the client."""
        end = None if timeout is None else time.monotonic() + timeout
        data = method.write(request, timeout)
        connection, response = self.send(data, end, wait_for_ready)
        try:
            while not response.complete:
                receive(connection, response, end)
        except Exception as error:
            raise self.explain(error) from None
        finally:
            self.release(connection, response)
        return method.read(response)

    def send(
        self, data: bytes, end: float | None, wait_for_ready: bool | None = None
    ) -> tuple[socket.socket, Response]:
        """Send a request, and receive the first part of its response; raises TablierError."""
        while True:
            used, connection = self._take(end, wait_for_ready)
            response = Response()
            try:
                connection.settimeout(left(end))
                connection.sendall(data)
                receive(connection, response, end)
                return connection, response
            except BaseException as error:
                # Also if Ctrl-C interrupts it.
                self.release(connection, response)
                if not isinstance(error, Exception):
                    raise
                lost = isinstance(error, ConnectionError | Gone)
                if used and lost and not self._closed:
                    # The server has closed it since its last call.
                    continue
                raise self.explain(error) from None

    def release(self, connection: socket.socket, response: Response) -> None:
        """Keep a connection for the next call, or close it."""
        if response.complete and response.reusable and not self._closed:
            self._idle.append(connection)
        else:
            self._open.discard(connection)
            drop(connection)

    def explain(self, error: Exception) -> Exception:
        """The error of a call, for what went wrong on its connection."""
        if self._closed:
            return Closed("the client is closed", code=grpc.StatusCode.CANCELLED)
        return explain(self._place, error)

    def _take(self, end: float | None, wait_for_ready: bool | None) -> tuple[bool, socket.socket]:
        """A connection, and whether it has been used before; raises TablierError."""
        with suppress(IndexError):
            return True, self._idle.pop()
        waits = self._wait_for_ready if wait_for_ready is None else wait_for_ready
        while True:
            try:
                return False, self._connect(end)
            except Exception as error:
                again = waits and isinstance(error, ConnectionError) and not self._closed
                if not again or (end and end - time.monotonic() <= RECONNECT_SECONDS):
                    raise self.explain(error) from None
            time.sleep(RECONNECT_SECONDS)

    def _connect(self, end: float | None) -> socket.socket:
        place = self._place
        if self._closed:
            raise ConnectionError
        connection = socket.create_connection((place.host, place.port), left(end))
        try:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if self._tls is not None:
                connection = self._tls.wrap_socket(connection, server_hostname=place.host)
        except BaseException:
            connection.close()
            raise
        self._open.add(connection)
        if self._closed:
            # It was closed just now, perhaps without this connection.
            drop(connection)
        return connection


def receive(connection: socket.socket, response: Response, end: float | None) -> None:
    """Receive a part of a response."""
    if end is not None:
        connection.settimeout(left(end))
    data = connection.recv(RECEIVE_BYTES)
    if data:
        response.feed(data)
    else:
        response.end()


def left(end: float | None) -> float | None:
    """The seconds until a time; raises TimeoutError if it has passed."""
    if end is None:
        return None
    seconds = end - time.monotonic()
    if seconds <= 0:
        raise TimeoutError
    return seconds


def drop(connection: socket.socket) -> None:
    """Close a connection, also if another thread reads from it."""
    with suppress(OSError):
        connection.shutdown(socket.SHUT_RDWR)
    connection.close()


class Answers:
    """The answers of a call with many, as an iterator."""

    def __init__(
        self,
        channel: ConnectChannel,
        method: Method,
        request: Message,
        *,
        timeout: float | None = None,
        metadata: object = (),
    ) -> None:
        self._channel = channel
        self._end = None if timeout is None else time.monotonic() + timeout
        self._envelopes = Envelopes(method)
        self._data = method.write(request, timeout)
        self._connection: socket.socket | None = None
        self._answers = self._read()

    def __iter__(self) -> Iterator[Message]:
        return self._answers

    def cancel(self) -> None:
        """End the call; the service notices that the connection is closed."""
        connection = self._connection
        if connection is not None:
            drop(connection)

    def _read(self) -> Iterator[Message]:
        channel, envelopes = self._channel, self._envelopes
        connection, response = channel.send(self._data, self._end)
        self._connection = connection
        try:
            while not response.status:
                receive(connection, response, self._end)
            while has_failed(response) and not response.complete:
                receive(connection, response, self._end)
            if has_failed(response):
                raise failure(response, response.take())
            yield from envelopes.feed(response.take())
            while not response.complete:
                receive(connection, response, self._end)
                yield from envelopes.feed(response.take())
            envelopes.end()
        except Exception as error:
            raise channel.explain(error) from None
        finally:
            self._connection = None
            channel.release(connection, response)


class Batches:
    """A stream of operations, as one batch after another: HTTP/1.1 has no such streams."""

    def __init__(
        self,
        batch: Callable[..., Any],
        messages: Iterable[pb.PlayRequest],
        metadata: object = (),
    ) -> None:
        self._batch = batch
        self._messages = messages
        self._cancelled = False

    def __iter__(self) -> Iterator[pb.PlayResponse]:
        for message in self._messages:
            if self._cancelled:
                return
            answer = self._batch(pb.BatchRequest(operations=message.operations))
            yield pb.PlayResponse(results=answer.results)

    def cancel(self) -> None:
        """Send no more batches."""
        self._cancelled = True
