"""What a connection may ask of the service, and for how long: over real sockets."""

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
from typing import Any

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
from tests.live_server import LiveServer, keep_open, running

GAME = "contigo-alignment"
# Else channels to the same address share one.
OWN_CONNECTION = ("grpc.use_local_subchannel_pool", 1)
# How a connection in order begins, without a call: HTTP/2's preface and empty settings.
PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes([0, 0, 0, 4, 0, 0, 0, 0, 0])
PING = bytes([0, 0, 8, 6, 0, 0, 0, 0, 0]) + bytes(8)
# The HTTP/2 frame that says that a connection takes no more calls.
GOAWAY = 7


@pytest.fixture(scope="module")
def strict() -> Iterator[LiveServer]:
    with running(max_metadata_bytes=2048) as server:
        yield server


@pytest.fixture(scope="module")
def aging() -> Iterator[LiveServer]:
    with running(max_connection_age_seconds=0.5, max_search_seconds=2, drain_seconds=0.5) as server:
        yield server


@pytest.fixture(scope="module")
def brief() -> Iterator[LiveServer]:
    with running(max_streams_per_connection=2, handshake_seconds=1, max_idle_seconds=2) as server:
        yield server


def addresses(server: LiveServer) -> list[tuple[str, int]]:
    """Where the two doors are, gRPC's first."""
    found = (server.grpc_address, server.rest_url.rpartition("/")[2])
    return [(host, int(port)) for host, _, port in (each.rpartition(":") for each in found)]


def farewell(server: LiveServer, said: bytes = b"") -> bytes:
    """Why a connection to the gRPC door is told to end, if all that is sent on it is this."""
    with socket.create_connection(addresses(server)[0], timeout=30) as connection:
        connection.sendall(PREFACE + said)
        with connection.makefile("rb") as frames:
            while True:
                head = frames.read(9)
                assert head, "closed without a farewell"
                content = frames.read(int.from_bytes(head[:3], "big"))
                if head[3] == GOAWAY:
                    # Behind the last call's number and an error code.
                    return content[8:]


def test_streams_are_limited_on_a_connection(brief: LiveServer):
    with grpc.insecure_channel(brief.grpc_address, [OWN_CONNECTION]) as channel:
        stub: Any = GameServiceStub(channel)
        streams = [keep_open(stub) for _ in range(2)]
        later = stub.ListGames.future(pb.ListGamesRequest())
        with pytest.raises(grpc.FutureTimeoutError):
            later.result(timeout=0.5)
        for answers, requests in streams:
            requests.put(None)
            assert list(answers) == []
        assert later.result(timeout=30).games


def test_headers_up_to_a_higher_limit_are_all_taken():
    """By itself gRPC refuses some of those that come near the limit."""
    large = [("x-long", "x" * 31_000)]
    with (
        running(max_metadata_bytes=32_768) as server,
        Client(server.grpc_address, metadata=large) as client,
    ):
        for _ in range(50):
            assert client.game(GAME).name == GAME


def test_headers_are_limited(strict: LiveServer):
    with Client(strict.grpc_address, metadata=[("x-long", "x" * 4000)]) as client:
        with pytest.raises(TablierError) as failure:
            client.games()
        assert failure.value.code == grpc.StatusCode.RESOURCE_EXHAUSTED
    url = f"{strict.rest_url}/v1/games"
    refused = httpx.get(url, headers={"x-long": "x" * 4000})
    assert (refused.status_code, refused.json()["code"]) == (431, 8)
    assert "2048 bytes" in refused.json()["message"]
    assert httpx.get(url, headers={"x-long": "x" * 1000}).status_code == 200


def test_a_target_that_no_call_takes_is_refused_before_it_is_kept(strict: LiveServer):
    """Longer than any query string may be: it is not gathered until its end."""
    with socket.create_connection(addresses(strict)[1], timeout=30) as connection:
        connection.sendall(b"GET /v1/games?x=")
        for _ in range(40):
            connection.sendall(b"y" * 4096)
            # Whoever sends on after the answer loses it with the connection.
            if select([connection], [], [], 0.1)[0]:
                break
        # Its line has no end yet.
        assert connection.recv(4096).startswith(b"HTTP/1.1 414 ")


def test_a_query_string_that_cannot_be_taken_apart_is_refused_by_its_size(live_server: LiveServer):
    """HTTP's parser ends before the limit of a call does."""
    connection = HTTPConnection(*addresses(live_server)[1], timeout=30)
    connection.request("GET", f"/v1/states:describe?state={'A' * 2**16}")
    with connection.getresponse() as refused:
        status = json.load(refused)
    connection.close()
    assert (refused.status, status["details"][0]["reason"]) == (414, "TOO_LARGE")
    assert status["message"] == "the request's target has more than 65535 bytes; use POST"


def test_a_connection_that_says_nothing_is_closed(brief: LiveServer):
    with ExitStack() as stack:
        opened = [
            stack.enter_context(socket.create_connection(address, timeout=30))
            for address in addresses(brief)
        ]
        for connection in opened:
            # What the server says first is no matter, unless it tells of another limit.
            while received := connection.recv(4096):
                assert b"idle" not in received


@pytest.mark.parametrize("call", ["enumerateMoves", "suggestMoves"])
def test_half_a_request_is_not_waited_for_without_end(brief: LiveServer, call: str):
    with socket.create_connection(addresses(brief)[1], timeout=30) as connection:
        head = f"POST /v1/states:{call} HTTP/1.1\r\nhost: here\r\ncontent-length: 100\r\n\r\n"
        connection.sendall(head.encode() + b'{"state":')
        with connection.makefile("rb") as answer:
            assert answer.read(13) == b"HTTP/1.1 408 "
            assert b"the request did not come in 2 seconds" in answer.read()


def test_a_tls_handshake_that_never_ends_is_cut_off(tmp_path: Path):
    authority = Authority(tmp_path)
    certificate, key = authority.sign("tablier")
    with (
        running(tls_cert_file=certificate, tls_key_file=key, handshake_seconds=1) as server,
        ExitStack() as stack,
    ):
        context = ssl.create_default_context(cafile=authority.file)
        begin = ssl.MemoryBIO()
        handshake = context.wrap_bio(ssl.MemoryBIO(), begin, server_hostname="127.0.0.1")
        with pytest.raises(ssl.SSLWantReadError):
            handshake.do_handshake()
        opened = [
            stack.enter_context(socket.create_connection(address, timeout=30))
            for address in addresses(server)
        ]
        hello = begin.read()
        for connection in opened:
            # The first message, and never the second.
            connection.sendall(hello)
        for connection in opened:
            while connection.recv(4096):
                pass
        assert httpx.get(f"{server.rest_url}/healthz", verify=context).is_success


def test_idle_connections_end(brief: LiveServer):
    with socket.create_connection(addresses(brief)[1], timeout=30) as connection:
        connection.sendall(b"GET /healthz HTTP/1.1\r\nhost: here\r\n\r\n")
        assert farewell(brief) == b"connection idle"
        said = b""
        while received := connection.recv(4096):
            said += received
        assert said.endswith(b"\r\n\r\nalive\n")
        assert b"connection: close" not in said


def test_who_pings_too_often_is_disconnected(brief: LiveServer):
    assert farewell(brief, PING * 10) == b"too_many_pings"


def test_old_connections_end_and_no_call_is_lost(aging: LiveServer):
    """Several lifetimes of a connection, with calls all the time, one of them a long one."""
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
        assert advice.result(timeout=30).iterations > 0
    assert farewell(aging) == b"max_age"


def test_a_stream_on_an_old_connection_is_ended_and_a_session_opens_another(aging: LiveServer):
    with grpc.insecure_channel(aging.grpc_address, [OWN_CONNECTION]) as channel:
        answers, _ = keep_open(GameServiceStub(channel))
        with Client(aging.grpc_address) as client, client.session() as session:
            # Meanwhile the session is used, and its stream is cut off as well.
            while answers.is_active():
                assert session.submit(client.calls.game(GAME)).result(30).name == GAME
            # Its own stream began later.
            end = time.monotonic() + 4
            while time.monotonic() < end:
                assert session.submit(client.calls.game(GAME)).result(30).name == GAME
        with pytest.raises(grpc.RpcError) as failure:
            next(answers)
        assert failure.value.code() is grpc.StatusCode.UNAVAILABLE
