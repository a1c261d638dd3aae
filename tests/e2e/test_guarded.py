"""A process that asks who calls: TLS, certificates, keys and quotas through real sockets."""

from __future__ import annotations

import json
import queue
import shutil
import socket
import ssl
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Any

import grpc
import httpx
import pytest
from tablier.v1 import game_service_pb2 as pb
from tablier.v1.game_service_pb2_grpc import GameServiceStub
from tablier_client import Client
from tablier_client.errors import (
    PermissionDenied,
    QuotaExceeded,
    TablierError,
    Unauthenticated,
    Unavailable,
)

from tests.certificates import Authority
from tests.live_server import LiveServer, start_server

GAME = "contigo-alignment"
# The HTTP/2 frame that says that a connection takes no more calls.
GOAWAY = 7
# Else channels to the same address share one.
OWN_CONNECTION = ("grpc.use_local_subchannel_pool", 1)
CALLERS = f"""
[[callers]]
name = "lobby"
roles = ["host"]
key_sha256 = ["{sha256(b"key-of-the-lobby").hexdigest()}"]
certificates = ["lobby"]
[[callers]]
name = "watcher"
roles = ["operator"]
key_sha256 = ["{sha256(b"key-of-the-watcher").hexdigest()}"]
[[callers]]
name = "miser"
roles = ["host"]
key_sha256 = ["{sha256(b"key-of-the-miser").hexdigest()}"]
calls_per_second = 0.001
burst = 2
[[callers]]
name = "third-miser"
roles = ["host"]
key_sha256 = ["{sha256(b"key-of-the-third-miser").hexdigest()}"]
calls_per_second = 0.001
burst = 2
[[callers]]
name = "other-miser"
roles = ["host"]
key_sha256 = ["{sha256(b"key-of-the-other-miser").hexdigest()}"]
calls_per_second = 0.001
burst = 2
"""


@contextmanager
def running(log: Path | None = None, **settings: object) -> Iterator[LiveServer]:
    given = {f"TABLIER_{name.upper()}": str(value) for name, value in settings.items()}
    server = start_server(log, **given)
    try:
        yield server
    finally:
        assert server.stop() == 0
        server.close()


@pytest.fixture(scope="module")
def callers(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("callers") / "callers.toml"
    path.write_text(CALLERS)
    return path


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("log") / "log"


@pytest.fixture(scope="module")
def guarded(callers: Path, log: Path) -> Iterator[LiveServer]:
    limits = {"max_streams_per_connection": 2, "handshake_seconds": 2}
    with running(log, callers_file=callers, log_calls="true", **limits) as server:
        yield server


def by_key(server: LiveServer, key: str) -> Client:
    return Client(server.grpc_address, metadata=[("authorization", f"Bearer {key}")])


def test_both_doors_ask_who_calls(guarded: LiveServer):
    with Client(guarded.grpc_address) as client, pytest.raises(Unauthenticated):
        client.games()
    with by_key(guarded, "key-of-the-lobby") as client:
        assert client.start(GAME, seed=1).ply == 0
    with by_key(guarded, "key-of-the-watcher") as client:
        assert client.games()
        with pytest.raises(PermissionDenied):
            client.start(GAME, seed=1)
    url = f"{guarded.rest_url}/v1/games/{GAME}:start"
    for headers, status in (
        ({}, 401),
        ({"authorization": "Bearer wrong"}, 401),
        ({"authorization": "Bearer key-of-the-watcher"}, 403),
        ({"authorization": "Bearer key-of-the-lobby"}, 200),
        ({"x-api-key": "key-of-the-lobby"}, 200),
    ):
        answer = httpx.post(url, json={}, headers=headers)
        assert answer.status_code == status
        if status != 200:
            assert answer.json()["details"][0]["reason"] in ("UNAUTHENTICATED", "PERMISSION_DENIED")


def test_health_is_open_and_metrics_are_the_operators(guarded: LiveServer):
    for path in ("/healthz", "/readyz", "/openapi.json"):
        assert httpx.get(f"{guarded.rest_url}{path}").status_code == 200
    url = f"{guarded.rest_url}/metrics"
    assert httpx.get(url).status_code == 401
    assert httpx.get(url, headers={"x-api-key": "key-of-the-lobby"}).status_code == 403
    text = httpx.get(url, headers={"x-api-key": "key-of-the-watcher"}).text
    assert 'tablier_refused_calls_total{reason="UNAUTHENTICATED"}' in text


def test_a_quota_holds_through_either_door(guarded: LiveServer):
    with by_key(guarded, "key-of-the-miser") as client:
        client.games()
        client.games()
        with pytest.raises(QuotaExceeded) as failure:
            client.games()
        assert failure.value.retry_after
        assert failure.value.retry_after > 1
    headers = {"x-api-key": "key-of-the-other-miser"}
    url = f"{guarded.rest_url}/v1/games"
    assert [httpx.get(url, headers=headers).status_code for _ in range(3)] == [200, 200, 429]


def keep_open(stub: Any, key: str) -> tuple[Any, queue.SimpleQueue[Any]]:
    """A stream that has answered once, and the queue that feeds it; None ends it."""
    requests: queue.SimpleQueue[Any] = queue.SimpleQueue()
    operation = pb.Operation(get_game=pb.GetGameRequest(game=GAME))
    requests.put(pb.PlayRequest(operations=[operation]))
    answers = stub.Play(iter(requests.get, None), metadata=[("x-api-key", key)])
    assert next(answers).results[0].get_game.game.name == GAME
    return answers, requests


def test_streams_are_limited_on_a_connection(guarded: LiveServer):
    with grpc.insecure_channel(guarded.grpc_address, [OWN_CONNECTION]) as channel:
        stub: Any = GameServiceStub(channel)
        streams = [keep_open(stub, "key-of-the-lobby") for _ in range(2)]
        later = stub.ListGames.future(
            pb.ListGamesRequest(), metadata=[("x-api-key", "key-of-the-lobby")]
        )
        with pytest.raises(grpc.FutureTimeoutError):
            later.result(timeout=0.5)
        for answers, requests in streams:
            requests.put(None)
            assert list(answers) == []
        assert later.result(timeout=30).games


def test_a_stream_asks_who_calls_and_counts_every_message(guarded: LiveServer):
    with grpc.insecure_channel(guarded.grpc_address, [OWN_CONNECTION]) as channel:
        stub: Any = GameServiceStub(channel)
        with pytest.raises(grpc.RpcError) as failure:
            keep_open(stub, "wrong")
        assert failure.value.code() == grpc.StatusCode.UNAUTHENTICATED
        # The stream and its first message are all that the quota allows.
        answers, requests = keep_open(stub, "key-of-the-third-miser")
        requests.put(pb.PlayRequest(operations=[pb.Operation()]))
        with pytest.raises(grpc.RpcError) as failure:
            next(answers)
        assert failure.value.code() == grpc.StatusCode.RESOURCE_EXHAUSTED
        requests.put(None)


def test_callers_are_read_again_while_the_service_runs(tmp_path: Path):
    file, log = tmp_path / "callers.toml", tmp_path / "log"
    file.write_text(CALLERS)
    with (
        running(log, callers_file=file, reload_seconds=0.05) as server,
        by_key(server, "key-of-the-lobby") as client,
    ):
        assert client.games()
        file.write_text("")
        end = time.monotonic() + 30
        while "file read again" not in log.read_text():
            assert time.monotonic() < end
        with pytest.raises(Unauthenticated):
            client.games()


def secure(authority: Authority, pair: tuple[Path, Path] | None = None) -> Any:
    certificate, key = (path.read_bytes() for path in pair) if pair else (None, None)
    return grpc.ssl_channel_credentials(authority.file.read_bytes(), key, certificate)


def test_both_doors_speak_tls_and_renew_their_certificate(tmp_path: Path):
    old, new = Authority(tmp_path, "old authority"), Authority(tmp_path, "new authority")
    files = tmp_path / "served.pem", tmp_path / "served.key"
    for source, target in zip(old.sign("tablier"), files, strict=True):
        shutil.copy(source, target)
    log = tmp_path / "log"
    with running(log, tls_cert_file=files[0], tls_key_file=files[1], reload_seconds=0.05) as server:
        assert server.rest_url.startswith("https://")

        def trusted_by(authority: Authority) -> tuple[bool, bool]:
            context = ssl.create_default_context(cafile=authority.file)
            try:
                over_rest = httpx.get(f"{server.rest_url}/healthz", verify=context).is_success
            except httpx.ConnectError:
                over_rest = False
            with Client(server.grpc_address, credentials=secure(authority), timeout=5) as client:
                try:
                    return bool(client.games()), over_rest
                except TablierError:
                    return False, over_rest

        assert trusted_by(old) == (True, True)
        assert trusted_by(new) == (False, False)
        with pytest.raises(httpx.RemoteProtocolError):
            httpx.get(server.rest_url.replace("https", "http"))
        for source, target in zip(new.sign("tablier"), files, strict=True):
            shutil.copy(source, target)
        end = time.monotonic() + 30
        while trusted_by(new) != (True, True):
            assert time.monotonic() < end
        assert trusted_by(old) == (False, False)


def test_a_certificate_says_who_calls(tmp_path: Path, callers: Path):
    authority, other = Authority(tmp_path), Authority(tmp_path, "another authority")
    certificate, key = authority.sign("tablier")
    lobby, stranger, forged = (
        authority.sign("lobby"),
        authority.sign("stranger"),
        other.sign("forger"),
    )
    with running(
        tls_cert_file=certificate,
        tls_key_file=key,
        tls_client_ca_file=authority.file,
        callers_file=callers,
    ) as server:
        for pair, fault in ((lobby, None), (stranger, Unauthenticated), (forged, Unavailable)):
            with Client(
                server.grpc_address, credentials=secure(authority, pair), timeout=5
            ) as client:
                if fault is None:
                    assert client.start(GAME, seed=1).ply == 0
                else:
                    with pytest.raises(fault):
                        client.games()
            context = ssl.create_default_context(cafile=authority.file)
            context.load_cert_chain(*pair)
            url = f"{server.rest_url}/v1/games"
            if fault is Unavailable:
                with pytest.raises(httpx.TransportError):
                    httpx.get(url, verify=context)
            else:
                status = 401 if fault else 200
                assert httpx.get(url, verify=context).status_code == status
        with (
            Client(server.grpc_address, credentials=secure(authority), timeout=5) as client,
            pytest.raises(Unavailable),
        ):
            client.games()


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (["--host", "0.0.0.0", "--tokens", "plain"], "TLS"),
        (["--host", "::", "--tokens", "plain", "--callers-file", "x"], "TLS"),
        (["--host", "0.0.0.0", "--insecure-bind-allowed", "true"], "tokens=plain"),
        (["--tls-cert-file", "x"], "go together"),
        (["--jwks-file", "x"], "jwt_audience"),
        (["--callers-file", "/no/such/file"], "no/such/file"),
    ],
)
def test_what_would_be_careless_does_not_start(flags: list[str], said: str):
    result = subprocess.run(
        [sys.executable, "-m", "tablier_service.cli", "serve", *flags],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert result.returncode != 0
    assert said in result.stderr
    assert "Traceback" not in result.stderr


def test_it_listens_beyond_loopback_when_told():
    with (
        running(host="0.0.0.0", tokens="plain", insecure_bind_allowed="true") as server,
        Client(server.grpc_address.replace("0.0.0.0", "127.0.0.1")) as client,
    ):
        assert client.games()


@pytest.fixture(scope="module")
def strict() -> Iterator[LiveServer]:
    with running(max_metadata_bytes=2048, max_connection_age_seconds=0.5) as server:
        yield server


def test_headers_are_limited(strict: LiveServer):
    with Client(strict.grpc_address, metadata=[("x-long", "x" * 4000)]) as client:
        with pytest.raises(TablierError) as failure:
            client.games()
        assert failure.value.code == grpc.StatusCode.RESOURCE_EXHAUSTED
    url = f"{strict.rest_url}/v1/games"
    assert httpx.get(url, headers={"x-long": "x" * 4000}).status_code == 400
    assert httpx.get(url, headers={"x-long": "x" * 1000}).status_code == 200


@pytest.mark.parametrize("door", ["grpc", "rest"])
def test_a_connection_that_says_nothing_is_closed(guarded: LiveServer, door: str):
    address = guarded.grpc_address if door == "grpc" else guarded.rest_url.removeprefix("http://")
    host, port = address.rsplit(":", 1)
    with socket.create_connection((host, int(port)), timeout=30) as connection:
        received = b"x"
        # What the server says first is no matter; that it ends is.
        while received:
            received = connection.recv(4096)


def test_old_connections_end_and_no_call_is_lost(strict: LiveServer):
    """Several lifetimes of a connection, with calls all the time."""
    with Client(strict.grpc_address) as client:
        end = time.monotonic() + 2
        while time.monotonic() < end:
            assert client.game(GAME).name == GAME
    host, port = strict.grpc_address.rsplit(":", 1)
    with socket.create_connection((host, int(port)), timeout=30) as connection:
        # HTTP/2's preface and empty settings: a connection in order, without a call.
        connection.sendall(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes([0, 0, 0, 4, 0, 0, 0, 0, 0]))
        kinds = set()
        with connection.makefile("rb") as frames:
            while GOAWAY not in kinds:
                head = frames.read(9)
                assert head, "closed without a farewell"
                frames.read(int.from_bytes(head[:3], "big"))
                kinds.add(head[3])


def test_every_call_is_logged_when_asked_for(guarded: LiveServer, log: Path):
    with by_key(guarded, "key-of-the-lobby") as client:
        client.game("contract")
    headers = {"x-api-key": "key-of-the-watcher", "x-request-id": "one-of-mine"}
    httpx.get(f"{guarded.rest_url}/v1/games/contract", headers=headers)
    entries = [json.loads(line) for line in log.read_text().splitlines()]
    served = [
        (entry["door"], entry["caller"], entry["request_id"] == "one-of-mine")
        for entry in entries
        if entry["event"] == "call" and entry["call"].endswith("/GetGame")
    ]
    assert served == [("grpc", "lobby", False), ("rest", "watcher", True)]
