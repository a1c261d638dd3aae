"""A service with authentication: TLS, certificates, keys and quotas over real sockets."""

from __future__ import annotations

import json
import shutil
import socket
import ssl
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

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
from tests.live_server import TIMEOUT_SECONDS, LiveServer, open_stream, running, wait_until

GAME: Final = "contigo-alignment"
# Otherwise channels to the same address share a connection.
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
def secured(callers: Path, log: Path) -> Iterator[LiveServer]:
    with running(log, callers_file=callers, log_calls="true") as server:
        yield server


def by_key(server: LiveServer, key: str) -> Client:
    return Client(server.grpc_address, metadata=[("authorization", f"Bearer {key}")])


def test_authenticates_on_both_transports(secured: LiveServer):
    with Client(secured.grpc_address) as client, pytest.raises(Unauthenticated):
        client.games()
    with by_key(secured, "key-of-the-lobby") as client:
        assert client.start(GAME, seed=1).ply == 0
    with by_key(secured, "key-of-the-watcher") as client:
        assert client.games()
        with pytest.raises(PermissionDenied):
            client.start(GAME, seed=1)
    url = f"{secured.rest_url}/v1/games/{GAME}:start"
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


def test_anyone_may_read_health_but_only_operators_metrics(secured: LiveServer):
    for path in ("/healthz", "/readyz", "/openapi.json"):
        assert httpx.get(f"{secured.rest_url}{path}").status_code == 200
    url = f"{secured.rest_url}/metrics"
    assert httpx.get(url).status_code == 401
    assert httpx.get(url, headers={"x-api-key": "key-of-the-lobby"}).status_code == 403
    text = httpx.get(url, headers={"x-api-key": "key-of-the-watcher"}).text
    assert 'tablier_rejected_calls_total{reason="unauthenticated"}' in text


def test_enforces_quotas_on_both_transports(secured: LiveServer):
    with by_key(secured, "key-of-the-miser") as client:
        client.games()
        client.games()
        with pytest.raises(QuotaExceeded) as failure:
            client.games()
        assert failure.value.retry_after
        assert failure.value.retry_after > 1
    headers = {"x-api-key": "key-of-the-other-miser"}
    url = f"{secured.rest_url}/v1/games"
    assert [httpx.get(url, headers=headers).status_code for _ in range(3)] == [200, 200, 429]


def billed(server: LiveServer) -> float:
    """The CPU seconds billed so far; reading them costs nothing."""
    metrics = server.metrics(**{"x-api-key": "key-of-the-watcher"})
    return metrics["tablier_billed_cpu_seconds_total"]


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
def test_bills_everything_that_takes_time(secured: LiveServer, work: Callable[[LiveServer], None]):
    before = billed(secured)
    work(secured)
    wait_until(lambda: billed(secured) > before, "it is billed")


def test_authenticates_streams_and_counts_every_message(secured: LiveServer):
    with grpc.insecure_channel(secured.grpc_address, [OWN_CONNECTION]) as channel:
        stub: Any = GameServiceStub(channel)
        with (
            pytest.raises(grpc.RpcError) as failure,
            open_stream(stub, [("x-api-key", "wrong")]),
        ):
            pytest.fail("the stream was accepted")
        assert failure.value.code() == grpc.StatusCode.UNAUTHENTICATED
        # The stream and its first message use up the quota.
        with open_stream(stub, [("x-api-key", "key-of-the-third-miser")]) as (answers, requests):
            requests.put(pb.PlayRequest(operations=[pb.Operation()]))
            with pytest.raises(grpc.RpcError) as failure:
                next(answers)
        assert failure.value.code() == grpc.StatusCode.RESOURCE_EXHAUSTED


def test_reloads_callers_while_the_service_runs(tmp_path: Path):
    file, log = tmp_path / "callers.toml", tmp_path / "log"
    file.write_text(CALLERS)
    with (
        running(log, callers_file=file, reload_seconds=0.05) as server,
        by_key(server, "key-of-the-lobby") as client,
    ):
        assert client.games()
        file.write_text("")
        wait_until(lambda: "file reloaded" in log.read_text(), "the callers are reloaded")
        with pytest.raises(Unauthenticated):
            client.games()


def secure(authority: Authority, pair: tuple[Path, Path] | None = None) -> Any:
    certificate, key = (path.read_bytes() for path in pair) if pair else (None, None)
    return grpc.ssl_channel_credentials(authority.file.read_bytes(), key, certificate)


def test_uses_tls_on_both_transports_and_renews_the_certificate(tmp_path: Path):
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
            with Client(server.grpc_address, credentials=secure(authority), timeout=10) as client:
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
        wait_until(lambda: trusted_by(new) == (True, True), "the certificate is renewed")
        assert trusted_by(old) == (False, False)


def test_authenticates_by_certificate(tmp_path: Path, callers: Path):
    authority, other = Authority(tmp_path), Authority(tmp_path, "another authority")
    certificate, key = authority.sign("tablier")
    with running(
        tls_cert_file=certificate,
        tls_key_file=key,
        tls_client_ca_file=authority.file,
        callers_file=callers,
    ) as server:
        for pair, fault, status in (
            # By its common name.
            (authority.sign("lobby"), None, 200),
            # By an alternative name, as another caller.
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
            Client(server.grpc_address, credentials=secure(authority), timeout=10) as client,
            pytest.raises(Unavailable),
        ):
            client.games()
        with pytest.raises(httpx.TransportError):
            httpx.get(url, verify=ssl.create_default_context(cafile=authority.file))


@contextmanager
def trusting_two(
    folder: Path,
) -> Iterator[tuple[LiveServer, Authority, Authority, Callable[[], None]]]:
    """A server that trusts two client authorities, and a function that removes the second."""
    kept, removed = Authority(folder, "kept"), Authority(folder, "removed")
    certificate, key = kept.sign("tablier")
    authorities, log = folder / "authorities.pem", folder / "log"
    authorities.write_bytes(kept.file.read_bytes() + removed.file.read_bytes())

    def remove() -> None:
        authorities.write_bytes(kept.file.read_bytes())
        wait_until(lambda: "file reloaded" in log.read_text(), "the authorities are reloaded")

    with running(
        log,
        tls_cert_file=certificate,
        tls_key_file=key,
        tls_client_ca_file=authorities,
        reload_seconds=0.05,
    ) as server:
        yield server, kept, removed, remove


def test_open_grpc_connections_end_with_the_authority_of_their_certificate(tmp_path: Path):
    """Calls and streams of a removed authority fail; those of the others go on."""
    with trusting_two(tmp_path) as (server, kept, removed, remove), ExitStack() as stack:
        clients, sessions = [], []
        for authority in (kept, removed):
            credentials = secure(kept, authority.sign(f"client of {authority.file.stem}"))
            client = Client(server.grpc_address, credentials=credentials, timeout=TIMEOUT_SECONDS)
            clients.append(stack.enter_context(client))
            sessions.append(stack.enter_context(client.session()))
            assert client.games()
            assert sessions[-1].submit(clients[-1].calls.game(GAME)).result()
        remove()
        assert clients[0].games()
        assert sessions[0].submit(clients[0].calls.game(GAME)).result()
        with pytest.raises(Unauthenticated, match="authority"):
            clients[1].games()
        with pytest.raises(Unauthenticated, match="authority"):
            sessions[1].submit(clients[-1].calls.game(GAME)).result()


def test_trusts_a_client_authority_no_longer_than_its_file_lists_it(tmp_path: Path):
    """Neither new connections nor open ones, nor sessions that TLS could resume."""
    with trusting_two(tmp_path) as (server, kept, removed, remove), ExitStack() as stack:
        contexts = []
        for authority in (kept, removed):
            context = ssl.create_default_context(cafile=kept.file)
            # With TLS 1.2, a session can be resumed without another certificate.
            context.maximum_version = ssl.TLSVersion.TLSv1_2
            context.load_cert_chain(*authority.sign(f"client of {authority.file.stem}"))
            contexts.append(context)
        host, _, port = server.rest_url.rpartition("/")[2].rpartition(":")

        def connect(
            context: ssl.SSLContext, session: ssl.SSLSession | None = None
        ) -> ssl.SSLSocket | None:
            plain = stack.enter_context(socket.create_connection((host, int(port)), timeout=60))
            try:
                return stack.enter_context(
                    context.wrap_socket(plain, server_hostname="127.0.0.1", session=session)
                )
            except OSError:
                return None

        def answered(connection: ssl.SSLSocket | None) -> bool:
            if connection is None:
                return False
            try:
                connection.sendall(b"GET /v1/games HTTP/1.1\r\nhost: here\r\n\r\n")
                return connection.recv(4096).startswith(b"HTTP/1.1 200 ")
            except OSError:
                return False

        open_connection = connect(contexts[1])
        assert open_connection is not None
        assert answered(open_connection)
        session = open_connection.session
        resumed = connect(contexts[1], session)
        assert resumed is not None
        assert resumed.session_reused
        remove()
        assert not answered(open_connection)
        assert not answered(resumed)
        assert not answered(connect(contexts[1]))
        assert not answered(connect(contexts[1], session))
        assert answered(connect(contexts[0]))


def test_metrics_need_an_operator_if_clients_need_a_certificate(tmp_path: Path):
    authority = Authority(tmp_path)
    certificate, key = authority.sign("tablier")
    context = ssl.create_default_context(cafile=authority.file)
    context.load_cert_chain(*authority.sign("client"))
    with running(
        tls_cert_file=certificate, tls_key_file=key, tls_client_ca_file=authority.file
    ) as server:
        for path, status in (("/healthz", 200), ("/v1/games", 200), ("/metrics", 403)):
            assert httpx.get(f"{server.rest_url}{path}", verify=context).status_code == status


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (["--host", "0.0.0.0", "--tokens", "plain"], "TLS"),
        (["--host", "::", "--tokens", "plain", "--callers-file", "x"], "TLS"),
        (["--host", "0.0.0.0", "--insecure-bind-allowed", "true"], "TABLIER_TOKENS=plain"),
        (["--tls-cert-file", "x"], "needs --tls-key-file"),
        (["--jwks-file", "x"], "--jwt-audience"),
        (["--callers-file", "/no/such/file"], "no/such/file"),
    ],
)
def test_does_not_start_with_careless_settings(flags: list[str], said: str):
    result = subprocess.run(
        [sys.executable, "-m", "tablier_cli", "serve", *flags],
        capture_output=True,
        text=True,
        timeout=TIMEOUT_SECONDS,
        check=False,
    )
    assert result.returncode != 0
    assert said in result.stderr
    assert "Traceback" not in result.stderr


def test_listens_on_other_addresses_if_allowed():
    with (
        running(host="0.0.0.0", tokens="plain", insecure_bind_allowed="true") as server,
        Client(server.grpc_address.replace("0.0.0.0", "127.0.0.1")) as client,
    ):
        assert client.games()


def test_logs_every_call_if_configured(secured: LiveServer, log: Path):
    with by_key(secured, "key-of-the-lobby") as client:
        client.game("contract")
    headers = {"x-api-key": "key-of-the-watcher", "x-request-id": "one-of-mine"}
    httpx.get(f"{secured.rest_url}/v1/games/contract", headers=headers)
    entries = [json.loads(line) for line in log.read_text().splitlines()]
    served = [
        (entry["transport"], entry["caller"], entry["request_id"] == "one-of-mine")
        for entry in entries
        if entry["event"] == "call" and entry["call"].endswith("/GetGame")
    ]
    assert served[-2:] == [("grpc", "lobby", False), ("http", "watcher", True)]
