"""Spans of calls through both doors: in the caller's trace, and with nothing of the content."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Awaitable, Callable
from typing import Any, cast

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
from tablier_core.registry import GAMES
from tablier_service.calls.advisor import AdvisorServicer
from tablier_service.calls.limits import CallLimit
from tablier_service.calls.pool import SearchPool
from tablier_service.calls.servicer import GameServicer
from tablier_service.calls.use_cases import UseCases
from tablier_service.observability.call_log import Observer
from tablier_service.observability.logs import configure_logs
from tablier_service.observability.metrics import Metrics
from tablier_service.observability.tracing import Tracing, make_tracing
from tablier_service.security.sealing import PlainTokens
from tablier_service.settings import Settings
from tablier_service.transports.grpc.server import GrpcDoor
from tablier_service.transports.http.traced import TracedDoor

TRACE, PARENT = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
CARRIER = {"traceparent": f"00-{TRACE}-{PARENT}-01"}
SETTINGS = Settings.model_validate({"grpc_port": 0, "log_level": "error"})
TOKENS = PlainTokens(GAMES)
TOKEN = TOKENS.write(GAMES["contract"].start({}, 7))


class House:
    """Both doors with tracing, callers of them, and the spans that were made."""

    def __init__(
        self, rest: httpx.AsyncClient, channel: grpc.aio.Channel, metrics: Metrics, exporter: Any
    ) -> None:
        self.rest = rest
        self.channel = channel
        self.metrics = metrics
        self._exporter = exporter

    async def span(self) -> ReadableSpan:
        """The one span that there is; a caller may have its answer before it ends."""
        while not self._exporter.get_finished_spans():
            await asyncio.sleep(0.001)
        (span,) = self._exporter.get_finished_spans()
        self._exporter.clear()
        return cast("ReadableSpan", span)


def run(test: Callable[[House], Awaitable[None]]) -> None:
    async def main() -> None:
        exporter = InMemorySpanExporter()
        provider = TracerProvider()
        provider.add_span_processor(SimpleSpanProcessor(exporter))
        tracing = Tracing(provider)
        metrics = Metrics()
        observer = Observer(configure_logs(SETTINGS), metrics, tracing)
        pool = SearchPool(1, 0, metrics)
        calls = CallLimit(16, metrics)
        engine = UseCases(GAMES, TOKENS)
        methods = (*GameServicer(engine).methods, *AdvisorServicer(engine, 60.0).methods)
        door = GrpcDoor(methods, SETTINGS, observer, pool, calls)
        rest = TracedDoor(tracing, methods, SETTINGS, observer, pool, calls, lambda: True)
        await door.start()
        transport = httpx.ASGITransport(app=rest)
        try:
            async with (
                httpx.AsyncClient(transport=transport, base_url="http://door") as client,
                grpc.aio.insecure_channel(f"127.0.0.1:{door.port}") as channel,
            ):
                await asyncio.wait_for(test(House(client, channel, metrics, exporter)), 30)
        finally:
            await door.stop(0)
            pool.close()
            tracing.close()

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


def test_calls_through_grpc() -> None:
    async def test(house: House) -> None:
        stub: Any = GameServiceStub(house.channel)
        call = "tablier.v1.GameService/EnumerateMoves"
        await stub.EnumerateMoves(
            pb.EnumerateMovesRequest(state=TOKEN), metadata=tuple(CARRIER.items())
        )
        span = await house.span()
        check(span, call, **grpc_attributes(0))
        assert in_the_caller_s_trace(span)
        assert span.status.is_unset
        with pytest.raises(grpc.RpcError):
            await stub.EnumerateMoves(pb.EnumerateMovesRequest(state=TOKEN[:-1]))
        span = await house.span()
        check(span, call, **grpc_attributes(3))
        assert not in_the_caller_s_trace(span)
        # The caller's fault is none of ours.
        assert span.status.is_unset

    run(test)


def test_streams_through_grpc() -> None:
    async def test(house: House) -> None:
        stub: Any = GameServiceStub(house.channel)
        operation = pb.Operation(id=1, get_game=pb.GetGameRequest(game="contract"))
        requests = iter([pb.PlayRequest(operations=[operation])])
        answers = stub.Play(requests, metadata=tuple(CARRIER.items()))
        assert len([answer async for answer in answers]) == 1
        span = await house.span()
        check(span, "tablier.v1.GameService/Play", **grpc_attributes(0))
        assert in_the_caller_s_trace(span)

    run(test)


def test_a_caller_who_leaves() -> None:
    async def test(house: House) -> None:
        stub: Any = advisor_service_pb2_grpc.AdvisorServiceStub(house.channel)
        request = advisor_service_pb2.SuggestMovesRequest(
            state=TOKEN, budget=advisor_service_pb2.Budget(milliseconds=50_000)
        )
        call = stub.SuggestMoves(request)
        while not house.metrics.total(house.metrics.running):
            await asyncio.sleep(0.001)
        call.cancel()
        check(await house.span(), "tablier.v1.AdvisorService/SuggestMoves", **grpc_attributes(1))

    run(test)


def test_calls_through_rest() -> None:
    async def test(house: House) -> None:
        call = "tablier.v1.GameService/GetGame"
        answer = await house.rest.get("/v1/games/contract", headers=CARRIER)
        assert answer.status_code == 200
        span = await house.span()
        check(span, call, **rest_attributes(200))
        assert in_the_caller_s_trace(span)
        await house.rest.get("/v1/games/go", headers={"traceparent": "nonsense"})
        span = await house.span()
        check(span, call, **rest_attributes(404))
        assert not in_the_caller_s_trace(span)
        assert span.status.is_unset

    run(test)


def test_pages_have_no_spans() -> None:
    async def test(house: House) -> None:
        for path in ("/healthz", "/readyz", "/metrics", "/openapi.json", "/nothing"):
            await house.rest.get(path)
        assert house._exporter.get_finished_spans() == ()

    run(test)


def test_no_token_is_in_a_span() -> None:
    async def test(house: House) -> None:
        stub: Any = GameServiceStub(house.channel)
        text = game_pb2.Move(notation="SECRET")
        with pytest.raises(grpc.RpcError):
            await stub.ApplyMoves(pb.ApplyMovesRequest(state=TOKEN, moves=[text]))
        told = [await house.span()]
        query = {"state": "U0VDUkVU", "seat": "0"}
        await house.rest.get("/v1/states:describe", params=query)
        told.append(await house.span())
        for span in told:
            for secret in ("SECRET", "U0VDUkVU", TOKEN.hex()[:16]):
                assert secret not in span.to_json()

    run(test)


def test_off_by_default_and_then_not_even_loaded() -> None:
    assert Settings().otlp_endpoint == ""
    assert make_tracing(Settings()) is None
    program = (
        "import sys; from tablier_service.process import app; "
        "sys.exit(any('opentelemetry' in name for name in sys.modules))"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


def test_a_service_without_the_packages_says_what_it_needs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "opentelemetry.sdk.trace.export", None)
    with pytest.raises(OSError, match=r"tablier\[otel\]"):
        make_tracing(Settings.model_validate({"otlp_endpoint": "http://127.0.0.1:1/v1/traces"}))


def test_spans_reach_a_collector() -> None:
    """With the real exporter, to a collector that takes anything."""
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
        tracing = make_tracing(Settings.model_validate({"otlp_endpoint": endpoint}))
        assert tracing is not None
        descriptor = pb.DESCRIPTOR.services_by_name["GameService"].methods_by_name["GetGame"]
        tracing.end(tracing.begin(descriptor, "grpc", {}), "x", 0, failed=False)
        await asyncio.to_thread(tracing.close)
        server.close()

    asyncio.run(main())
    assert received[0].startswith(b"POST /v1/traces ")
