"""A call of the protocol behind one HTTP form: read, carried out, counted, answered."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from contextlib import aclosing
from time import perf_counter
from types import GeneratorType
from typing import Any, TypeVar

from google.rpc import code_pb2, status_pb2

from tablier_service.calls.limits import check_deadline
from tablier_service.calls.pool import SearchPool
from tablier_service.calls.slices import in_slices
from tablier_service.errors import HTTP_STATUS, status_of
from tablier_service.message_json.bindings import Binding
from tablier_service.message_json.codec import JsonCodec
from tablier_service.message_json.descriptors import message_class
from tablier_service.observability.call_log import Observer
from tablier_service.observability.metrics import CallMetrics
from tablier_service.security.callers import CALLER
from tablier_service.settings import Settings
from tablier_service.transports.http.events import EventSender, while_there
from tablier_service.transports.http.replies import JSON, Reply, etag_of
from tablier_service.transports.http.request import Disconnected, Exchange, Receive

T = TypeVar("T")

write_status = JsonCodec(status_pb2.Status).to_json


class Call:
    """A call of the protocol behind one HTTP form."""

    def __init__(
        self, binding: Binding, settings: Settings, observer: Observer, pool: SearchPool
    ) -> None:
        method = binding.method
        large = settings.max_large_request_bytes
        self.limit = large if method.large else settings.max_request_bytes
        self.has_body = binding.has_body
        self.is_stream = method.streaming
        self.descriptor = method.descriptor
        self._binding = binding
        self._observer = observer
        self._pool = pool
        self._metrics = CallMetrics(observer.metrics, method.descriptor)
        self._log_calls = settings.log_calls
        self._slow = settings.slow_call_ms / 1000
        self._write = JsonCodec(message_class(method.descriptor.output_type)).to_json

    async def answer(self, exchange: Exchange, body: bytes, deadline: float | None) -> Reply:
        """Carry it out; the deadline is on the clock of perf_counter."""
        begun = perf_counter()
        metrics = self._metrics
        metrics.started.inc()
        method = self._binding.method
        try:
            seconds_left = None if deadline is None else deadline - begun
            check_deadline(seconds_left)
            request = self._binding.read(exchange.values, exchange.query, body)
            answer = method.handler(request)
            if method.costly:
                answer = await unless_gone(self._pool.run(answer, seconds_left), exchange.receive)
            elif isinstance(answer, GeneratorType):
                answer = await unless_gone(in_slices(answer), exchange.receive)
            reply = self._write(method.message_of(answer))
        except Disconnected:
            metrics.failed(code_pb2.CANCELLED)
            raise
        except Exception as error:
            self._bill(perf_counter() - begun)
            return self.refuse(error, exchange.request_id)
        return self._succeed(reply, begun, exchange.request_id)

    def takes(self, headers: dict[bytes, bytes], query: bytes, body: bytes) -> bool:
        """Whether a request is of the form and size that it should be."""
        if body and not (self.has_body and is_json(headers)):
            return False
        return len(body) <= self.limit and len(query) <= self.limit

    def at_once(self, query: bytes, body: bytes, request_id: bytes) -> Reply | None:
        """Carry it out if that needs no waiting and nothing is wrong; else it is as if unasked."""
        begun = perf_counter()
        method = self._binding.method
        try:
            answer = method.handler(self._binding.read({}, query, body))
            if isinstance(answer, GeneratorType):
                return None
            reply = self._write(method.message_of(answer))
        except Exception:
            # It will fail in the same way where failures are told.
            return None
        self._metrics.started.inc()
        return self._succeed(reply, begun, request_id)

    def _succeed(self, body: bytes, begun: float, request_id: bytes) -> Reply:
        seconds = perf_counter() - begun
        self._metrics.succeeded(seconds)
        method = self._binding.method
        self._bill(seconds)
        self._log(seconds, request_id)
        if seconds > self._slow and not method.costly:
            self._observer.slow("rest", method.path, seconds, request_id.decode())
        return Reply(200, body) if self.has_body else Reply(200, body, etag=etag_of(body))

    async def stream(self, exchange: Exchange, body: bytes, deadline: float | None) -> Reply | None:
        """Carry out one with many answers, each sent as an event; why not, if it cannot begin."""
        begun = perf_counter()
        metrics = self._metrics
        metrics.started.inc()
        sender = EventSender(exchange.send, exchange.request_id)
        try:
            seconds_left = None if deadline is None else deadline - begun
            check_deadline(seconds_left)
            request = self._binding.read(exchange.values, exchange.query, body)
            search = self._binding.method.handler(request)
            async with (
                aclosing(self._pool.stream(search, seconds_left)) as parts,
                aclosing(while_there(parts, exchange.receive, sender.heartbeat)) as answers,
            ):
                async for answer in answers:
                    await sender.event(self._write(answer))
        except Disconnected:
            metrics.failed(code_pb2.CANCELLED)
            raise
        except Exception as error:
            refusal = self.refuse(error, exchange.request_id)
            if not sender.begun:
                return refusal
            await sender.event(refusal.body, b"error")
        else:
            seconds = perf_counter() - begun
            metrics.succeeded(seconds)
            self._log(seconds, exchange.request_id)
        await sender.end()
        return None

    def _bill(self, seconds: float) -> None:
        # Searches bill themselves.
        if not self._binding.method.costly:
            CALLER.get().quotas.bill(seconds)

    def _log(self, seconds: float, request_id: bytes) -> None:
        if self._log_calls:
            path = self._binding.method.path
            self._observer.served("rest", path, seconds, request_id.decode(), CALLER.get().name)

    def refuse(self, error: Exception, request_id: bytes, http_status: int | None = None) -> Reply:
        """The answer to a call that failed."""
        status = status_of(error)
        self._metrics.failed(status.code)
        path = self._binding.method.path
        self._observer.failed("rest", path, error, status, request_id.decode())
        return failure(status, http_status)


def failure(
    status: status_pb2.Status, http_status: int | None = None, *headers: tuple[bytes, bytes]
) -> Reply:
    """A status as an answer; HTTP has finer codes for some."""
    return Reply(http_status or HTTP_STATUS[status.code], write_status(status), headers=headers)


async def unless_gone(work: Coroutine[Any, Any, T], receive: Receive) -> T:
    """The result of a search or of a long call; when its caller goes away, it ends."""
    thinking = asyncio.ensure_future(work)
    # After a request's body, the only message that can come is that of its end.
    gone = asyncio.ensure_future(receive())
    try:
        await asyncio.wait((thinking, gone), return_when=asyncio.FIRST_COMPLETED)
        if thinking.done():
            return thinking.result()
        raise Disconnected
    finally:
        thinking.cancel()
        gone.cancel()


def is_json(headers: dict[bytes, bytes]) -> bool:
    """Whether a body is sent as JSON, and not compressed."""
    kind = headers.get(b"content-type", b"")
    plain = headers.get(b"content-encoding", b"identity") == b"identity"
    return plain and (kind == JSON or kind.partition(b";")[0].strip().lower() == JSON)
