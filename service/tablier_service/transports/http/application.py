"""The REST door: an ASGI application without a framework, which would cost half of its calls.

Every path of the protocol comes from its descriptors (routes.py); beside them there are the pages
for people and machines that run the service: /healthz, /readyz, /metrics, /openapi.json and /docs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from tablier_core.errors import TablierError

from tablier_service.calls.limits import CallLimit
from tablier_service.calls.methods import Method
from tablier_service.calls.pool import SearchPool
from tablier_service.errors import InvalidField, TooLarge, UnknownRoute, status_of
from tablier_service.message_json.bindings import Binding, Router, bindings
from tablier_service.observability.call_log import Observer, choose_id
from tablier_service.openapi.document import openapi_document
from tablier_service.openapi.examples import Examples, NoExamples
from tablier_service.security.authentication import Gate
from tablier_service.settings import Settings
from tablier_service.transports.http.call import Call, failure, is_json
from tablier_service.transports.http.replies import JSON, Header, Reply, etag_of, fit, page
from tablier_service.transports.http.request import (
    TIMEOUT,
    Disconnected,
    Exchange,
    Receive,
    Scope,
    Send,
)
from tablier_service.transports.http.swagger import docs_pages

# What a path leads to: a call, a page, or a page that is made when it is asked for.
Target = Call | Reply | Callable[[], Reply]


class KnownHead(NamedTuple):
    """What the bytes of a request's head mean: all that it says of a call."""

    call: Call
    headers: dict[bytes, bytes]
    query: bytes
    # Bytes of the body behind it.
    length: int


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
        self.leaving = False
        # The calls that may be answered at once, by HTTP method and path.
        self._quick: dict[tuple[bytes, bytes], Call] = {}
        # Heads of requests that were answered at once, by their bytes; connections keep it.
        self.heads: dict[bytes, KnownHead] = {}
        self._router: Router[Target] = Router()
        forms = [binding for method in methods for binding in bindings(method)]
        for form in forms:
            call = Call(form, settings, observer, pool)
            self._add(form.http_method, form.path, call)
            if not form.method.costly and not form.path_fields:
                self._quick[form.http_method.encode(), form.path.encode()] = call
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
        self.leaving = True

    def quick_call(self, http_method: bytes, path: bytes) -> Call | None:
        """The call of a path, if it can usually be answered at once and anybody may make it."""
        return self._quick.get((http_method, path)) if self._gate.open else None

    def at_once(
        self, call: Call, headers: dict[bytes, bytes], query: bytes, body: bytes
    ) -> tuple[int, bytes, list[Header]] | None:
        """The status, body and headers of what a quick call answers; None if it has to be asked
        as any other, because it is not plain, has to wait or is to be refused."""
        if TIMEOUT in headers or not call.takes(headers, query, body) or self._calls.full:
            return None
        request_id = choose_id(headers.get(b"x-request-id", b""))
        reply = call.at_once(query, body, request_id)
        return None if reply is None else fit(reply, headers, request_id)

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
        exchange = Exchange(scope, headers, request_id, receive, send)
        try:
            reply = await self._reply(exchange)
        except Disconnected:
            return
        if reply is None:
            return
        status, body, answer_headers = fit(reply, headers, request_id)
        if self.leaving:
            answer_headers.append((b"connection", b"close"))
        await send({"type": "http.response.start", "status": status, "headers": answer_headers})
        if scope["method"] == "HEAD":
            body = b""
        await send({"type": "http.response.body", "body": body})

    async def _reply(self, exchange: Exchange) -> Reply | None:
        """What is to be sent; None if it has been."""
        scope = exchange.scope
        try:
            targets, exchange.values = self._router.find(scope["path"], scope["raw_path"])
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
                    self._gate.require_operator(*exchange.shown())
                except TablierError as error:
                    return failure(status_of(error))
            return target()
        return await self._admit(target, exchange)

    async def _admit(self, target: Call, exchange: Exchange) -> Reply | None:
        """What a call answers, if its caller may make it now."""
        try:
            if not self._gate.open:
                self._gate.admit(*exchange.shown())
            self._calls.check()
            return await self._call(target, exchange)
        except TablierError as error:
            return target.refuse(error, exchange.request_id)

    async def _call(self, target: Call, exchange: Exchange) -> Reply | None:
        deadline = exchange.deadline()
        body = b""
        if target.has_body:
            try:
                body = await exchange.body(target.limit)
            except TooLarge as error:
                return target.refuse(error, exchange.request_id, 413)
            if body and not is_json(exchange.headers):
                wrong = InvalidField("", "the body must be application/json, and not compressed")
                return target.refuse(wrong, exchange.request_id, 415)
        if len(exchange.query) > target.limit:
            long = TooLarge("", f"the query string has more than {target.limit} bytes")
            return target.refuse(long, exchange.request_id, 414)
        # Under way from here on: whoever sends half a request takes nobody's place.
        with self._calls:
            if target.is_stream:
                return await target.stream(exchange, body, deadline)
            return await target.answer(exchange, body, deadline)


def openapi_page(forms: Sequence[Binding]) -> Reply:
    """The OpenAPI document. Its tag is the same in every process that serves the same protocol,
    though the tokens and times in its examples may differ."""
    document = openapi_document(forms, Examples([form.method for form in forms]))
    return page(document, JSON, etag=etag_of(openapi_document(forms, NoExamples())))


def unserved(targets: Iterable[str]) -> Reply:
    """The answer where no call has the path, or none has it with that HTTP method."""
    allowed = ", ".join(sorted(targets))
    if not allowed:
        return failure(status_of(UnknownRoute("", "no call has this path; see /openapi.json")))
    error = UnknownRoute("", f"this path takes {allowed}")
    return failure(status_of(error), 405, (b"allow", allowed.encode()))


async def live(receive: Receive, send: Send) -> None:
    """ASGI's start and stop: there is nothing to open or close here."""
    while True:
        message = await receive()
        await send({"type": f"{message['type']}.complete"})
        if message["type"] == "lifespan.shutdown":
            return
