"""Clients that speak Connect: what they send, and what they make of odd servers and proxies."""

from __future__ import annotations

import asyncio
import socket
import threading
from pathlib import Path
from typing import Any

import pytest
from tablier.v1 import advisor_service_pb2 as advisor
from tablier.v1 import game_pb2
from tablier.v1 import game_service_pb2 as pb
from tablier_client import AsyncClient, Client
from tablier_client.call import Call
from tablier_client.connect import END_OF_STREAM, PREFIX
from tablier_client.errors import (
    Closed,
    DeadlineExceeded,
    Overloaded,
    ServiceFault,
    TablierError,
    Unavailable,
    UnknownGame,
    UnknownRoute,
)

from tests.certificates import Authority
from tests.clients.faulty_http import answer, faulty_http
from tests.live_server import LiveServer, running

GAMES = answer(pb.ListGamesResponse(games=[game_pb2.Game(name="go")]).SerializeToString())


def envelope(data: bytes, flags: int = 0) -> bytes:
    return PREFIX.pack(flags, len(data)) + data


def sync_call(address: str, **arguments: Any) -> Any:
    with Client(address, **arguments) as client:
        return client.games()


def async_call(address: str, **arguments: Any) -> Any:
    async def call() -> Any:
        async with AsyncClient(address, **arguments) as client:
            return await client.games()

    return asyncio.run(call())


CALLS = pytest.mark.parametrize("call", [sync_call, async_call])


@CALLS
def test_sends_what_connect_says(call: Any) -> None:
    with faulty_http(GAMES) as server:
        address = server.address + "/behind/"
        [game] = call(address, api_key="key", metadata=[("x-a", "b"), ("x-bin", b"\xff")])
        assert game.name == "go"
        [request] = server.requests
    first, *headers = request.decode().split("\r\n\r\n")[0].split("\r\n")
    assert first == "POST /behind/tablier.v1.GameService/ListGames HTTP/1.1"
    assert set(headers) == {
        headers[0],
        "content-type: application/proto",
        "connect-protocol-version: 1",
        "x-a: b",
        "x-bin: /w",
        "authorization: Bearer key",
        "connect-timeout-ms: 20000",
        "content-length: 0",
    }
    assert headers[0].startswith("host: 127.0.0.1:")


def test_connections_are_kept_and_replaced() -> None:
    with faulty_http(GAMES) as server, Client(server.address) as client:
        for _ in range(5):
            client.games()
        assert (server.connections, len(server.requests)) == (1, 5)
    with faulty_http(GAMES, closes=True) as server, Client(server.address) as client:
        for _ in range(5):
            client.games()
        # Each was closed before the next call, which is not seen as a failure.
        assert (server.connections, len(server.requests)) == (5, 5)


def test_asynchronous_connections_are_kept_and_replaced() -> None:
    async def call(address: str) -> None:
        async with AsyncClient(address) as client:
            for _ in range(5):
                await client.games()

    for closes, connections in ((False, 1), (True, 5)):
        with faulty_http(GAMES, closes=closes) as server:
            asyncio.run(call(server.address))
            assert (server.connections, len(server.requests)) == (connections, 5)


ERROR = (
    b'{"code":"not_found","message":"no","details":[{"type":"google.rpc.ErrorInfo","value":"%s"}]}'
)
INFO = b"CgxVTktOT1dOX0dBTUUSB3RhYmxpZXI"
BUSY = (
    b'{"code":8,"message":"busy","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo",'
    b'"reason":"QUOTA_EXCEEDED","domain":"tablier"},'
    b'{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"2s"}]}'
)
JSON = "application/json"


@CALLS
@pytest.mark.parametrize(
    ("response", "kind", "message"),
    [
        (answer(ERROR % INFO, "404 Not Found", JSON), UnknownGame, "no"),
        (answer(ERROR % b"*", "404 Not Found", JSON), TablierError, "no"),
        (answer(BUSY, "429 Too Many", JSON), Overloaded, "busy"),
        (answer(b'{"code":"odd"}', "500 Oh", JSON), TablierError, ""),
        (answer(b'{"code":"internal","details":[5]}', "500 Oh", JSON), TablierError, ""),
        (answer(b"[" * 10_000, "500 Oh", JSON), TablierError, "HTTP status 500"),
        (answer(b"<html>", "404 Not Found", "text/html"), UnknownRoute, "HTTP status 404"),
        (answer(b"<html>", "502 Bad", "text/html"), Unavailable, "HTTP status 502"),
        (answer(b"<html>", "418 Teapot", "text/html"), TablierError, "HTTP status 418"),
        (answer(b"<html>", kind="text/html"), UnknownRoute, "not Connect"),
        (answer(b"\xff"), ServiceFault, "not a valid message"),
        (b"SSH-2.0-OpenSSH_9.2\r\n", Unavailable, "is not HTTP/1.1"),
        (b"HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nabc", Unavailable, "before the answer"),
    ],
)
def test_names_what_is_wrong(
    call: Any, response: bytes, kind: type[TablierError], message: str
) -> None:
    closes = response.endswith(b"abc")
    with faulty_http(response, closes=closes) as server:
        with pytest.raises(kind) as caught:
            call(server.address)
        assert type(caught.value) is kind or kind is Overloaded
        assert message in str(caught.value)


@CALLS
def test_a_server_that_does_not_answer(call: Any) -> None:
    with faulty_http(None) as server, pytest.raises(DeadlineExceeded, match="in time"):
        call(server.address, timeout=0.2)


@CALLS
def test_a_port_without_a_server(call: Any) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with pytest.raises(Unavailable, match=f"no server listens on 127.0.0.1:{port}"):
        call(f"http://127.0.0.1:{port}")


@CALLS
def test_waits_for_a_server(call: Any) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with pytest.raises(TablierError):
        call(f"http://127.0.0.1:{port}", wait_for_ready=True, timeout=0.3)
    with faulty_http(GAMES) as server:
        assert call(server.address, wait_for_ready=True)


@CALLS
def test_the_port_of_grpc(live_server: LiveServer, call: Any) -> None:
    with pytest.raises(Unavailable):
        call(f"http://{live_server.grpc_address}")


def test_closing_a_client_ends_its_calls() -> None:
    with faulty_http(None) as server:
        client = Client(server.address)
        errors: list[Exception] = []

        def call() -> None:
            try:
                client.games()
            except TablierError as error:
                errors.append(error)

        thread = threading.Thread(target=call)
        thread.start()
        while not server.requests:
            pass
        client.close()
        thread.join()
    assert isinstance(errors[0], Closed)
    with pytest.raises(Closed):
        client.games()


def test_closing_an_asynchronous_client_ends_its_calls() -> None:
    async def call() -> None:
        with faulty_http(None) as server:
            client = AsyncClient(server.address)
            calling = asyncio.ensure_future(client.games())
            while not server.requests:
                await asyncio.sleep(0.001)
            await client.close()
            with pytest.raises(Closed):
                await calling

    asyncio.run(asyncio.wait_for(call(), 60))


def test_cancelling_a_call_closes_its_connection() -> None:
    async def call() -> None:
        with faulty_http(None, GAMES) as server:
            async with AsyncClient(server.address) as client:
                calling = asyncio.ensure_future(client.games())
                while not server.requests:
                    await asyncio.sleep(0.001)
                calling.cancel()
                with pytest.raises(asyncio.CancelledError):
                    await calling
                assert await client.games()
                assert server.connections == 2

    asyncio.run(asyncio.wait_for(call(), 60))


HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: application/connect+proto\r\n"
ADVICE = envelope(advisor.StreamAnalysisResponse(iterations=7).SerializeToString())
ANALYSIS: Call[int] = Call(
    "StreamAnalysis", advisor.StreamAnalysisRequest(), lambda reply: reply.iterations
)
FAILED = b'{"error":{"code":"internal","message":"oh"}}'


def stream(body: bytes) -> bytes:
    return HEAD + b"content-length: %d\r\n\r\n" % len(body) + body


@pytest.mark.parametrize(
    ("body", "answers", "message"),
    [
        (ADVICE + envelope(b"{}", END_OF_STREAM), 1, ""),
        (ADVICE * 3 + envelope(FAILED, END_OF_STREAM), 3, "oh"),
        (ADVICE + ADVICE[:-1], 1, "cut off"),
        (envelope(FAILED, END_OF_STREAM), 0, "oh"),
    ],
)
def test_streams(body: bytes, answers: int, message: str) -> None:
    chunked = HEAD + b"transfer-encoding: chunked\r\n\r\n"
    chunks = b"".join(b"1\r\n%c\r\n" % byte for byte in body) + b"0\r\n\r\n"

    def sync(address: str, got: list[Any]) -> None:
        with Client(address) as client:
            for each in client.stream(ANALYSIS):
                got.append(each)  # noqa: PERF402 (what came before a failure counts)

    def asynchronous(address: str, got: list[Any]) -> None:
        async def read() -> None:
            async with AsyncClient(address) as client:
                async for each in client.stream(ANALYSIS):
                    got.append(each)  # noqa: PERF401

        asyncio.run(read())

    for response in (stream(body), chunked + chunks):
        for read in (sync, asynchronous):
            got: list[Any] = []
            with faulty_http(response) as server:
                if message:
                    with pytest.raises(TablierError, match=message):
                        read(server.address, got)
                else:
                    read(server.address, got)
            assert got == [7] * answers


@pytest.mark.service
def test_tls(tmp_path: Path) -> None:
    authority = Authority(tmp_path)
    cert, key = authority.sign("service")
    with running(tls_cert_file=cert, tls_key_file=key) as server:
        address = server.rest_url
        for call in (sync_call, async_call):
            assert call(address, ca_file=authority.file)
            with pytest.raises(Unavailable, match="is not trusted"):
                call(address)
            with pytest.raises(Unavailable):
                call(address.replace("https://", "http://"))
