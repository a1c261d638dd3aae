"""More calls than there is room for, and callers that leave, over real sockets."""

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
from tablier_client import Client
from tablier_core import codec
from tablier_core.registry import GAMES

from tests.live_server import TIMEOUT_SECONDS, LiveServer, running, wait_until

STATE = codec.encode(GAMES["contigo-alignment"].start({}, 1))
LONG = advisor_service_pb2.SuggestMovesRequest(
    state=STATE, budget=advisor_service_pb2.Budget(milliseconds=50_000)
)


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveServer]:
    """A server with room for three calls."""
    log = tmp_path_factory.mktemp("small") / "log"
    with running(log, max_calls=3, search_slots=3) as server:
        yield server


@pytest.fixture
def to_small(small: LiveServer) -> Iterator[grpc.Channel]:
    with grpc.insecure_channel(small.grpc_address) as channel:
        yield channel


def wait_for_searches(server: LiveServer, number: int) -> None:
    wait_until(
        lambda: server.metrics()["tablier_searches_running"] == number, f"{number} searches run"
    )


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


def test_rejects_calls_beyond_the_limit_while_others_go_on(small, to_small):
    advise = advisor_service_pb2_grpc.AdvisorServiceStub(to_small).SuggestMoves
    calls = [advise.future(LONG) for _ in range(20)]
    wait_until(lambda: sum(call.done() for call in calls) == 17, "all but three are rejected")
    wait_for_searches(small, 3)
    for call in calls:
        if call.done():
            assert_overloaded(call.exception())
    # Calls that need not wait are still answered.
    GameServiceStub(to_small).GetGame(pb.GetGameRequest(game="contrast"))
    assert httpx.get(f"{small.rest_url}/v1/games").status_code == 200
    assert sum(call.done() for call in calls) == 17
    for call in calls:
        call.cancel()
    wait_for_searches(small, 0)
    GameServiceStub(to_small).GetGame(pb.GetGameRequest(game="contrast"))


def test_the_limit_of_the_asyncio_server_holds_behind_ours(tmp_path: Path):
    """Before grpcio 1.80 it did not. Health checks are not among the calls that we count."""

    def attempt() -> bool:
        """Open 20 streams: whether exactly six of them are accepted, and the others rejected."""
        streams = [watch(health_pb2.HealthCheckRequest(service="")) for _ in range(20)]
        answers = []
        for stream in streams:
            try:
                answers.append(next(iter(stream)).status)
            except grpc.RpcError as error:
                answers.append(error.code())
        for stream in streams:
            stream.cancel()
        accepted = answers.count(health_pb2.HealthCheckResponse.SERVING)
        rejected = answers.count(grpc.StatusCode.RESOURCE_EXHAUSTED)
        assert (accepted + rejected, accepted <= 6) == (20, True)
        return accepted == 6

    with (
        running(tmp_path / "log", max_calls=3, grpc_server="asyncio") as server,
        grpc.insecure_channel(server.grpc_address) as channel,
    ):
        watch = cast("Any", health_pb2_grpc.HealthStub(channel)).Watch
        # Calls of an earlier attempt may not have ended completely.
        wait_until(attempt, "six streams are accepted")


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


def test_cheap_calls_succeed_while_many_callers_search(tmp_path: Path):
    """Of 32 callers in a loop, most wait or are rejected; cheap calls are all answered.

    `python -m bench.lanes` measures their latency, at 200 calls per second.
    """
    stop = threading.Event()
    advised: list[int] = []
    rejected: list[grpc.StatusCode] = []

    def ask(channel: grpc.Channel) -> None:
        request = advisor_service_pb2.SuggestMovesRequest(
            state=STATE, budget=advisor_service_pb2.Budget(milliseconds=100)
        )
        advise = advisor_service_pb2_grpc.AdvisorServiceStub(channel).SuggestMoves
        while not stop.is_set():
            try:
                advised.append(advise(request).iterations)
            except grpc.RpcError as error:
                rejected.append(error.code())
                stop.wait(0.05)

    with (
        running(tmp_path / "log", search_queue=8) as server,
        grpc.insecure_channel(server.grpc_address) as channel,
    ):
        threads = [threading.Thread(target=ask, args=(channel,)) for _ in range(32)]
        for thread in threads:
            thread.start()
        try:
            wait_until(lambda: bool(advised and rejected), "some searches run, some are rejected")
            stub = GameServiceStub(channel)
            request = pb.EnumerateMovesRequest(state=STATE)
            for _ in range(300):
                assert stub.EnumerateMoves(request, timeout=TIMEOUT_SECONDS).seats
        finally:
            stop.set()
            for thread in threads:
                thread.join(TIMEOUT_SECONDS)
        metrics = server.metrics()
    assert min(advised) > 0
    assert set(rejected) == {grpc.StatusCode.RESOURCE_EXHAUSTED}
    assert metrics["tablier_search_iterations_total"] >= sum(advised)
    assert metrics['tablier_rejected_calls_total{reason="search_queue"}'] >= len(rejected)


def handled(server: LiveServer, method: str) -> dict[str, float]:
    """How many calls of a method have ended, by their code."""
    counts = server.metrics().items()
    ended = [each for each in counts if "handled_total" in each[0] and f'"{method}"' in each[0]]
    return {name.split('grpc_code="')[1].split('"')[0]: count for name, count in ended if count}


def wait_for_handled(server: LiveServer, method: str, number: int) -> None:
    wait_until(
        lambda: sum(handled(server, method).values()) >= number,
        f"{number} calls of {method} have ended",
    )


# Receive hardly more than is read.
SMALL_WINDOW = (("grpc.http2.bdp_probe", 0), ("grpc.http2.lookahead_bytes", 1024))


def separate(server: LiveServer, *options: tuple[str, int]) -> grpc.Channel:
    """A channel with a connection of its own."""
    own = ("grpc.use_local_subchannel_pool", 1)
    return grpc.insecure_channel(server.grpc_address, [own, *options])


def test_unread_analyses_neither_block_advice_nor_last(tmp_path: Path):
    analysis = advisor_service_pb2.StreamAnalysisRequest(
        state=STATE,
        budget=advisor_service_pb2.Budget(milliseconds=50_000),
        interval_milliseconds=10,
        max_suggestions=1024,
    )
    advice = advisor_service_pb2.SuggestMovesRequest(
        state=STATE, budget=advisor_service_pb2.Budget(iterations=50)
    )
    with (
        running(tmp_path / "log", search_slots=1, slow_reader_seconds=0.5) as server,
        separate(server, *SMALL_WINDOW) as attacker,
        separate(server) as other,
    ):
        analyse = cast("Any", advisor_service_pb2_grpc.AdvisorServiceStub(attacker)).StreamAnalysis
        unread = [analyse(analysis) for _ in range(70)]
        server.wait_for_metric("grpc_server_started_total", 70, "StreamAnalysis")
        advise = advisor_service_pb2_grpc.AdvisorServiceStub(other).SuggestMoves
        for _ in range(20):
            assert advise(advice, timeout=TIMEOUT_SECONDS).iterations == 50
        wait_for_handled(server, "StreamAnalysis", 70)
        ended = handled(server, "StreamAnalysis")
        for stream in unread:
            stream.cancel()
    assert ended == {"ResourceExhausted": 64, "DeadlineExceeded": 6}


def test_idle_streams_end_and_sessions_go_on(tmp_path: Path):
    with running(tmp_path / "log", max_stream_idle_seconds=0.5) as server:
        with separate(server) as channel:
            play = cast("Any", GameServiceStub(channel)).Play
            hold = threading.Event()
            idle = [play(iter(hold.wait, True)) for _ in range(3)]
            for stream in idle:
                with pytest.raises(grpc.RpcError) as ended:
                    next(stream)
                status = rpc_status.from_call(cast("Any", ended.value))
                assert status is not None
                info = error_details_pb2.ErrorInfo()
                assert status.details[0].Unpack(info)
                assert (info.reason, stream.code()) == (
                    "STREAM_IDLE",
                    grpc.StatusCode.UNAVAILABLE,
                )
            hold.set()
        with Client(server.grpc_address) as client, client.session() as session:
            for number in (4, 5):
                assert session.submit(client.calls.game("contrast")).result(TIMEOUT_SECONDS)
                wait_for_handled(server, "Play", number)
