"""Behaviour that clients delegate to gRPC: deadlines, load balancing, TLS."""

import asyncio
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any, cast

import grpc
import pytest
from tablier.v1.game_pb2 import Situation
from tablier_client import Advice, AsyncClient, Client, Game, State
from tablier_client.channel import SERVICES, connection, is_loopback, service_config
from tablier_client.errors import DeadlineExceeded, InvalidField, Unavailable

from tests.clients.faulty import faulty_server

Kind = type[Client] | type[AsyncClient]

DEFAULTS: dict[str, Any] = {
    "api_key": None,
    "ca_file": None,
    "credentials": None,
    "insecure": False,
    "metadata": (),
    "wait_for_ready": False,
}


def list_games(kind: Kind, address: str, **settings: Any) -> list[Game]:
    """Send an idempotent call with either client."""
    if kind is Client:
        with Client(address, **settings) as client:
            return client.games()

    async def call() -> list[Game]:
        async with AsyncClient(address, **settings) as client:
            return await client.games()

    return asyncio.run(call())


def test_one_policy_covers_all_calls_and_leaves_retries_to_the_client() -> None:
    config = service_config(SERVICES, wait_for_ready=True)
    (policy,) = cast("list[dict[str, Any]]", config["methodConfig"])
    assert policy == {
        "name": [
            {"service": "tablier.v1.GameService"},
            {"service": "tablier.v1.AdvisorService"},
        ],
        "waitForReady": True,
    }


@pytest.mark.parametrize("kind", [Client, AsyncClient])
def test_every_call_has_a_deadline(kind: Kind) -> None:
    with faulty_server(stuck=True) as server:
        begun = time.monotonic()
        with pytest.raises(DeadlineExceeded) as caught:
            list_games(kind, server.address, timeout=0.2)
        assert time.monotonic() - begun > 0.15
        assert caught.value.code is grpc.StatusCode.DEADLINE_EXCEEDED
        assert caught.value.reason == ""


def test_a_call_can_have_its_own_timeout() -> None:
    with (
        faulty_server(stuck=True) as server,
        Client(server.address, timeout=600) as client,
        pytest.raises(DeadlineExceeded),
    ):
        client.games(timeout=0.2)


def suggest(client: Client, **limits: int) -> Advice:
    """Ask for advice on an invalid state."""
    return State.read(client, b"", Situation(), None, "").suggest(**limits)


def test_adds_the_search_time_to_the_deadline() -> None:
    with faulty_server(stuck=True) as server, Client(server.address, timeout=0.2) as client:
        begun = time.monotonic()
        with pytest.raises(DeadlineExceeded):
            suggest(client, milliseconds=400)
        assert time.monotonic() - begun > 0.55


def test_reports_unavailable_if_no_server_is_running() -> None:
    with faulty_server() as server:
        address = server.address
    with Client(address) as client, pytest.raises(Unavailable):
        client.games()


def test_waits_for_a_server_that_is_still_starting() -> None:
    with faulty_server() as server:
        address = server.address
    with (
        Client(address, wait_for_ready=True, timeout=0.3) as client,
        pytest.raises(DeadlineExceeded),
    ):
        client.games()
    with ThreadPoolExecutor(1) as pool, Client(address, wait_for_ready=True, timeout=30) as client:
        answer = pool.submit(client.games)
        late = grpc.server(ThreadPoolExecutor(1))
        with faulty_server() as other:
            late.add_generic_rpc_handlers([other.handlers(SERVICES[0])])
        late.add_insecure_port(address)
        late.start()
        assert answer.result() == []
        late.stop(None).wait()


def test_sends_metadata_with_every_call() -> None:
    with faulty_server() as server:
        with Client(server.address, metadata=[("x-api-key", "secret")]) as client:
            client.games()
        assert server.metadata["x-api-key"] == "secret"


def test_balances_calls_between_servers() -> None:
    with (
        faulty_server() as one,
        faulty_server() as two,
        Client(f"ipv4:{one.address},{two.address}", wait_for_ready=True) as client,
    ):
        deadline = time.monotonic() + 30
        while not (one.calls["ListGames"] and two.calls["ListGames"]):
            client.games()
            assert time.monotonic() < deadline
        # Both are connected now.
        one.calls.clear()
        two.calls.clear()
        for _ in range(10):
            client.games()
        assert (one.calls["ListGames"], two.calls["ListGames"]) == (5, 5)


@pytest.mark.parametrize(
    ("address", "here"),
    [
        ("127.0.0.1:50051", True),
        ("127.8.8.8:50051", True),
        ("localhost:50051", True),
        ("localhost", True),
        ("LocalHost:50051", True),
        ("[::1]:50051", True),
        ("::1", True),
        ("dns:///localhost:50051", True),
        ("dns:localhost:50051", True),
        ("unix:/run/tablier.sock", True),
        ("unix:///run/tablier.sock", True),
        ("ipv4:127.0.0.1:1,127.0.0.1:2", True),
        ("ipv4:127.0.0.1:1,10.0.0.1:2", False),
        ("ipv6:[::1]:50051", True),
        ("dns://127.0.0.1/example.org:443", False),
        ("10.0.0.1:50051", False),
        ("localhost.example.org:50051", False),
        ("example.org:443", False),
        ("[2001:db8::1]:50051", False),
    ],
)
def test_uses_plain_text_for_loopback_only(address: str, here: bool) -> None:
    assert is_loopback(address) is here
    assert (connection(address, **DEFAULTS).credentials is None) is here
    assert connection(address, **{**DEFAULTS, "insecure": True}).credentials is None


def test_credentials_and_insecure_exclude_each_other() -> None:
    with pytest.raises(InvalidField, match="only one of") as caught:
        Client("127.0.0.1:1", credentials=grpc.ssl_channel_credentials(), insecure=True)
    assert caught.value.field == "credentials"
