"""A process that asks who calls: TLS, certificates, keys and quotas through real sockets."""

from __future__ import annotations

import json
import re
import shutil
import ssl
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import grpc
import httpx
import pytest
from tablier.v1 import game_service_pb2 as pb
from tablier.v1.advisor_service_pb2 import Budget, SuggestMovesRequest
from tablier.v1.advisor_service_pb2_grpc import AdvisorServiceStub
from tablier.v1.game_service_pb2_grpc import GameServiceStub
from tablier_client import Client
from tablier_client.errors import (
    PermissionDenied,
    QuotaExceeded,
    TablierError,
    Unauthenticated,
    Unavailable,
    UnknownGame,
)
from tablier_core import codec
from tablier_core.registry import GAMES

from tests.certificates import Authority
from tests.live_server import LiveServer, keep_open, running, wait_until

GAME = "contigo-alignment"
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
certificates = ["watcher.example"]
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
    with running(log, callers_file=callers, log_calls="true") as server:
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


def billed(server: LiveServer) -> float:
    """The CPU seconds billed so far; to read them costs nothing."""
    page = httpx.get(f"{server.rest_url}/metrics", headers={"x-api-key": "key-of-the-watcher"}).text
    return float(re.findall(r"^tablier_billed_cpu_seconds_total (.+)$", page, re.MULTILINE)[0])


def call_by_grpc(server: LiveServer) -> None:
    with by_key(server, "key-of-the-lobby") as client:
        client.games()


def fail_by_grpc(server: LiveServer) -> None:
    with by_key(server, "key-of-the-lobby") as client, pytest.raises(UnknownGame):
        client.game("chess")


def stream_by_grpc(server: LiveServer) -> None:
    with by_key(server, "key-of-the-lobby") as client, client.session() as session:
        session.submit(client.calls.game(GAME))


def search_by_grpc(server: LiveServer) -> None:
    request = SuggestMovesRequest(
        state=codec.encode(GAMES[GAME].start({}, 1)), budget=Budget(iterations=50)
    )
    with grpc.insecure_channel(server.grpc_address) as channel:
        stub: Any = AdvisorServiceStub(channel)
        stub.SuggestMoves(request, metadata=[("x-api-key", "key-of-the-lobby")])


def call_by_rest(server: LiveServer) -> None:
    ask(server, f"/v1/games/{GAME}")


def fail_by_rest(server: LiveServer) -> None:
    assert ask(server, "/v1/games/chess") == 404


def ask(server: LiveServer, path: str) -> int:
    headers = {"x-api-key": "key-of-the-lobby"}
    return httpx.get(f"{server.rest_url}{path}", headers=headers).status_code


WAYS = [call_by_grpc, fail_by_grpc, stream_by_grpc, search_by_grpc, call_by_rest, fail_by_rest]


@pytest.mark.parametrize("work", WAYS)
def test_whatever_takes_time_is_billed(guarded: LiveServer, work: Callable[[LiveServer], None]):
    before = billed(guarded)
    work(guarded)
    wait_until(lambda: billed(guarded) > before, "it is billed")


def test_a_stream_asks_who_calls_and_counts_every_message(guarded: LiveServer):
    with grpc.insecure_channel(guarded.grpc_address, [OWN_CONNECTION]) as channel:
        stub: Any = GameServiceStub(channel)
        with pytest.raises(grpc.RpcError) as failure:
            keep_open(stub, [("x-api-key", "wrong")])
        assert failure.value.code() == grpc.StatusCode.UNAUTHENTICATED
        # The stream and its first message are all that the quota allows.
        answers, requests = keep_open(stub, [("x-api-key", "key-of-the-third-miser")])
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
    with running(
        tls_cert_file=certificate,
        tls_key_file=key,
        tls_client_ca_file=authority.file,
        callers_file=callers,
    ) as server:
        for pair, fault, status in (
            # Known by its common name.
            (authority.sign("lobby"), None, 200),
            # Known by an alternative name, and somebody else.
            (authority.sign("watcher"), PermissionDenied, 403),
            (authority.sign("stranger"), Unauthenticated, 401),
            (other.sign("forger"), Unavailable, None),
        ):
            with Client(
                server.grpc_address, credentials=secure(authority, pair), timeout=5
            ) as client:
                if fault is None:
                    assert client.start(GAME, seed=1).ply == 0
                else:
                    with pytest.raises(fault):
                        client.start(GAME, seed=1)
            context = ssl.create_default_context(cafile=authority.file)
            context.load_cert_chain(*pair)
            url = f"{server.rest_url}/v1/games/{GAME}:start"
            if status is None:
                with pytest.raises(httpx.TransportError):
                    httpx.post(url, verify=context)
            else:
                assert httpx.post(url, verify=context).status_code == status
        with (
            Client(server.grpc_address, credentials=secure(authority), timeout=5) as client,
            pytest.raises(Unavailable),
        ):
            client.games()
        with pytest.raises(httpx.TransportError):
            httpx.get(url, verify=ssl.create_default_context(cafile=authority.file))


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
        [sys.executable, "-m", "tablier_cli", "serve", *flags],
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
    assert served[-2:] == [("grpc", "lobby", False), ("rest", "watcher", True)]
