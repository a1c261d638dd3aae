"""Spans of calls on all transports: in the trace of the caller, and without any content."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Awaitable, Callable
from typing import Any

import grpc
import httpx
import pytest
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind
from tablier.v1 import advisor_service_pb2, advisor_service_pb2_grpc, game_pb2
from tablier.v1 import game_service_pb2 as pb
from tablier.v1.game_service_pb2_grpc import GameServiceStub
from tablier_core import codec
from tablier_core.registry import GAMES
from tablier_service.observability.tracing import Tracing, make_tracing
from tablier_service.service import Service
from tablier_service.settings import Settings
from tablier_service.transports.grpc.server import make_server

from tests.service.assembly import assemble
from tests.service.transports.http.connections import Server, moves_request

TRACE, PARENT = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
CARRIER = {"traceparent": f"00-{TRACE}-{PARENT}-01"}
TOKEN = codec.encode(GAMES["contract"].start({}, 7))


class Traced:
    """A service with tracing, clients of its transports, and its spans."""

    def __init__(
        self,
        service: Service,
        http: Server,
        rest: httpx.AsyncClient,
        channel: grpc.aio.Channel,
        exporter: InMemorySpanExporter,
    ) -> None:
        self.service = service
        self.http = http
        self.rest = rest
        self.channel = channel
        self._exporter = exporter

    async def span(self) -> ReadableSpan:
        """The only span; a caller may have its answer before the span ends."""
        while not self._exporter.get_finished_spans():
            await asyncio.sleep(0.001)
        (span,) = self._exporter.get_finished_spans()
        self._exporter.clear()
        return span


def run(test: Callable[[Traced], Awaitable[None]]) -> None:
    async def main() -> None:
        exporter = InMemorySpanExporter()
        provider = TracerProvider()
        provider.add_span_processor(SimpleSpanProcessor(exporter))
        service = assemble({"tracing": Tracing(provider)}, search_slots=1, search_queue=0)
        server, http = make_server(service), Server(service)
        await server.start()
        await http.http.start()
        try:
            async with (
                httpx.AsyncClient(base_url=f"http://127.0.0.1:{http.http.port}") as client,
                grpc.aio.insecure_channel(f"127.0.0.1:{server.port}") as channel,
            ):
                await asyncio.wait_for(test(Traced(service, http, client, channel, exporter)), 60)
        finally:
            await server.stop(0)
            await http.http.stop(0)
            service.close()

    asyncio.run(main())


def check(span: ReadableSpan, call: str, **attributes: object) -> None:
    service, _, method = call.partition("/")
    assert span.name == call
    assert span.kind is SpanKind.SERVER
    assert span.attributes == {"rpc.service": service, "rpc.method": method, **attributes}


def in_the_caller_s_trace(span: ReadableSpan) -> bool:
    assert span.context is not None
    if span.parent is None:
        return False
    return (span.context.trace_id, span.parent.span_id) == (int(TRACE, 16), int(PARENT, 16))


def grpc_attributes(code: int) -> dict[str, object]:
    return {"rpc.system": "grpc", "rpc.grpc.status_code": code}


def rest_attributes(status: int) -> dict[str, object]:
    return {"rpc.system": "http", "http.response.status_code": status}


def test_traces_calls_over_grpc() -> None:
    async def test(traced: Traced) -> None:
        stub: Any = GameServiceStub(traced.channel)
        call = "tablier.v1.GameService/EnumerateMoves"
        await stub.EnumerateMoves(
            pb.EnumerateMovesRequest(state=TOKEN), metadata=tuple(CARRIER.items())
        )
        span = await traced.span()
        check(span, call, **grpc_attributes(0))
        assert in_the_caller_s_trace(span)
        assert span.status.is_unset
        with pytest.raises(grpc.RpcError):
            await stub.EnumerateMoves(pb.EnumerateMovesRequest(state=TOKEN[:-1]))
        span = await traced.span()
        check(span, call, **grpc_attributes(3))
        assert not in_the_caller_s_trace(span)
        # A fault of the caller is not a fault of the service.
        assert span.status.is_unset

    run(test)


def test_traces_streams_over_grpc() -> None:
    async def test(traced: Traced) -> None:
        stub: Any = GameServiceStub(traced.channel)
        operation = pb.Operation(id=1, get_game=pb.GetGameRequest(game="contract"))
        requests = iter([pb.PlayRequest(operations=[operation])])
        answers = stub.Play(requests, metadata=tuple(CARRIER.items()))
        assert len([answer async for answer in answers]) == 1
        span = await traced.span()
        check(span, "tablier.v1.GameService/Play", **grpc_attributes(0))
        assert in_the_caller_s_trace(span)

    run(test)


def test_traces_cancelled_calls() -> None:
    async def test(traced: Traced) -> None:
        stub: Any = advisor_service_pb2_grpc.AdvisorServiceStub(traced.channel)
        request = advisor_service_pb2.SuggestMovesRequest(
            state=TOKEN, budget=advisor_service_pb2.Budget(milliseconds=50_000)
        )
        call = stub.SuggestMoves(request)
        metrics = traced.service.metrics
        while not metrics.total(metrics.running):
            await asyncio.sleep(0.001)
        call.cancel()
        check(await traced.span(), "tablier.v1.AdvisorService/SuggestMoves", **grpc_attributes(1))

    run(test)


def test_traces_calls_over_http() -> None:
    async def test(traced: Traced) -> None:
        call = "tablier.v1.GameService/GetGame"
        answer = await traced.rest.get("/v1/games/contract", headers=CARRIER)
        assert answer.status_code == 200
        span = await traced.span()
        check(span, call, **rest_attributes(200))
        assert in_the_caller_s_trace(span)
        await traced.rest.get("/v1/games/go", headers={"traceparent": "nonsense"})
        span = await traced.span()
        check(span, call, **rest_attributes(404))
        assert not in_the_caller_s_trace(span)
        assert span.status.is_unset
        # Without a task: tracing does not disable the fast path.
        assert traced.http.served_by_uvicorn == 0

    run(test)


def test_traces_calls_with_known_heads() -> None:
    async def test(traced: Traced) -> None:
        connection = await traced.http.connect()
        for _ in range(2):
            connection.send(
                moves_request("enumerateMoves", f"traceparent: {CARRIER['traceparent']}")
            )
            assert (await connection.answer())[0] == 200
            span = await traced.span()
            check(span, "tablier.v1.GameService/EnumerateMoves", **rest_attributes(200))
            assert in_the_caller_s_trace(span)
        connection.close()
        assert len(traced.http.application.known_heads) == 1
        assert traced.http.served_by_uvicorn == 0

    run(test)


def test_traces_events_over_http() -> None:
    async def test(traced: Traced) -> None:
        state = moves_request().rpartition(b'"state": "')[2].rpartition(b'"')[0].decode()
        body = {"state": state, "budget": {"iterations": 20}}
        call = "tablier.v1.AdvisorService/StreamAnalysis"
        answer = await traced.rest.post("/v1/states:streamAnalysis", json=body, headers=CARRIER)
        assert answer.status_code == 200
        span = await traced.span()
        check(span, call, **rest_attributes(200))
        assert in_the_caller_s_trace(span)
        await traced.rest.post("/v1/states:streamAnalysis", json={**body, "seat": 9})
        check(await traced.span(), call, **rest_attributes(400))

    run(test)


def test_does_not_trace_pages() -> None:
    async def test(traced: Traced) -> None:
        for path in ("/healthz", "/readyz", "/metrics", "/openapi.json", "/nothing"):
            await traced.rest.get(path)
        assert traced._exporter.get_finished_spans() == ()

    run(test)


def test_a_span_contains_no_token() -> None:
    async def test(traced: Traced) -> None:
        stub: Any = GameServiceStub(traced.channel)
        text = game_pb2.Move(notation="SECRET")
        with pytest.raises(grpc.RpcError):
            await stub.ApplyMoves(pb.ApplyMovesRequest(state=TOKEN, moves=[text]))
        spans = [await traced.span()]
        query = {"state": "U0VDUkVU", "seat": "0"}
        await traced.rest.get("/v1/states:describe", params=query)
        spans.append(await traced.span())
        for span in spans:
            for secret in ("SECRET", "U0VDUkVU", TOKEN.hex()[:16]):
                assert secret not in span.to_json()

    run(test)


def test_opentelemetry_is_not_even_loaded_by_default() -> None:
    assert Settings().otlp_endpoint == ""
    assert make_tracing(Settings().otlp_endpoint, 1.0) is None
    program = (
        "import sys; from tablier_service.process import app; "
        "sys.exit(any('opentelemetry' in name for name in sys.modules))"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


def test_names_the_packages_that_are_missing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "opentelemetry.sdk.trace.export", None)
    with pytest.raises(OSError, match=r"tablier\[otel\]"):
        make_tracing("http://127.0.0.1:1/v1/traces", 1.0)


def test_sends_spans_to_a_collector() -> None:
    """With the real exporter, to a collector that accepts everything."""
    received: list[bytes] = []

    async def main() -> None:
        async def collect(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            received.append(await reader.readuntil(b"\r\n\r\n"))
            writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\nconnection: close\r\n\r\n")
            await writer.drain()
            writer.close()

        server = await asyncio.start_server(collect, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        endpoint = f"http://127.0.0.1:{port}/v1/traces"
        tracing = make_tracing(endpoint, 1.0)
        assert tracing is not None
        descriptor = pb.DESCRIPTOR.services_by_name["GameService"].methods_by_name["GetGame"]
        tracing.end(tracing.begin(descriptor, "grpc", {}), "x", 0, failed=False)
        await asyncio.to_thread(tracing.close)
        server.close()

    asyncio.run(main())
    assert received[0].startswith(b"POST /v1/traces ")
