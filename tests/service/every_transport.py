"""Calls through every transport, with real connections and handlers that do what a test wants.

The transports are unary gRPC, streaming gRPC, the Play stream, HTTP on the fast path, with a head
that is remembered, and through uvicorn, and server-sent events; Connect in the same ways, and
gRPC-Web as bytes and as text.
"""

from __future__ import annotations

import asyncio
import json
import weakref
from base64 import b64encode
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import ExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from typing import Any, Protocol

from grpc import aio
from tablier.v1 import advisor_service_pb2 as advisor
from tablier.v1 import game_service_pb2 as pb
from tablier_core import codec
from tablier_core.advice import Cancel, advise
from tablier_core.registry import GAMES
from tablier_service.calls.slices import Work
from tablier_service.errors import InvalidField
from tablier_service.service import Service
from tablier_service.transports.grpc.server import GrpcServer, make_server
from tablier_service.transports.http.envelopes import envelope

from tests.service.assembly import Assemble, CallCounts, RecordingLogger, with_handlers
from tests.service.transports.http.connections import Connection, Server

POSITION = GAMES["contigo-alignment"].start({"first": 0}, 7)
TOKEN = codec.encode(POSITION)
KEY = "key-of-the-lobby"
SECONDS = 60


class Memory:
    """What a call holds while it runs."""


class Handlers:
    """Handlers of three methods that do what a test wants."""

    def __init__(self) -> None:
        self.mode = "succeed"
        # How many calls have reached their handler, or the search that it returns.
        self.running = 0
        # How often a handler has been called.
        self.runs = 0
        self.memory: weakref.ref[Memory] | None = None

    def _begin(self) -> None:
        self.runs += 1
        if self.mode == "reject":
            raise InvalidField("state", "is rejected")
        if self.mode == "fail":
            raise RuntimeError

    def render(self, request: pb.RenderStateRequest) -> Any:
        self._begin()
        if self.mode in ("hang", "overload"):
            return self._hang()
        if self.mode in ("reject at once", "reject late"):
            return self._hold()
        if self.mode == "large answer":
            return pb.RenderStateResponse(content="x" * 20_000)
        return None if self.mode == "bad answer" else pb.RenderStateResponse(content="drawn")

    def _hang(self) -> Work[bytes]:
        self.running += 1
        while self.mode in ("hang", "overload"):
            yield
        return b""

    def _hold(self) -> Work[bytes]:
        memory = Memory()
        self.memory = weakref.ref(memory)
        if self.mode == "reject late":
            # Longer than the first slice.
            for _ in range(100_000):
                yield
        raise InvalidField("state", "is rejected")

    def analyse(self, request: advisor.StreamAnalysisRequest) -> Any:
        self._begin()

        def search(cancel: Cancel) -> Iterator[Any]:
            if self.mode == "large answer":
                yield advisor.StreamAnalysisResponse(
                    suggestions=[advisor.Suggestion(values=[0.5] * 5000)]
                )
            yield "text" if self.mode == "bad answer" else advisor.StreamAnalysisResponse()
            if self.mode == "fail late":
                raise RuntimeError
            if self.mode == "hang":
                self.running += 1
                advise(POSITION, 0, seconds=SECONDS, cancel=cancel)

        return search

    def play(self, request: pb.PlayRequest) -> Work[bytes]:
        self._begin()
        if self.mode == "hang":
            return (yield from self._hang())
        if self.mode == "fail late" and request.operations[0].id == 2:
            raise RuntimeError
        return pb.PlayResponse(results=[pb.OperationResult(id=1)]).SerializeToString()


@dataclass
class Running:
    """A service with authentication, its servers, and the handlers of its methods."""

    service: Service
    handlers: Handlers
    http: Server
    grpc: GrpcServer
    channel: aio.Channel
    callers: Path
    # The mode of the test, which begins with `prepare`, and the CPU time that was billed before.
    mode: str = "succeed"
    billed_before: float = 0.0
    stack: ExitStack = field(default_factory=ExitStack)

    def prepare(self) -> None:
        """Bring the handlers and the service into the state that the test is about."""
        self.billed_before = self.billed
        self.handlers.mode = self.mode
        self.handlers.runs = 0
        if self.mode == "revoked":
            write_callers(self.callers, "another key")
            self.service.files.check()
        if self.mode == "no quota":
            self.service.authentication.identify(KEY.encode()).quotas.count(1000)
        if self.mode == "overload":
            for number in range(self.service.settings.max_calls):
                for limit in (self.service.call_limit, self.service.stream_limit):
                    self.stack.enter_context(limit.place(str(number)))

    @property
    def billed(self) -> float:
        return self.service.metrics.total(self.service.metrics.billed_seconds)

    async def until(self, holds: Callable[[], bool]) -> None:
        """Wait until a condition holds; the test has a time limit."""
        while not holds():
            await asyncio.sleep(0.001)

    async def until_running(self) -> None:
        await self.until(lambda: self.handlers.running > 0)


def write_callers(path: Path, key: str = KEY) -> None:
    digest = sha256(key.encode()).hexdigest()
    path.write_text(
        f'[[callers]]\nname = "lobby"\nroles = ["host"]\nkey_sha256 = ["{digest}"]\n'
        "calls_per_second = 0.001\nburst = 100\n"
    )


@asynccontextmanager
async def running(assemble: Assemble, callers: Path) -> AsyncIterator[Running]:
    write_callers(callers)
    handlers = Handlers()
    service, switch_on = with_handlers(
        assemble(
            {"logger": RecordingLogger()},
            callers_file=callers,
            max_request_bytes=2048,
            max_large_request_bytes=4096,
            max_response_bytes=16384,
            max_calls=8,
            max_streams=8,
        ),
        RenderState=handlers.render,
        StreamAnalysis=handlers.analyse,
        Play=handlers.play,
    )
    http, server = Server(service), make_server(service)
    switch_on()
    await http.http.start()
    await server.start()
    try:
        async with aio.insecure_channel(f"127.0.0.1:{server.port}") as channel:
            yield Running(service, handlers, http, server, channel, callers)
    finally:
        handlers.mode = "succeed"
        await server.stop(0)
        await http.http.stop(0)


@dataclass(frozen=True)
class Request:
    """What a client sends, and what it does afterwards."""

    content: str = "valid"
    key: str = KEY
    timeout: float | None = None
    # Whether it disconnects as soon as the handler runs.
    disconnects: bool = False
    # Whether it disconnects before it has sent everything.
    disconnects_early: bool = False
    query: str = ""
    content_type: str = "application/json"


class Transport(Protocol):
    """Makes one call. It may raise the error that a client gets."""

    def __call__(self, server: Running, request: Request) -> Awaitable[object]: ...


def wire(request: Request, valid: bytes) -> bytes:
    """The bytes of a request over gRPC."""
    return {"valid": valid, "invalid": b"\xff\xff", "too large": valid + bytes(5000)}[
        request.content
    ]


async def over_grpc(call: Any, server: Running, request: Request) -> None:
    """Read all answers of a call, or disconnect."""

    async def read() -> None:
        if isinstance(call, aio.UnaryUnaryCall):
            await call
        else:
            async for _ in call:
                pass

    reading = asyncio.ensure_future(read())
    if request.disconnects:
        await server.until_running()
        call.cancel()
    await asyncio.wait([reading])
    # The outcome is judged by the metrics.
    reading.cancelled() or reading.exception()


def metadata(request: Request) -> tuple[tuple[str, str], ...]:
    return (("x-api-key", request.key),)


async def unary(server: Running, request: Request) -> None:
    server.prepare()
    method = server.channel.unary_unary("/tablier.v1.GameService/RenderState", None, None)
    data = wire(request, pb.RenderStateRequest(state=TOKEN).SerializeToString())
    call = method(data, metadata=metadata(request), timeout=request.timeout)
    await over_grpc(call, server, request)


async def streaming(server: Running, request: Request) -> None:
    server.prepare()
    path = "/tablier.v1.AdvisorService/StreamAnalysis"
    data = wire(request, advisor.StreamAnalysisRequest(state=TOKEN).SerializeToString())
    call = server.channel.unary_stream(path, None, None)(
        data, metadata=metadata(request), timeout=request.timeout
    )
    await over_grpc(call, server, request)


async def play(server: Running, request: Request) -> None:
    server.prepare()
    messages = [
        pb.PlayRequest(operations=[pb.Operation(id=number)]).SerializeToString()
        for number in (1, 2)
    ]
    stream = server.channel.stream_stream("/tablier.v1.GameService/Play", None, None)
    data = [wire(request, message) for message in messages]
    call = stream(iter(data), metadata=metadata(request), timeout=request.timeout)
    await over_grpc(call, server, request)


def body_of(request: Request) -> bytes:
    valid = json.dumps({"state": b64encode(TOKEN).decode()}).encode()
    # A head is only remembered for bodies of the same length.
    return {
        "valid": valid,
        "invalid": b"{".ljust(len(valid)),
        "too large": valid + b" " * 3000,
    }[request.content]


def http_request(path: str, request: Request, *more: str) -> bytes:
    if request.timeout is not None:
        more = (*more, f"grpc-timeout: {round(request.timeout * 1000)}m")
    return post(f"{path}{request.query}", request.content_type, body_of(request), request, *more)


def post(path: str, content_type: str, body: bytes, request: Request, *more: str) -> bytes:
    lines = [
        f"POST {path} HTTP/1.1",
        "host: here",
        f"content-type: {content_type}",
        f"content-length: {len(body)}",
        f"x-api-key: {request.key}",
        *more,
    ]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


RENDER_BY_NAME = "/tablier.v1.GameService/RenderState"
ANALYSE_BY_NAME = "/tablier.v1.AdvisorService/StreamAnalysis"


def message_of(request: Request) -> bytes:
    """The message of a request for either method: both have the state first."""
    valid = pb.RenderStateRequest(state=TOKEN).SerializeToString()
    return {
        "valid": valid,
        # A head is only remembered for bodies of the same length.
        "invalid": b"\xff" * len(valid),
        "too large": valid + bytes(3000),
    }[request.content]


def connect_request(path: str, request: Request, *more: str) -> bytes:
    message = message_of(request)
    streaming = path == ANALYSE_BY_NAME
    content_type = "application/connect+proto" if streaming else "application/proto"
    if request.timeout is not None:
        more = (*more, f"connect-timeout-ms: {round(request.timeout * 1000)}")
    body = envelope(message) if streaming else message
    return post(path, content_type, body, request, "connect-protocol-version: 1", *more)


def grpc_web_request(path: str, request: Request, *more: str, text: bool = False) -> bytes:
    body = envelope(message_of(request))
    if request.timeout is not None:
        more = (*more, f"grpc-timeout: {round(request.timeout * 1000)}m")
    if text:
        return post(path, "application/grpc-web-text", b64encode(body), request, *more)
    return post(path, "application/grpc-web+proto", body, request, *more)


async def over_http(connection: Connection, server: Running, data: bytes, request: Request) -> None:
    """Send a request, and read the head of its answer or disconnect."""
    if request.disconnects_early:
        connection.send(data[:-10])
        await server.http.until_arriving()
        connection.close()
        return
    connection.send(data)
    if request.disconnects:
        await server.until_running()
        connection.close()
        return
    head = b" 100 "
    while b" 100 " in head:
        head = await connection._reader.readuntil(b"\r\n\r\n")


RENDER = "/v1/states:render"


async def http_fast(server: Running, request: Request) -> None:
    await fast(server, request, http_request(RENDER, request))


async def fast(server: Running, request: Request, data: bytes) -> None:
    server.prepare()
    connection = await server.http.connect()
    await over_http(connection, server, data, request)
    if not (request.disconnects or request.disconnects_early):
        waits = server.handlers.mode in ("hang", "overload", "reject late")
        assert server.http.served_by_uvicorn == waits
    connection.close()


async def http_known(server: Running, request: Request) -> None:
    valid = http_request(RENDER, replace(request, content="valid"))
    await known(server, request, valid, http_request(RENDER, request))


async def known(server: Running, request: Request, valid: bytes, data: bytes) -> None:
    """With a head that is remembered from a call that succeeded."""
    connection = await server.http.connect()
    connection.send(valid)
    assert (await connection.answer())[0] == 200
    assert len(server.http.application.known_heads) == 1
    server.prepare()
    await over_http(connection, server, data, request)
    connection.close()


async def http_slow(server: Running, request: Request) -> None:
    await slow(server, request, http_request(RENDER, request, "expect: 100-continue"))


async def slow(server: Running, request: Request, data: bytes) -> None:
    """Through uvicorn."""
    server.prepare()
    connection = await server.http.connect()
    await over_http(connection, server, data, request)
    assert server.http.served_by_uvicorn == 1
    connection.close()


async def http_events(server: Running, request: Request) -> None:
    await answers(server, request, http_request("/v1/states:streamAnalysis", request))


async def answers(server: Running, request: Request, data: bytes) -> None:
    """Many answers."""
    server.prepare()
    connection = await server.http.connect()
    await over_http(connection, server, data, request)
    if not (request.disconnects or request.disconnects_early):
        counts = CallCounts(server.service, "StreamAnalysis")
        await server.until(lambda: counts.handled() > 0)
    connection.close()


async def connect_fast(server: Running, request: Request) -> None:
    await fast(server, request, connect_request(RENDER_BY_NAME, request))


async def connect_known(server: Running, request: Request) -> None:
    valid = connect_request(RENDER_BY_NAME, replace(request, content="valid"))
    await known(server, request, valid, connect_request(RENDER_BY_NAME, request))


async def connect_slow(server: Running, request: Request) -> None:
    await slow(server, request, connect_request(RENDER_BY_NAME, request, "expect: 100-continue"))


async def connect_stream(server: Running, request: Request) -> None:
    await answers(server, request, connect_request(ANALYSE_BY_NAME, request))


async def grpc_web(server: Running, request: Request) -> None:
    await fast(server, request, grpc_web_request(RENDER_BY_NAME, request))


async def grpc_web_text(server: Running, request: Request) -> None:
    await fast(server, request, grpc_web_request(RENDER_BY_NAME, request, text=True))


async def grpc_web_stream(server: Running, request: Request) -> None:
    await answers(server, request, grpc_web_request(ANALYSE_BY_NAME, request))


METHODS: dict[Transport, str] = {
    unary: "RenderState",
    streaming: "StreamAnalysis",
    play: "Play",
    http_fast: "RenderState",
    http_known: "RenderState",
    http_slow: "RenderState",
    http_events: "StreamAnalysis",
    connect_fast: "RenderState",
    connect_known: "RenderState",
    connect_slow: "RenderState",
    connect_stream: "StreamAnalysis",
    grpc_web: "RenderState",
    grpc_web_text: "RenderState",
    grpc_web_stream: "StreamAnalysis",
}
ALL = tuple(METHODS)
REST = (http_fast, http_slow, http_events)
CONNECT = (connect_fast, connect_slow, connect_stream)
GRPC_WEB = (grpc_web, grpc_web_text, grpc_web_stream)
HTTP = (*REST, *CONNECT, *GRPC_WEB)
GRPC = (unary, streaming, play)
# Calls with one answer, and those with many answers to one request.
UNARY = tuple(transport for transport, name in METHODS.items() if name == "RenderState")
ANALYSES = tuple(transport for transport, name in METHODS.items() if name == "StreamAnalysis")
STREAMS = (*ANALYSES, play)
KNOWN = (http_known, connect_known)
