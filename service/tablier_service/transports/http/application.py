"""The HTTP application: ASGI without a framework, which would cost half of the calls.

The paths of calls come from the descriptors of the protocol. `Connection` starts most calls itself
and uses this module to find and answer them; uvicorn runs the application for everything else.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable
from hashlib import blake2b
from time import perf_counter
from typing import NamedTuple

from tablier_core.errors import TablierError

from tablier_service.calls.held import Held
from tablier_service.calls.memory import LARGE_BYTES
from tablier_service.errors import InvalidField, Overloaded, UnknownRoute
from tablier_service.lifecycle import ClientGone
from tablier_service.message_json.bindings import bindings
from tablier_service.observability.call_log import choose_request_id
from tablier_service.security.authentication import credential_in, digest_of
from tablier_service.security.callers import ANYONE, Caller, Peer
from tablier_service.service import Service
from tablier_service.transports.http.call import HttpCall, HttpEndpoint, RequestHead, failure
from tablier_service.transports.http.cors import CrossOrigin, Header
from tablier_service.transports.http.open_connections import OpenConnections
from tablier_service.transports.http.pages import METRICS_PATH, Page, pages
from tablier_service.transports.http.replies import (
    PART_BYTES,
    Reply,
    Response,
    compress,
    finalize,
)
from tablier_service.transports.http.request import (
    CREDENTIALS,
    REQUEST_ID,
    MethodNotAllowed,
    PageRequest,
    Receive,
    Scope,
    Send,
    is_json,
    read_body,
)
from tablier_service.transports.http.rest import RestEndpoint
from tablier_service.transports.http.router import Router
from tablier_service.transports.http.rpc.routes import RpcRoute
from tablier_service.transports.http.waiting import unless_gone

# Keys in an ASGI scope: a call that the connection has started, and the Peer.
STARTED_CALL = "call"
PEER = "peer"

Target = HttpEndpoint | RpcRoute | Page


class KnownHead(NamedTuple):
    """The meaning of the bytes of a head that was seen before."""

    head: RequestHead
    # The bytes of the body that follows it.
    length: int
    # The digest of the credential, which itself is not kept.
    digest: bytes


class HttpApplication:
    """Finds and answers the calls and pages that the service has over HTTP."""

    def __init__(self, service: Service) -> None:
        self.service = service
        # Whether connections end with their next response, so that clients go elsewhere.
        self.draining = False
        settings = service.settings
        self.connections = OpenConnections(
            settings.max_http_connections, settings.max_http_connections_per_address
        )
        self._buffers = service.buffer_limit
        # Heads of requests that were answered at once, by their bytes or a hash of them.
        self.known_heads: dict[bytes, KnownHead] = {}
        self.head_key = head_hash() if service.authentication.required else bytes
        self._common_headers: list[Header] = []
        self._common_lines = b""
        origins = settings.origins
        self._cors = CrossOrigin(origins) if origins else None
        self._router: Router[Target] = Router()
        forms = [form for method in service.methods for form in bindings(method)]
        for form in forms:
            self._add(form.http_method, form.path, RestEndpoint(service, form))
        for method in service.methods:
            if not method.descriptor.client_streaming:
                route = RpcRoute(service, method)
                for http_method in route.http_methods:
                    self._add(http_method, method.path, route)
        for path, target in pages(service, forms, self.connections).items():
            self._add("GET", path, target)

    def _add(self, http_method: str, path: str, target: Target) -> None:
        self._router.add(http_method, path, target)
        if http_method == "GET":
            self._router.add("HEAD", path, target)

    # For connections, which answer most calls without a task.

    def find_call(
        self, http_method: bytes, target: bytes, headers: Iterable[Header]
    ) -> RequestHead | None:
        """The call that a request is for; None if it is not one, or is a HEAD request."""
        path, _, query = target.partition(b"?")
        try:
            targets, values = self._router.find(path.decode("latin-1"), path)
        except InvalidField:
            return None
        method = http_method.decode("latin-1")
        endpoint: Target | None = targets.get(method)
        if http_method == b"HEAD":
            return None
        by_name = dict(headers)
        if isinstance(endpoint, RpcRoute):
            endpoint = endpoint.choose(method, by_name, query)
        if not isinstance(endpoint, HttpEndpoint) or endpoint.unpacks_in_parts(by_name):
            return None
        credential = credential_in(headers, CREDENTIALS)
        return RequestHead(endpoint, by_name, query, values, credential, is_json(by_name))

    def respond(self, call: HttpCall, body: bytes) -> Response | None:
        """Start a call with the body of its request; returns None if it has to wait."""
        slices = call.endpoint.slices
        if not slices.has_time:
            return None
        content = call.start(body)
        slices.spend(perf_counter() - call.began)
        if content is None and call.waits:
            return None
        return finalize(call.reply(content), call.head.headers, call.id, self._cors)

    def common_lines(self, headers: list[Header]) -> bytes:
        """The lines of the headers of every response; uvicorn replaces the list once per second."""
        if headers is not self._common_headers:
            self._common_headers = headers
            self._common_lines = b"".join(b"%s: %s\r\n" % header for header in headers)
        return self._common_lines

    def remember(self, data: bytes, head: RequestHead, length: int) -> None:
        """Remember the bytes of a head, and what they mean."""
        digest = b""
        if head.credential:
            digest = digest_of(head.credential)
            others = {k: v for k, v in head.headers.items() if k not in CREDENTIALS}
            head = head._replace(headers=others, credential=b"")
        self.known_heads[self.head_key(data)] = KnownHead(head, length, digest)

    # For uvicorn.

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request, or the start and stop of the server."""
        if scope["type"] == "http":
            await self._serve(scope, receive, send)
        elif scope["type"] == "lifespan":
            await lifespan(receive, send)
        else:
            await send({"type": "websocket.close"})

    async def _serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = dict(scope["headers"])
        preflight = self._cors.preflight(scope["method"], headers) if self._cors else None
        if preflight is not None:
            await send_response(send, (204, b"", preflight))
            return
        target = scope.get(STARTED_CALL) or self._find(scope, headers)
        if not isinstance(target, HttpCall):
            request_id = choose_request_id(headers.get(REQUEST_ID, b""))
            await self._send(scope, send, target, request_id, ANYONE)
            return
        with Held(self._buffers, target) as held:
            try:
                reply = await self._answer(target, receive, send, held)
            except ClientGone:
                return
            if reply is not None:
                await self._send(scope, send, reply, target.id, target.caller)

    async def _send(
        self, scope: Scope, send: Send, reply: Reply, request_id: bytes, caller: Caller
    ) -> None:
        headers = dict(scope["headers"])
        large = len(reply.body) > PART_BYTES
        if large and not reply.zipped and reply.accepts_gzip(headers):
            account = caller.account or scope.get(PEER, Peer("")).connection
            work = compress(reply.body)
            zipped = await self.service.slices.run(work, account, caller.quotas.bill)
            reply = reply._replace(zipped=zipped)
        status, body, answer = finalize(reply, headers, request_id, self._cors)
        if self.draining:
            answer.append((b"connection", b"close"))
        if scope["method"] == "HEAD":
            body = b""
        await send_response(send, (status, body, answer))

    def _find(self, scope: Scope, headers: dict[bytes, bytes]) -> HttpCall | Reply:
        """Start the call that a request is for, or find its page."""
        try:
            targets, values = self._router.find(scope["path"], scope["raw_path"])
        except InvalidField as error:
            return failure(error)
        target = targets.get(scope["method"])
        if target is None:
            return not_found(targets)
        if isinstance(target, RpcRoute):
            target = target.choose(scope["method"], headers, scope["query_string"])
        peer: Peer = scope.get(PEER) or Peer("")
        credential = credential_in(scope["headers"], CREDENTIALS)
        if isinstance(target, HttpEndpoint):
            query = scope["query_string"]
            head = RequestHead(target, headers, query, values, credential, is_json(headers))
            return target.call_type(head, peer)
        if scope["path"] == METRICS_PATH:
            try:
                self.service.authentication.require_operator(credential, peer.certificate_names)
            except TablierError as error:
                return failure(error)
        if isinstance(target, Reply):
            return target
        return target(PageRequest(headers, scope["query_string"], values))

    async def _answer(
        self, call: HttpCall, receive: Receive, send: Send, held: Held
    ) -> Reply | None:
        """Carry a call to its end; returns None if the response has been sent in parts."""
        endpoint = call.endpoint
        content, large = None, False
        if not call.began and call.status is None and (call.admitted or call.admit()):
            body = b""
            with call:
                if endpoint.has_body:
                    body = await read_body(call.head.headers, receive, endpoint.max_body, held)
                unpacking = call.unpack(body, held.add)
                if unpacking is not None:
                    bill = call.caller.quotas.bill
                    body = await endpoint.slices.run(unpacking, call.account, bill)
                if not endpoint.slices.has_time:
                    await endpoint.slices.turn(call.account)
            if call.status is None:
                content = call.start(body)
                endpoint.slices.spend(perf_counter() - call.began)
            large = len(body) > LARGE_BYTES
        if content is None and call.waits:
            if endpoint.method.streaming:
                return await self._send_answers(call, receive, send)
            content = await unless_gone(call.finish(), receive)
        if content is not None:
            # The request is no longer needed.
            held.release()
            large = large or len(content) > LARGE_BYTES
            try:
                held.add(len(content))
            except Overloaded as error:
                return call.refusal(error)
        if large:
            self.service.memory.freed = True
        return call.reply(content)

    async def _send_answers(self, call: HttpCall, receive: Receive, send: Send) -> Reply | None:
        headers = self._cors.headers(call.head.headers) if self._cors else ()
        sender = call.sender(send, headers)
        heartbeat = sender.heartbeat if sender.heartbeat_bytes else None
        await unless_gone(call.stream(sender.answer), receive, heartbeat)
        if call.status is not None and not call.responding:
            return call.reply(None)
        await sender.end()
        return None


def head_hash() -> Callable[[bytes], bytes]:
    """A hash for remembered heads: they contain credentials, which must not stay in memory."""
    key = secrets.token_bytes(32)
    return lambda data: blake2b(data, digest_size=16, key=key).digest()


def not_found(allowed: Iterable[str]) -> Reply:
    """The reply for a path that no call has, or none with the HTTP method of the request."""
    methods = ", ".join(sorted(allowed))
    if not methods:
        return failure(UnknownRoute("", "no call has this path; see /openapi.json"))
    error = MethodNotAllowed("", f"this path accepts {methods}")
    return failure(error, (b"allow", methods.encode()))


async def send_response(send: Send, response: Response) -> None:
    """Send a response through ASGI."""
    status, body, headers = response
    await send({"type": "http.response.start", "status": status, "headers": headers})
    # uvicorn waits after each part until the client has read most of it.
    for start in range(0, len(body) - PART_BYTES, PART_BYTES):
        part = body[start : start + PART_BYTES]
        await send({"type": "http.response.body", "body": part, "more_body": True})
    last = body[(len(body) - 1) // PART_BYTES * PART_BYTES :] if body else b""
    await send({"type": "http.response.body", "body": last})


async def lifespan(receive: Receive, send: Send) -> None:
    """Acknowledge the start and stop of the server; there is nothing to open or close."""
    while True:
        message = await receive()
        await send({"type": f"{message['type']}.complete"})
        if message["type"] == "lifespan.shutdown":
            return
