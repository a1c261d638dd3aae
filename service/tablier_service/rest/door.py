"""The REST door: an ASGI application without a framework, which would cost half of its calls.

Every path of the protocol comes from its descriptors (routes.py); beside them there are the pages
for people and machines that run the service: /healthz, /readyz, /metrics, /openapi.json and /docs.
"""

from __future__ import annotations

import asyncio
from collections.abc import (
    Callable,
    Coroutine,
    Iterable,
    Mapping,
    MutableMapping,
    Sequence,
)
from contextlib import aclosing
from time import perf_counter
from types import GeneratorType
from typing import Any, TypeVar

from google.rpc import code_pb2, status_pb2
from tablier_core.errors import TablierError

from tablier_service.callers import CALLER
from tablier_service.config import Settings
from tablier_service.errors import HTTP_STATUS, InvalidField, TooLarge, UnknownRoute, status_of
from tablier_service.gate import Gate, credential_in
from tablier_service.limits import CallLimit, check_deadline, read_timeout
from tablier_service.metrics import CallMetrics
from tablier_service.observer import Observer, choose_id
from tablier_service.pool import SearchPool
from tablier_service.rest.codec import JsonCodec
from tablier_service.rest.docs import docs_pages
from tablier_service.rest.events import Disconnected, EventSender, Receive, Send, while_there
from tablier_service.rest.examples import Examples, NoExamples
from tablier_service.rest.forms import message_class
from tablier_service.rest.openapi import openapi_document
from tablier_service.rest.replies import JSON, Reply, etag_of, fit, page
from tablier_service.rest.routes import Binding, Router, bindings
from tablier_service.servicer import Method
from tablier_service.slices import in_slices

T = TypeVar("T")

# How long the caller will wait, in gRPC's own form; gateways from HTTP to gRPC read it too.
TIMEOUT = b"grpc-timeout"

Scope = MutableMapping[str, Any]

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
        self._binding = binding
        self._observer = observer
        self._pool = pool
        self._metrics = CallMetrics(observer.metrics, method.descriptor)
        self._log_calls = settings.log_calls
        self._slow = settings.slow_call_ms / 1000
        self._write = JsonCodec(message_class(method.descriptor.output_type)).to_json

    async def answer(
        self,
        values: Mapping[str, str],
        query: bytes,
        body: bytes,
        request_id: bytes,
        receive: Receive,
        deadline: float | None,
    ) -> Reply:
        """Carry it out; the deadline is on the clock of perf_counter."""
        begun = perf_counter()
        metrics = self._metrics
        metrics.started.inc()
        method = self._binding.method
        try:
            seconds_left = None if deadline is None else deadline - begun
            check_deadline(seconds_left)
            answer = method.handler(self._binding.read(values, query, body))
            if method.costly:
                answer = await unless_gone(self._pool.run(answer, seconds_left), receive)
            elif isinstance(answer, GeneratorType):
                answer = await unless_gone(in_slices(answer), receive)
            reply = self._write(method.message_of(answer))
        except Disconnected:
            metrics.failed(code_pb2.CANCELLED)
            raise
        except Exception as error:
            self._bill(perf_counter() - begun)
            return self.refuse(error, request_id)
        seconds = perf_counter() - begun
        metrics.succeeded.inc()
        metrics.seconds.observe(seconds)
        self._bill(seconds)
        self._log(seconds, request_id)
        if seconds > self._slow and not method.costly:
            self._observer.slow("rest", method.path, seconds, request_id.decode())
        return Reply(200, reply) if self.has_body else Reply(200, reply, etag=etag_of(reply))

    async def stream(
        self,
        values: Mapping[str, str],
        query: bytes,
        body: bytes,
        request_id: bytes,
        receive: Receive,
        send: Send,
        deadline: float | None,
    ) -> Reply | None:
        """Carry out one with many answers, each sent as an event; why not, if it cannot begin."""
        begun = perf_counter()
        metrics = self._metrics
        metrics.started.inc()
        sender = EventSender(send, request_id)
        try:
            seconds_left = None if deadline is None else deadline - begun
            check_deadline(seconds_left)
            search = self._binding.method.handler(self._binding.read(values, query, body))
            async with (
                aclosing(self._pool.stream(search, seconds_left)) as parts,
                aclosing(while_there(parts, receive, sender.heartbeat)) as answers,
            ):
                async for answer in answers:
                    await sender.event(self._write(answer))
        except Disconnected:
            metrics.failed(code_pb2.CANCELLED)
            raise
        except Exception as error:
            refusal = self.refuse(error, request_id)
            if not sender.begun:
                return refusal
            await sender.event(refusal.body, b"error")
        else:
            seconds = perf_counter() - begun
            metrics.succeeded.inc()
            metrics.seconds.observe(seconds)
            self._log(seconds, request_id)
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


# What a path leads to: a call, a page, or a page that is made when it is asked for.
Target = Call | Reply | Callable[[], Reply]


class RestDoor:
    """The ASGI application. `ready` says whether new calls should come here."""

    def __init__(
        self,
        methods: Iterable[Method],
        settings: Settings,
        observer: Observer,
        pool: SearchPool,
        calls: CallLimit,
        ready: Callable[[], bool],
        gate: Gate | None = None,
    ) -> None:
        self._gate = gate or Gate(observer.metrics)
        self._calls = calls
        self._leaving = False
        self._router: Router[Target] = Router()
        forms = [binding for method in methods for binding in bindings(method)]
        for form in forms:
            self._add(form.http_method, form.path, Call(form, settings, observer, pool))
        text = b"text/plain; charset=utf-8"
        exposition = b"text/plain; version=0.0.4; charset=utf-8"
        self._add("GET", "/healthz", lambda: Reply(200, b"alive\n", text))
        self._add(
            "GET",
            "/readyz",
            lambda: Reply(200, b"ready\n", text) if ready() else Reply(503, b"not ready\n", text),
        )
        self._exposition = lambda: Reply(200, observer.metrics.exposition(), exposition)
        self._add("GET", "/metrics", self._exposition)
        self._add("GET", "/openapi.json", openapi_page(forms))
        for path, made in docs_pages().items():
            self._add("GET", path, made)

    def leave(self) -> None:
        """End connections with their next answer, so that callers go elsewhere in good order."""
        self._leaving = True

    def _add(self, http_method: str, path: str, target: Target) -> None:
        self._router.add(http_method, path, target)
        if http_method == "GET":
            self._router.add("HEAD", path, target)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request, or the start and stop of the server."""
        if scope["type"] == "http":
            await self._serve(scope, receive, send)
        elif scope["type"] == "lifespan":
            await live(receive, send)
        else:
            await send({"type": "websocket.close"})

    async def _serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = dict(scope["headers"])
        request_id = choose_id(headers.get(b"x-request-id", b""))
        try:
            reply = await self._reply(scope, headers, receive, send, request_id)
        except Disconnected:
            return
        if reply is None:
            return
        status, body, answer_headers = fit(reply, headers)
        answer_headers.append((b"x-request-id", request_id))
        if self._leaving:
            answer_headers.append((b"connection", b"close"))
        await send({"type": "http.response.start", "status": status, "headers": answer_headers})
        if scope["method"] == "HEAD":
            body = b""
        await send({"type": "http.response.body", "body": body})

    async def _reply(
        self,
        scope: Scope,
        headers: dict[bytes, bytes],
        receive: Receive,
        send: Send,
        request_id: bytes,
    ) -> Reply | None:
        """What is to be sent; None if it has been."""
        try:
            targets, values = self._router.find(scope["path"], scope["raw_path"])
        except InvalidField as error:
            return failure(status_of(error))
        target = targets.get(scope["method"])
        if target is None:
            return unserved(targets)
        if isinstance(target, Reply):
            return target
        if not isinstance(target, Call):
            if target is self._exposition:
                try:
                    self._gate.require_operator(*shown(scope))
                except TablierError as error:
                    return failure(status_of(error))
            return target()
        try:
            if not self._gate.open:
                self._gate.admit(*shown(scope))
            with self._calls:
                return await self._call(target, values, scope, headers, receive, send, request_id)
        except TablierError as error:
            return target.refuse(error, request_id)

    async def _call(
        self,
        target: Call,
        values: Mapping[str, str],
        scope: Scope,
        headers: dict[bytes, bytes],
        receive: Receive,
        send: Send,
        request_id: bytes,
    ) -> Reply | None:
        deadline = None
        if TIMEOUT in headers:
            deadline = perf_counter() + read_timeout(headers[TIMEOUT])
        body = b""
        if target.has_body:
            try:
                body = await read_body(headers, receive, target.limit)
            except TooLarge as error:
                return target.refuse(error, request_id, 413)
            if body and not is_json(headers):
                wrong = InvalidField("", "the body must be application/json, and not compressed")
                return target.refuse(wrong, request_id, 415)
        query = scope["query_string"]
        if len(query) > target.limit:
            long = TooLarge("", f"the query string has more than {target.limit} bytes")
            return target.refuse(long, request_id, 414)
        if target.is_stream:
            return await target.stream(values, query, body, request_id, receive, send, deadline)
        return await target.answer(values, query, body, request_id, receive, deadline)


def openapi_page(forms: Sequence[Binding]) -> Reply:
    """The OpenAPI document. Its tag is the same in every process that serves the same protocol,
    though the tokens and times in its examples may differ."""
    document = openapi_document(forms, Examples([form.method for form in forms]))
    return page(document, JSON, etag=etag_of(openapi_document(forms, NoExamples())))


def shown(scope: Scope) -> tuple[bytes, list[str]]:
    """What a request shows to say who makes it: a credential, and the names of its certificate."""
    credential = credential_in(scope["headers"], (b"authorization", b"x-api-key"))
    return credential, scope.get("certificate_names", [])


def unserved(targets: Iterable[str]) -> Reply:
    """The answer where no call has the path, or none has it with that HTTP method."""
    allowed = ", ".join(sorted(targets))
    if not allowed:
        return failure(status_of(UnknownRoute("", "no call has this path; see /openapi.json")))
    error = UnknownRoute("", f"this path takes {allowed}")
    return failure(status_of(error), 405, (b"allow", allowed.encode()))


def failure(
    status: status_pb2.Status, http_status: int | None = None, *headers: tuple[bytes, bytes]
) -> Reply:
    """A status as an answer; HTTP has finer codes for some."""
    return Reply(http_status or HTTP_STATUS[status.code], write_status(status), headers=headers)


async def read_body(headers: dict[bytes, bytes], receive: Receive, limit: int) -> bytes:
    """A request's whole body; raises TooLarge as soon as it is known to be."""
    announced = headers.get(b"content-length", b"0")
    # What is no number has been refused by the server; a wrong one is caught while reading.
    if announced.isdigit() and int(announced[:20]) > limit:
        raise TooLarge("", f"the request has {announced.decode()} bytes; this call takes {limit}")
    parts = []
    size = 0
    more = True
    while more and size <= limit:
        message = await receive()
        part = message.get("body", b"")
        parts.append(part)
        size += len(part)
        more = message.get("more_body", False)
    if message["type"] == "http.disconnect":
        raise Disconnected
    if size > limit:
        raise TooLarge(
            "", f"the request has more than {limit} bytes, which is what this call takes"
        )
    return b"".join(parts)


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


async def live(receive: Receive, send: Send) -> None:
    """ASGI's start and stop: there is nothing to open or close here."""
    while True:
        message = await receive()
        await send({"type": f"{message['type']}.complete"})
        if message["type"] == "lifespan.shutdown":
            return
