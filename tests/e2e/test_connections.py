"""The limits of connections, over real sockets."""

from __future__ import annotations

import json
import socket
import ssl
import time
from collections.abc import Iterator
from contextlib import ExitStack
from http.client import HTTPConnection
from pathlib import Path
from select import select
from typing import Any, Final

import grpc
import httpx
import pytest
from tablier.v1 import advisor_service_pb2, advisor_service_pb2_grpc
from tablier.v1 import game_service_pb2 as pb
from tablier.v1.game_service_pb2_grpc import GameServiceStub
from tablier_client import Client
from tablier_client.errors import TablierError
from tablier_core import codec
from tablier_core.registry import GAMES

from tests.certificates import Authority
from tests.live_server import TIMEOUT_SECONDS, LiveServer, open_stream, running, wait_until

GAME: Final = "contigo-alignment"
# Otherwise channels to the same address share a connection.
OWN_CONNECTION = ("grpc.use_local_subchannel_pool", 1)
# How a proper HTTP/2 connection begins: the preface and empty settings.
PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes([0, 0, 0, 4, 0, 0, 0, 0, 0])
PING = bytes([0, 0, 8, 6, 0, 0, 0, 0, 0]) + bytes(8)
# The HTTP/2 frame that announces the end of a connection.
GOAWAY = 7


@pytest.fixture(scope="module")
def strict() -> Iterator[LiveServer]:
    with running(max_metadata_bytes=2048) as server:
        yield server


@pytest.fixture(scope="module")
def aging() -> Iterator[LiveServer]:
    with running(max_connection_age_seconds=0.5, max_search_seconds=5, drain_seconds=0.5) as server:
        yield server


@pytest.fixture(scope="module")
def brief() -> Iterator[LiveServer]:
    # Long enough for a handshake on a busy machine, and shorter than the time to be idle.
    with running(
        max_grpc_calls_per_connection=2, handshake_seconds=2, max_idle_seconds=4, request_seconds=4
    ) as server:
        yield server


def addresses(server: LiveServer) -> list[tuple[str, int]]:
    """The addresses of both servers, that of gRPC first."""
    found = (server.grpc_address, server.rest_url.rpartition("/")[2])
    return [(host, int(port)) for host, _, port in (each.rpartition(":") for each in found)]


def goaway_reason(server: LiveServer, sent: bytes = b"") -> bytes:
    """The reason that gRPC gives for ending a connection on which only this is sent."""
    with socket.create_connection(addresses(server)[0], timeout=TIMEOUT_SECONDS) as connection:
        connection.sendall(PREFACE + sent)
        with connection.makefile("rb") as frames:
            while True:
                head = frames.read(9)
                assert head, "closed without a GOAWAY"
                content = frames.read(int.from_bytes(head[:3], "big"))
                if head[3] == GOAWAY:
                    # After the number of the last call and an error code.
                    return content[8:]


def test_limits_the_streams_of_a_connection(brief: LiveServer):
    with grpc.insecure_channel(brief.grpc_address, [OWN_CONNECTION]) as channel:
        stub: Any = GameServiceStub(channel)
        with open_stream(stub) as first, open_stream(stub) as second:
            later = stub.ListGames.future(pb.ListGamesRequest())
            with pytest.raises(grpc.FutureTimeoutError):
                later.result(timeout=0.5)
            for answers, requests in (first, second):
                requests.put(None)
                assert list(answers) == []
            assert later.result(timeout=TIMEOUT_SECONDS).games


def test_accepts_headers_up_to_a_higher_limit():
    """By default, gRPC rejects some headers that come near the limit."""
    large = [("x-long", "x" * 31_000)]
    with (
        running(max_metadata_bytes=32_768) as server,
        Client(server.grpc_address, metadata=large) as client,
    ):
        for _ in range(50):
            assert client.game(GAME).name == GAME


def test_limits_headers(strict: LiveServer):
    with Client(strict.grpc_address, metadata=[("x-long", "x" * 4000)]) as client:
        with pytest.raises(TablierError) as failure:
            client.games()
        assert failure.value.code == grpc.StatusCode.RESOURCE_EXHAUSTED
    url = f"{strict.rest_url}/v1/games"
    rejected = httpx.get(url, headers={"x-long": "x" * 4000})
    assert (rejected.status_code, rejected.json()["code"]) == (431, 8)
    assert "2048 bytes" in rejected.json()["message"]
    assert httpx.get(url, headers={"x-long": "x" * 1000}).status_code == 200


def test_rejects_a_long_target_before_all_of_it_has_arrived(strict: LiveServer):
    """It is longer than the query string of any call may be."""
    with socket.create_connection(addresses(strict)[1], timeout=TIMEOUT_SECONDS) as connection:
        connection.sendall(b"GET /v1/games?x=")
        for _ in range(40):
            connection.sendall(b"y" * 4096)
            # Sending more after the answer would lose it.
            if select([connection], [], [], 0.1)[0]:
                break
        # The request line is not even complete.
        assert connection.recv(4096).startswith(b"HTTP/1.1 414 ")


def test_rejects_a_query_string_that_the_parser_cannot_handle(live_server: LiveServer):
    """The limit of the parser is lower than that of the call."""
    connection = HTTPConnection(*addresses(live_server)[1], timeout=TIMEOUT_SECONDS)
    connection.request("GET", f"/v1/states:describe?state={'A' * 2**16}")
    with connection.getresponse() as rejected:
        status = json.load(rejected)
    connection.close()
    assert (rejected.status, status["details"][0]["reason"]) == (414, "TOO_LARGE")
    assert status["message"] == "the target has more than 65535 bytes; use POST"


def test_closes_a_silent_connection(brief: LiveServer):
    with ExitStack() as stack:
        opened = [
            stack.enter_context(socket.create_connection(address, timeout=TIMEOUT_SECONDS))
            for address in addresses(brief)
        ]
        for connection in opened:
            # The server may greet first, but must not complain about another limit.
            while received := connection.recv(4096):
                assert b"idle" not in received


@pytest.mark.parametrize("call", ["enumerateMoves", "suggestMoves"])
def test_does_not_wait_for_an_incomplete_request_for_ever(brief: LiveServer, call: str):
    with socket.create_connection(addresses(brief)[1], timeout=TIMEOUT_SECONDS) as connection:
        head = f"POST /v1/states:{call} HTTP/1.1\r\nhost: here\r\ncontent-length: 100\r\n\r\n"
        connection.sendall(head.encode() + b'{"state":')
        with connection.makefile("rb") as answer:
            assert answer.read(13) == b"HTTP/1.1 408 "
            assert b"the request did not arrive within 4 seconds" in answer.read()


def test_ends_a_tls_handshake_that_takes_too_long(tmp_path: Path):
    authority = Authority(tmp_path)
    certificate, key = authority.sign("tablier")
    with (
        running(tls_cert_file=certificate, tls_key_file=key, handshake_seconds=2) as server,
        ExitStack() as stack,
    ):
        context = ssl.create_default_context(cafile=authority.file)
        begin = ssl.MemoryBIO()
        handshake = context.wrap_bio(ssl.MemoryBIO(), begin, server_hostname="127.0.0.1")
        with pytest.raises(ssl.SSLWantReadError):
            handshake.do_handshake()
        opened = [
            stack.enter_context(socket.create_connection(address, timeout=TIMEOUT_SECONDS))
            for address in addresses(server)
        ]
        hello = begin.read()
        for connection in opened:
            # The first message of the handshake, and never the second.
            connection.sendall(hello)
        for connection in opened:
            while connection.recv(4096):
                pass
        assert httpx.get(f"{server.rest_url}/healthz", verify=context).is_success


def test_closes_idle_connections(brief: LiveServer):
    with socket.create_connection(addresses(brief)[1], timeout=TIMEOUT_SECONDS) as connection:
        connection.sendall(b"GET /healthz HTTP/1.1\r\nhost: here\r\n\r\n")
        assert goaway_reason(brief) == b"connection idle"
        said = b""
        while received := connection.recv(4096):
            said += received
        assert said.endswith(b"\r\n\r\nalive\n")
        assert b"connection: close" not in said


def test_disconnects_clients_that_ping_too_often(brief: LiveServer):
    assert goaway_reason(brief, PING * 10) == b"too_many_pings"


def test_loses_no_call_when_old_connections_end(aging: LiveServer):
    """Several lifetimes of a connection, with calls all the time and one long search."""
    request = advisor_service_pb2.SuggestMovesRequest(
        state=codec.encode(GAMES[GAME].start({}, 1)),
        budget=advisor_service_pb2.Budget(milliseconds=1500),
    )
    with grpc.insecure_channel(aging.grpc_address, [OWN_CONNECTION]) as channel:
        advice = advisor_service_pb2_grpc.AdvisorServiceStub(channel).SuggestMoves.future(request)
        with Client(aging.grpc_address) as client:
            end = time.monotonic() + 2
            while time.monotonic() < end:
                assert client.game(GAME).name == GAME
        assert advice.result(timeout=TIMEOUT_SECONDS).iterations > 0
    assert goaway_reason(aging) == b"max_age"


PLAY = 'grpc_method="Play",grpc_service="tablier.v1.GameService",grpc_type="bidi_stream"}'


def test_ends_streams_on_old_connections_and_sessions_reopen_theirs(aging: LiveServer):
    started = f"grpc_server_started_total{{{PLAY}"
    with grpc.insecure_channel(aging.grpc_address, [OWN_CONNECTION]) as channel:
        before = aging.metrics()[started]
        with (
            open_stream(GameServiceStub(channel)) as (answers, _),
            Client(aging.grpc_address) as client,
            client.session() as session,
        ):

            def session_has_reopened() -> bool:
                """Use the session: whether it has another stream than its first."""
                call = session.submit(client.calls.game(GAME))
                assert call.result(TIMEOUT_SECONDS).name == GAME
                return aging.metrics()[started] >= before + 3

            wait_until(session_has_reopened, "the session has opened another stream")
            with pytest.raises(grpc.RpcError) as failure:
                next(answers)
            assert failure.value.code() is grpc.StatusCode.UNAVAILABLE
