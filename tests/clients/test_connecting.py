"""Arguments and environment of clients, and their messages about servers they cannot talk to."""

import asyncio
import shutil
import socket
import ssl
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from threading import Thread
from typing import Any

import grpc
import pytest
from tablier_client import AsyncClient, Client, TablierError, diagnosis
from tablier_client.errors import (
    DeadlineExceeded,
    InvalidField,
    Unauthenticated,
    Unavailable,
    UnknownRoute,
)

from tests.certificates import Authority
from tests.clients.faulty import faulty_server
from tests.live_server import LiveServer, running

KEY = "key-of-the-lobby"
CALLERS = f"""
[[callers]]
name = "lobby"
roles = ["host"]
key_sha256 = ["{sha256(KEY.encode()).hexdigest()}"]
"""


@pytest.fixture(autouse=True)
def empty_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TABLIER_ADDRESS", raising=False)
    monkeypatch.delenv("TABLIER_API_KEY", raising=False)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("connecting")


@pytest.fixture(scope="module")
def authority(folder: Path) -> Authority:
    return Authority(folder)


@pytest.fixture(scope="module")
def secured(folder: Path, authority: Authority) -> Iterator[LiveServer]:
    """A service with TLS and API keys."""
    (folder / "callers.toml").write_text(CALLERS)
    cert, key = authority.sign("server")
    callers = folder / "callers.toml"
    with running(callers_file=callers, tls_cert_file=cert, tls_key_file=key) as server:
        yield server


def failures(address: str, **arguments: Any) -> list[TablierError]:
    """The errors of both clients and of a session."""

    def with_client() -> None:
        with Client(address, **arguments) as client:
            client.games()

    def with_session() -> None:
        with Client(address, **arguments) as client, client.session() as session:
            session.submit(client.calls.game("contrast")).result()

    async def with_async_client() -> None:
        async with AsyncClient(address, **arguments) as client:
            await client.games()

    async def with_async_session() -> None:
        async with AsyncClient(address, **arguments) as client, client.session() as session:
            await session.submit(client.calls.game("contrast"))

    found = []
    for call in (
        with_client,
        with_session,
        lambda: asyncio.run(with_async_client()),
        lambda: asyncio.run(with_async_session()),
    ):
        with pytest.raises(TablierError) as caught:
            call()
        found.append(caught.value)
    return found


def check_unavailable(message: str, address: str, **arguments: Any) -> None:
    for failure in failures(address, **arguments):
        assert isinstance(failure, Unavailable)
        assert message in str(failure)
        # What gRPC said is not lost.
        assert failure.__notes__[0].startswith("gRPC: ")


def http_port(server: LiveServer) -> str:
    return server.rest_url.partition("://")[2]


def test_a_port_without_a_server() -> None:
    with faulty_server() as server:
        address = server.address
    check_unavailable(f"no server listens on {address}: start one", address)


def test_the_http_port(live_server: LiveServer) -> None:
    address = http_port(live_server)
    check_unavailable(f"{address} is an HTTP port", address)


def test_the_http_port_of_a_name(live_server: LiveServer) -> None:
    """gRPC may only report that another address of the name has no server."""
    address = http_port(live_server).replace("127.0.0.1", "localhost")
    check_unavailable(f"{address} is an HTTP port", address)


@pytest.mark.service
def test_the_https_port(secured: LiveServer, authority: Authority) -> None:
    address = http_port(secured)
    check_unavailable(f"{address} is an HTTP port", address)
    check_unavailable(f"{address} is an HTTP port", address, ca_file=authority.file)


def test_tls_with_a_plain_text_server(live_server: LiveServer, authority: Authority) -> None:
    message = "uses plain text, but this client uses TLS: pass insecure=True"
    check_unavailable(message, live_server.grpc_address, ca_file=authority.file)
    address = http_port(live_server)
    check_unavailable(f"{address} is an HTTP port", address, ca_file=authority.file)


@pytest.mark.service
def test_plain_text_with_a_tls_server(secured: LiveServer) -> None:
    message = "uses TLS, but this client uses plain text: pass ca_file="
    check_unavailable(message, secured.grpc_address)


@pytest.mark.service
def test_a_certificate_of_an_unknown_authority(secured: LiveServer, folder: Path) -> None:
    other = Authority(folder, "another authority")
    check_unavailable("is not trusted (", secured.grpc_address, ca_file=other.file)


@pytest.mark.service
def test_a_certificate_for_another_name(secured: LiveServer, authority: Authority) -> None:
    address = secured.grpc_address.replace("127.0.0.1", "localhost")
    check_unavailable("(Hostname mismatch", address, ca_file=authority.file)


@pytest.mark.service
def test_a_server_that_requires_a_certificate(folder: Path, authority: Authority) -> None:
    cert, key = authority.sign("strict")
    ca = authority.file
    with running(tls_cert_file=cert, tls_key_file=key, tls_client_ca_file=ca) as server:
        message = "if it requires a certificate, pass credentials="
        check_unavailable(message, server.grpc_address, ca_file=authority.file)


def test_an_unknown_name() -> None:
    check_unavailable(
        "the name 'nowhere.invalid' is unknown", "nowhere.invalid:50051", insecure=True
    )
    check_unavailable("is unknown: check the address", f"{'x' * 70}:50051", insecure=True)


@contextmanager
def strange_server(greeting: bytes | None) -> Iterator[str]:
    """A server that sends a greeting and hangs up; without one, it never says anything."""
    kept: list[socket.socket] = []

    def serve() -> None:
        while True:
            try:
                client, _ = listener.accept()
            except OSError:
                return
            if greeting is not None:
                client.sendall(greeting)
                client.close()
            kept.append(client)

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = Thread(target=serve)
        thread.start()
        yield f"127.0.0.1:{listener.getsockname()[1]}"
        listener.shutdown(socket.SHUT_RDWR)
    thread.join()
    for client in kept:
        client.close()


@pytest.mark.parametrize("greeting", [b"", b"SSH-2.0-OpenSSH_9.2\r\n"])
def test_a_server_of_another_protocol(greeting: bytes, authority: Authority) -> None:
    with strange_server(greeting) as address:
        check_unavailable(f"{address} is not a gRPC server", address)
        check_unavailable(f"{address} is not a gRPC server", address, ca_file=authority.file)


def test_a_server_that_does_not_respond(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(diagnosis, "SECONDS", 0.1)
    with (
        strange_server(None) as address,
        Client(address, timeout=0.5) as client,
        pytest.raises(DeadlineExceeded, match="does not respond: check the address"),
    ):
        client.games()


def test_waiting_for_a_server_explains_why_it_never_came(live_server: LiveServer) -> None:
    address = http_port(live_server)
    with (
        Client(address, wait_for_ready=True, timeout=0.5) as client,
        pytest.raises(DeadlineExceeded, match="is an HTTP port"),
    ):
        client.games()


def test_another_grpc_service() -> None:
    server = grpc.server(ThreadPoolExecutor(1))
    address = f"127.0.0.1:{server.add_insecure_port('127.0.0.1:0')}"
    server.start()
    for failure in failures(address):
        assert isinstance(failure, UnknownRoute)
        assert f"the server at {address} is not Tablier" in str(failure)
    server.stop(None).wait()


def test_does_not_probe_a_service_that_was_reached(monkeypatch: pytest.MonkeyPatch) -> None:
    def probe(*_: object, **__: object) -> str:
        raise AssertionError("a server in trouble got another connection")

    with faulty_server() as server, Client(server.address) as client:
        client.games()
        server.failures = 100
        monkeypatch.setattr("tablier_client.channel.diagnose", probe)
        with pytest.raises(Unavailable, match="not yet"):
            client.games()


@pytest.mark.service
def test_ca_file_and_api_key(
    secured: LiveServer, authority: Authority, monkeypatch: pytest.MonkeyPatch
) -> None:
    address = secured.grpc_address
    for path in (authority.file, str(authority.file)):
        with Client(address, ca_file=path, api_key=KEY) as client:
            assert client.start("contrast").game == "contrast"
    for api_key in (None, "wrong"):
        for failure in failures(address, ca_file=authority.file, api_key=api_key):
            assert isinstance(failure, Unauthenticated)
    monkeypatch.setenv("TABLIER_ADDRESS", address)
    monkeypatch.setenv("TABLIER_API_KEY", KEY)

    async def play() -> str:
        async with AsyncClient(ca_file=authority.file) as client:
            return (await client.start("contrast")).game

    assert asyncio.run(play()) == "contrast"
    with Client(ca_file=authority.file) as client:
        assert client.start("contrast").game == "contrast"


def sent_authorization(**arguments: Any) -> object:
    with faulty_server() as server, Client(server.address, **arguments) as client:
        client.games()
        return server.metadata.get("authorization")


def test_arguments_override_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    assert sent_authorization() is None
    assert repr(Client()) == "<Client: 127.0.0.1:50051, plain text>"
    monkeypatch.setenv("TABLIER_API_KEY", "from-environment")
    monkeypatch.setenv("TABLIER_ADDRESS", "tablier.example:443")
    assert repr(Client()) == "<Client: tablier.example:443, TLS>"
    assert sent_authorization() == "Bearer from-environment"
    assert sent_authorization(api_key="mine") == "Bearer mine"
    assert sent_authorization(metadata=[("authorization", "Bearer jwt")]) == "Bearer jwt"
    # An empty variable is the same as none.
    monkeypatch.setenv("TABLIER_API_KEY", "")
    monkeypatch.setenv("TABLIER_ADDRESS", "")
    assert sent_authorization() is None
    assert "127.0.0.1:50051" in repr(Client())


@pytest.mark.parametrize(
    ("field", "message", "arguments"),
    [
        ("address", "is not an address such as", {"address": ""}),
        ("address", "is not an address such as", {"address": 50051}),
        ("address", "is not an address such as", {"address": "127.0.0.1\n"}),
        ("address", "is not an address such as", {"address": "\ud800"}),
        ("address", "is not a URL such as", {"address": "http://"}),
        ("address", "is not a URL such as", {"address": "http://127.0.0.1:0"}),
        ("address", "is not a URL", {"address": "http://127.0.0.1:70000"}),
        ("address", "the URL has a user", {"address": "http://me:secret@127.0.0.1"}),
        ("address", "is not a URL such as", {"address": "http://127.0.0.1/?x=1"}),
        ("address", "http:// is plain text", {"address": "http://tablier.example"}),
        ("insecure", "never plain text", {"address": "https://here", "insecure": True}),
        (
            "credentials",
            "these are for gRPC",
            {"address": "https://here", "credentials": grpc.ssl_channel_credentials()},
        ),
        ("address", "115587 is not a port", {"address": "127.0.0.1:115587"}),
        ("ca_file", "No such file", {"ca_file": "/does/not/exist.pem"}),
        ("ca_file", "cannot be used", {"ca_file": __file__}),
        ("ca_file", "cannot be used", {"ca_file": 5}),
        ("credentials", "only one of", {"ca_file": "any.pem", "insecure": True}),
        ("credentials", "only one of", {"ca_file": "any.pem", "credentials": object()}),
        ("credentials", "is not a grpc.ChannelCredentials", {"credentials": object()}),
        ("insecure", "neither True nor False", {"insecure": "no"}),
        ("wait_for_ready", "neither True nor False", {"wait_for_ready": None}),
        ("api_key", "printable ASCII", {"api_key": "secret with spaces"}),
        ("api_key", "printable ASCII", {"api_key": "secret\n"}),
        ("api_key", "printable ASCII", {"api_key": ""}),
        ("api_key", "printable ASCII", {"api_key": b"secret"}),
        ("api_key", "already", {"api_key": "secret", "metadata": [("authorization", "x")]}),
        ("metadata", "'Key' is not a key", {"metadata": [("Key", "x")]}),
        ("metadata", "value of 'key'", {"metadata": [("key", "secret\n")]}),
        ("metadata", "value of 'key' is not printable", {"metadata": [("key", 5)]}),
        ("metadata", "value of 'key-bin' is not bytes", {"metadata": [("key-bin", "x")]}),
        ("metadata", "list of pairs", {"metadata": [(5, "x")]}),
        ("metadata", "list of pairs", {"metadata": ["key"]}),
        ("metadata", "list of pairs", {"metadata": 5}),
        ("timeout", "is not a number of seconds", {"timeout": "5"}),
        ("timeout", "is not a number of seconds", {"timeout": None}),
        ("timeout", "is not a number of seconds", {"timeout": float("inf")}),
    ],
)
def test_names_an_argument_of_a_client(field: str, message: str, arguments: Any) -> None:
    for kind in (Client, AsyncClient):
        with pytest.raises(InvalidField, match=message) as caught:
            kind(**arguments)
        assert caught.value.field == field
        assert "secret" not in str(caught.value)


def test_names_an_environment_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in (("TABLIER_ADDRESS", "http://tablier:1"), ("TABLIER_API_KEY", "secret\n")):
        with monkeypatch.context() as environment:
            environment.setenv(name, value)
            with pytest.raises(InvalidField) as caught:
                Client()
            assert caught.value.field == name
            assert "secret" not in str(caught.value)


def test_an_asynchronous_client_needs_an_event_loop() -> None:
    with pytest.raises(TablierError, match="inside a coroutine"):
        AsyncClient()


@pytest.mark.service
def test_explains_a_failure_after_the_authorities_are_gone(
    secured: LiveServer, folder: Path, tmp_path: Path
) -> None:
    other = Authority(folder, "a third authority")
    file = shutil.copy(other.file, tmp_path)
    with Client(secured.grpc_address, ca_file=file) as client:
        Path(file).unlink()
        with pytest.raises(Unavailable, match="is not trusted"):
            client.games()


def test_the_diagnosis_accepts_a_healthy_server(
    live_server: LiveServer, secured: LiveServer, authority: Authority
) -> None:
    host, _, port = live_server.grpc_address.partition(":")
    assert diagnosis.diagnose(host, int(port), tls=False, verify=None) == ""
    host, _, port = secured.grpc_address.partition(":")
    context = ssl.create_default_context(cafile=authority.file)
    assert diagnosis.diagnose(host, int(port), tls=True, verify=lambda: context) == ""
