"""The whole process from outside: what it prints, serves and logs, and how it stops."""

from __future__ import annotations

import base64
import json
import re
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import grpc
import httpx
import pytest
from google.rpc import error_details_pb2
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc
from grpc_status import rpc_status
from tablier.v1 import advisor_service_pb2, advisor_service_pb2_grpc
from tablier.v1 import game_service_pb2 as pb
from tablier.v1.game_service_pb2_grpc import GameServiceStub
from tablier_client import Client
from tablier_client.errors import InvalidToken, TablierError, from_call
from tablier_core import codec
from tablier_core.registry import GAMES
from tablier_service.observability.processes import usage_of

from tests.live_server import (
    TIMEOUT_SECONDS,
    LiveServer,
    open_stream,
    running,
    wait_until,
)

KEYS = f"1:{base64.b64encode(bytes(range(32))).decode()}"


@pytest.fixture
def logged(tmp_path: Path) -> Iterator[tuple[LiveServer, Path]]:
    """A server, and its log."""
    log = tmp_path / "log"
    with running(log) as server:
        yield server, log


def lines(log: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in log.read_text().splitlines()]


def test_reflection_lists_the_services(channel: grpc.Channel):
    stub: Any = reflection_pb2_grpc.ServerReflectionStub(channel)
    request = reflection_pb2.ServerReflectionRequest(list_services="")
    answer = next(iter(stub.ServerReflectionInfo(iter([request]))))
    names = {service.name for service in answer.list_services_response.service}
    assert {"tablier.v1.GameService", "tablier.v1.AdvisorService", "grpc.health.v1.Health"} <= names


def test_reports_health_for_every_service(channel: grpc.Channel):
    stub: Any = health_pb2_grpc.HealthStub(channel)
    for service in ("", "tablier.v1.GameService", "tablier.v1.AdvisorService"):
        answer = stub.Check(health_pb2.HealthCheckRequest(service=service))
        assert answer.status == health_pb2.HealthCheckResponse.SERVING


def test_answers_an_invalid_message_with_a_typed_error(channel: grpc.Channel):
    call = channel.unary_unary("/tablier.v1.GameService/ApplyMoves", None, None)
    with pytest.raises(grpc.RpcError) as failure:
        call(b"\xff\xff\xff")
    assert failure.value.code() == grpc.StatusCode.INVALID_ARGUMENT
    status = rpc_status.from_call(cast("Any", failure.value))
    assert status is not None
    info = error_details_pb2.ErrorInfo()
    assert status.details[0].Unpack(info)
    assert info.reason == "INVALID_FIELD"


def test_counts_calls_of_both_transports(live_server: LiveServer, channel: grpc.Channel):
    labels = 'grpc_method="GetGame",grpc_service="tablier.v1.GameService",grpc_type="unary"'
    ok = f'grpc_server_handled_total{{grpc_code="OK",{labels}}}'
    missed = f'grpc_server_handled_total{{grpc_code="NotFound",{labels}}}'
    stub = GameServiceStub(channel)
    stub.GetGame(pb.GetGameRequest(game="contrast"))
    before = live_server.metrics()
    stub.GetGame(pb.GetGameRequest(game="contrast"))
    httpx.get(f"{live_server.rest_url}/v1/games/contrast")
    httpx.get(f"{live_server.rest_url}/v1/games/chess")
    after = live_server.metrics()
    assert after[ok] == before[ok] + 2
    assert after[missed] == before.get(missed, 0) + 1
    assert after[f"grpc_server_started_total{{{labels}}}"] == (
        before[f"grpc_server_started_total{{{labels}}}"] + 3
    )


def request_id_of(error: grpc.RpcError) -> object:
    """The request id in the trailers of a failed call."""
    trailers = cast("grpc.Call", error).trailing_metadata()
    return next(value for key, value in trailers if key == "x-request-id")


def test_logs_failed_calls_with_their_id_but_not_their_content(
    logged: tuple[LiveServer, Path],
):
    """The content of requests is nowhere in the log, the metrics or the errors."""
    server, log = logged
    position = GAMES["contrat500"].start({}, 3)
    token = codec.encode(position)
    canaries = [base64.b64encode(token).decode()[:40], token.hex()[20:60], "CANARY"]
    said = []
    with grpc.insecure_channel(server.grpc_address) as channel:
        stub = GameServiceStub(channel)
        request = pb.ApplyMovesRequest(state=token[:-1] + b"\0", moves=[{"notation": "CANARY"}])  # type: ignore[list-item]
        for _ in range(2):
            with pytest.raises(grpc.RpcError) as failure:
                stub.ApplyMoves(request, metadata=(("x-request-id", "my-id-1"),))
            said.append(str(failure.value.details()))
            assert request_id_of(failure.value) == "my-id-1"
            request.state = token
    answer = httpx.post(
        f"{server.rest_url}/v1/states:applyMoves",
        json={"state": base64.b64encode(token).decode(), "moves": [{"notation": "CANARY"}]},
        headers={"x-request-id": "my-id-2"},
    )
    assert answer.headers["x-request-id"] == "my-id-2"
    said += [answer.text, httpx.get(f"{server.rest_url}/metrics").text]
    assert server.stop() == 0
    entries = [entry for entry in lines(log) if entry["event"] == "call failed"]
    assert [entry["request_id"] for entry in entries] == ["my-id-1", "my-id-1", "my-id-2"]
    assert [entry["reason"] for entry in entries] == [
        "TOKEN_MALFORMED",
        "MOVE_UNPARSABLE",
        "MOVE_UNPARSABLE",
    ]
    said.append(log.read_text())
    for canary in canaries:
        assert not any(canary in text for text in said)


def test_does_not_log_or_repeat_the_names_that_callers_invent(
    logged: tuple[LiveServer, Path],
):
    server, log = logged
    secret = base64.b64encode(codec.encode(GAMES["contrat500"].start({}, 3))).decode()
    name = secret + "x" * 30_000
    url = f"{server.rest_url}/v1"
    answers = [
        httpx.post(f"{url}/states:applyMoves", json={name: 1}),
        httpx.post(f"{url}/states:applyMoves", json={"moves": [{name: 1}]}),
        httpx.post(f"{url}/games/contrat500:start", json={"options": {name: 1}}),
        httpx.get(f"{url}/games", params={secret: "1"}),
        httpx.post(f"{url}/games/contrat500:start", json={"options": {"seats": 100}}),
    ]
    assert [answer.status_code for answer in answers] == [400] * 5
    for answer in answers[:4]:
        assert secret[:40] in answer.text
        assert secret[:100] not in answer.text
        assert len(answer.text) < 2000
    assert server.stop() == 0
    entries = [entry for entry in lines(log) if entry["event"] == "call failed"]
    assert [entry["field"] for entry in entries] == ["", "", "", "", "options.seats"]
    assert secret[:20] not in log.read_text()


def test_does_not_log_calls_that_succeed(logged: tuple[LiveServer, Path]):
    """Unless that is configured, or they are slow."""
    server, log = logged
    with grpc.insecure_channel(server.grpc_address) as channel:
        stub: Any = GameServiceStub(channel)
        game = pb.GetGameRequest(game="contrast")
        stub.GetGame(game)
        assert list(stub.Play(iter([pb.PlayRequest(operations=[pb.Operation(get_game=game)])])))
    assert httpx.get(f"{server.rest_url}/v1/games/contrast").is_success
    assert httpx.post(f"{server.rest_url}/v1/games/contrast:start").is_success
    assert server.stop() == 0
    # On a busy machine, any call may be slow.
    assert {entry["event"] for entry in lines(log)} <= {"stopping", "stopped", "slow call"}


def pool_wakings(server: LiveServer) -> int:
    """How often the threads of gRPC's own pool have slept."""
    tasks = Path(f"/proc/{server.process.pid}/task").iterdir()
    statuses = [(task / "status").read_text() for task in tasks]
    return sum(
        int(re.findall(r"^voluntary_ctxt_switches:\t(\d+)$", text, re.M)[0])
        for text in statuses
        if text.startswith("Name:\tevent_engine")
    )


def test_does_not_wake_a_pool_of_threads_for_a_call(
    logged: tuple[LiveServer, Path],
):
    """docs/adr/0009: they would wake each other several times per call."""
    server, _ = logged
    calls = 200
    with grpc.insecure_channel(server.grpc_address) as channel:
        stub: Any = GameServiceStub(channel)
        stub.GetGame(pb.GetGameRequest(game="contrast"))
        before = pool_wakings(server)
        for _ in range(calls):
            stub.GetGame(pb.GetGameRequest(game="contrast"))
        assert pool_wakings(server) - before < calls


def test_frees_the_unread_messages_of_a_failed_stream(
    logged: tuple[LiveServer, Path],
):
    server, _ = logged
    behind = bytes(50_000)

    def fail(times: int) -> int:
        for _ in range(times):
            with pytest.raises(grpc.RpcError):
                list(stream(iter([b"\xff", behind])))
        usage = usage_of(server.process.pid)
        assert usage is not None
        return usage.resident_bytes

    with grpc.insecure_channel(server.grpc_address) as channel:
        stream = channel.stream_stream("/tablier.v1.GameService/Play", None, None)
        before = fail(100)
        assert fail(400) - before < 200 * len(behind)


def test_a_failed_call_without_an_id_gets_the_one_in_the_log(logged: tuple[LiveServer, Path]):
    server, log = logged
    with grpc.insecure_channel(server.grpc_address) as channel:
        for metadata in ((), (("x-request-id", "not fit to print"),)):
            with pytest.raises(grpc.RpcError) as failure:
                GameServiceStub(channel).GetGame(pb.GetGameRequest(game="go"), metadata=metadata)
            entry = [entry for entry in lines(log) if entry["event"] == "call failed"][-1]
            assert entry["request_id"] == request_id_of(failure.value) != "not fit to print"


def test_counts_a_cancelled_call(logged: tuple[LiveServer, Path]):
    server, _ = logged
    with grpc.insecure_channel(server.grpc_address) as channel:
        advice = advisor_service_pb2_grpc.AdvisorServiceStub(channel).SuggestMoves.future(
            advisor_service_pb2.SuggestMovesRequest(
                state=codec.encode(GAMES["contigo-alignment"].start({}, 1)),
                budget=advisor_service_pb2.Budget(milliseconds=50_000),
            )
        )
        server.wait_for_metric("grpc_server_started_total", 1, "SuggestMoves")
        advice.cancel()
        server.wait_for_metric("grpc_server_handled_total", 1, "Cancelled")


def test_ends_streams_with_a_reason_when_the_service_stops():
    """It does not wait for them as long as for calls, but answers what it has received."""
    operation = pb.Operation(get_game=pb.GetGameRequest(game="contrast"))
    with (
        running(drain_seconds=1000) as server,
        grpc.insecure_channel(server.grpc_address) as channel,
    ):
        stub: Any = GameServiceStub(channel)
        with open_stream(stub) as (idle, _):
            ended = stub.Play(iter([pb.PlayRequest(operations=[operation])]))
            server.wait_for_metric("grpc_server_msg_received_total", 2, "Play")
            server.signal_stop()
            with pytest.raises(grpc.RpcError) as failure:
                next(idle)
        assert len(list(ended)) == 1
        assert server.wait() == 0
    assert failure.value.code() is grpc.StatusCode.UNAVAILABLE
    assert from_call(failure.value).reason == "STOPPING"


def test_reports_health_first_and_lets_calls_finish_when_it_stops(logged: tuple[LiveServer, Path]):
    server, log = logged
    position = GAMES["contigo-alignment"].start({}, 1)
    with grpc.insecure_channel(server.grpc_address) as channel:
        states: list[int] = []
        watching = threading.Event()

        def watch() -> None:
            stub: Any = health_pb2_grpc.HealthStub(channel)
            for answer in stub.Watch(health_pb2.HealthCheckRequest(service="")):
                states.append(answer.status)
                watching.set()
                if answer.status != health_pb2.HealthCheckResponse.SERVING:
                    return

        watcher = threading.Thread(target=watch)
        watcher.start()
        assert watching.wait(TIMEOUT_SECONDS)
        advice = advisor_service_pb2_grpc.AdvisorServiceStub(channel).SuggestMoves.future(
            advisor_service_pb2.SuggestMovesRequest(
                state=codec.encode(position),
                budget=advisor_service_pb2.Budget(milliseconds=1500),
            )
        )
        server.wait_for_metric("grpc_server_started_total", 1, "SuggestMoves")
        assert server.stop() == 0
        assert advice.result(timeout=TIMEOUT_SECONDS).iterations > 0
        watcher.join(TIMEOUT_SECONDS)
    assert states == [
        health_pb2.HealthCheckResponse.SERVING,
        health_pb2.HealthCheckResponse.NOT_SERVING,
    ]
    assert [entry["event"] for entry in lines(log)][-2:] == ["stopping", "stopped"]


def test_nobody_else_can_read_sealed_tokens(tmp_path: Path):
    plain = codec.encode(GAMES["contrat500"].start({}, 3))
    with (
        running(tmp_path / "log", seal_keys=KEYS) as server,
        Client(server.grpc_address) as client,
    ):
        state = client.start("contrat500", seed=3)
        assert plain not in state.token
        assert state.play(state.moves()[0]).ply == 1
        with pytest.raises(InvalidToken):
            client.state(plain)


def test_rotates_keys_while_the_service_runs(tmp_path: Path):
    """Every step of docs/operations.md, with calls all the time: none of them fails."""
    old, new = (base64.b64encode(bytes([n]) * 32).decode() for n in (1, 2))
    keys, log = tmp_path / "keys", tmp_path / "log"
    keys.write_text(f"1:{old}\n")
    stopped, failures, calls = threading.Event(), list[Exception](), [0]

    def change(content: str, times: int) -> None:
        keys.write_text(content)
        wait_until(
            lambda: [entry["event"] for entry in lines(log)].count("file reloaded") >= times,
            "the file is reloaded",
        )

    def keep_calling(address: str) -> None:
        with Client(address) as client:
            while not stopped.is_set():
                try:
                    state = client.start("contigo-alignment")
                    state.play(state.moves()[0])
                    calls[0] += 1
                except TablierError as error:
                    failures.append(error)

    with running(log, seal_keys_file=keys, reload_seconds=0.05) as server:
        caller = threading.Thread(target=keep_calling, args=(server.grpc_address,))
        caller.start()
        try:
            with Client(server.grpc_address) as client:
                before = client.start("contrat500")
                change(f"1:{old}\n2:{new}\n", 1)
                assert client.start("contrat500").token[3] == 1
                change(f"2:{new}\n1:{old}\n", 2)
                after = before.play(before.moves()[0])
                assert after.token[3] == 2
                wait_until(lambda: calls[0] > 0, "calls are made")
                stopped.set()
                caller.join(TIMEOUT_SECONDS)
                change(f"2:{new}\n", 3)
                assert client.state(after.token).ply == 1
                with pytest.raises(InvalidToken):
                    client.state(before.token)
            assert not failures
        finally:
            stopped.set()
            caller.join(TIMEOUT_SECONDS)


def test_reports_that_the_port_is_in_use():
    """Even if its owner would share it, as another service with several workers would."""
    with socket.create_server(("127.0.0.1", 0), reuse_port=True) as taken:
        port = taken.getsockname()[1]
        for flag in ("--http-port", "--grpc-port"):
            other = "--grpc-port" if flag == "--http-port" else "--http-port"
            result = subprocess.run(
                [sys.executable, "-m", "tablier_cli", "serve", flag, str(port), other, "0"],
                capture_output=True,
                text=True,
                timeout=TIMEOUT_SECONDS,
                check=False,
            )
            assert result.returncode != 0
            assert str(port) in result.stderr
            assert "Traceback" not in result.stderr


def test_uses_little_memory_and_loads_nothing_unneeded():
    """`make load` measures memory under load; this finds modules that are loaded for nothing."""
    with running() as server:
        megabytes = server.metrics()['process_resident_memory_bytes{worker="0"}'] / 2**20
        maps = Path(f"/proc/{server.process.pid}/maps").read_text()
    assert 20 < megabytes < 86
    loaded = [name for name in ("cryptography", "numpy", "pyspiel", "_yaml") if name in maps]
    assert loaded == []
