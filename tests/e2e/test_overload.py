"""More calls than there is room for, and callers who leave: over real sockets."""

from __future__ import annotations

import base64
import json
import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast
from urllib.parse import urlsplit

import grpc
import httpx
import pytest
from google.rpc import error_details_pb2
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_status import rpc_status
from tablier.v1 import advisor_service_pb2, advisor_service_pb2_grpc
from tablier.v1 import game_service_pb2 as pb
from tablier.v1.game_service_pb2_grpc import GameServiceStub
from tablier_core import codec
from tablier_core.registry import GAMES

from tests.live_server import LiveServer, start_server, wait_until

STATE = codec.encode(GAMES["contigo-alignment"].start({}, 1))
LONG = advisor_service_pb2.SuggestMovesRequest(
    state=STATE, budget=advisor_service_pb2.Budget(milliseconds=50_000)
)


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveServer]:
    """A server with room for three calls."""
    log = tmp_path_factory.mktemp("small") / "log"
    server = start_server(log=log, TABLIER_MAX_CALLS="3", TABLIER_SEARCH_SLOTS="3")
    yield server
    assert server.stop() == 0
    server.close()


@pytest.fixture
def to_small(small: LiveServer) -> Iterator[grpc.Channel]:
    with grpc.insecure_channel(small.grpc_address) as channel:
        yield channel


def metric(server: LiveServer, name: str) -> float:
    text = httpx.get(f"{server.rest_url}/metrics", verify=False).text
    return float(next(line.split()[1] for line in text.splitlines() if line.startswith(name)))


def wait_for_searches(server: LiveServer, number: int) -> None:
    wait_until(lambda: metric(server, "tablier_searches_running") == number, f"{number} searches")


def assert_overloaded(error: BaseException | None) -> None:
    assert isinstance(error, grpc.RpcError)
    assert error.code() == grpc.StatusCode.RESOURCE_EXHAUSTED
    status = rpc_status.from_call(cast("Any", error))
    assert status is not None
    info, retry = error_details_pb2.ErrorInfo(), error_details_pb2.RetryInfo()
    assert status.details[0].Unpack(info)
    assert info.reason == "OVERLOADED"
    assert status.details[1].Unpack(retry)
    assert retry.retry_delay.ToMilliseconds() >= 50


def test_calls_beyond_the_limit_are_refused_and_the_others_go_on(small, to_small):
    advise = advisor_service_pb2_grpc.AdvisorServiceStub(to_small).SuggestMoves
    calls = [advise.future(LONG) for _ in range(20)]
    wait_until(lambda: sum(call.done() for call in calls) == 17, "all but three are refused")
    wait_for_searches(small, 3)
    for call in calls:
        if call.done():
            assert_overloaded(call.exception())
    with pytest.raises(grpc.RpcError) as refusal:
        GameServiceStub(to_small).GetGame(pb.GetGameRequest(game="contrast"))
    assert_overloaded(refusal.value)
    assert httpx.get(f"{small.rest_url}/v1/games").status_code == 429
    assert sum(call.done() for call in calls) == 17
    for call in calls:
        call.cancel()
    wait_for_searches(small, 0)
    GameServiceStub(to_small).GetGame(pb.GetGameRequest(game="contrast"))


def test_the_limit_of_grpc_itself_holds_behind_ours(small, to_small):
    """Before grpcio 1.80 it did not. Health checks are not among the calls that we count."""
    watch = cast("Any", health_pb2_grpc.HealthStub(to_small)).Watch
    streams = [watch(health_pb2.HealthCheckRequest(service="")) for _ in range(20)]
    answers = []
    for stream in streams:
        try:
            answers.append(next(iter(stream)).status)
        except grpc.RpcError as error:
            answers.append(error.code())
    assert answers.count(health_pb2.HealthCheckResponse.SERVING) == 6
    assert answers.count(grpc.StatusCode.RESOURCE_EXHAUSTED) == 14
    for stream in streams:
        stream.cancel()


def test_a_search_ends_when_its_connection_is_closed(small):
    body = json.dumps(
        {"state": base64.b64encode(STATE).decode(), "budget": {"milliseconds": 50_000}}
    )
    address = urlsplit(small.rest_url)
    with socket.create_connection((address.hostname, address.port)) as caller:
        caller.sendall(
            f"POST /v1/states:suggestMoves HTTP/1.1\r\nhost: x\r\ncontent-length: {len(body)}\r\n"
            f"content-type: application/json\r\n\r\n{body}".encode()
        )
        wait_for_searches(small, 1)
    wait_for_searches(small, 0)


def test_a_search_ends_when_its_channel_is_closed(small):
    with grpc.insecure_channel(small.grpc_address, [("grpc.use_local_subchannel_pool", 1)]) as own:
        advice = advisor_service_pb2_grpc.AdvisorServiceStub(own).SuggestMoves.future(LONG)
        wait_for_searches(small, 1)
        assert not advice.done()
    wait_for_searches(small, 0)


def test_cheap_calls_succeed_while_many_ask_for_advice(tmp_path: Path):
    """Of 32 callers in a loop, most wait or are refused; cheap calls are all answered.

    `python -m bench.lanes` measures how soon, at 200 of them a second.
    """
    server = start_server(log=tmp_path / "log", TABLIER_SEARCH_QUEUE="8")
    stop = threading.Event()
    advised: list[int] = []
    refused: list[grpc.StatusCode] = []

    def ask() -> None:
        request = advisor_service_pb2.SuggestMovesRequest(
            state=STATE, budget=advisor_service_pb2.Budget(milliseconds=50)
        )
        advise = advisor_service_pb2_grpc.AdvisorServiceStub(channel).SuggestMoves
        while not stop.is_set():
            try:
                advised.append(advise(request).iterations)
            except grpc.RpcError as error:
                refused.append(error.code())
                stop.wait(0.05)

    with grpc.insecure_channel(server.grpc_address) as channel:
        threads = [threading.Thread(target=ask) for _ in range(32)]
        for thread in threads:
            thread.start()
        wait_until(lambda: bool(advised and refused), "some are advised, some refused")
        stub = GameServiceStub(channel)
        request = pb.EnumerateMovesRequest(state=STATE)
        assert all(stub.EnumerateMoves(request, timeout=30).seats for _ in range(300))
        stop.set()
        for thread in threads:
            thread.join(30)
    assert min(advised) > 0
    assert set(refused) == {grpc.StatusCode.RESOURCE_EXHAUSTED}
    assert metric(server, "tablier_search_iterations_total") >= sum(advised)
    assert metric(server, 'tablier_sheds_total{reason="queue"}') >= len(refused)
    assert server.stop() == 0
    server.close()
