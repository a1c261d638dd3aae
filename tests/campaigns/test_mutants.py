"""`make mutants`: mutants are checked, a defect ends the run, and totals are added up."""

from __future__ import annotations

import random
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import grpc
import pytest
from google.rpc import code_pb2, status_pb2
from tablier.v1.game_service_pb2 import OperationResult
from tablier_service.security.sealing import SealedTokens

from campaigns import mutants
from campaigns.mutants import mutate, over_grpc, over_rest, refuse_internal, run, states, tokens
from campaigns.totals import Totals
from loadtests.requests import CALLS
from tests.live_server import LiveServer

SEARCHES = {"SuggestMoves", "StreamAnalysis", "SimulateGame", "PlaySeat"}


@pytest.fixture
def totals(tmp_path: Path) -> Totals:
    return Totals(tmp_path / "totals.json")


def test_mutants_differ_and_depend_on_the_number_alone() -> None:
    data = [bytes(range(50)), bytes(20)]
    found = [mutate(data[0], data, random.Random(number)) for number in range(200)]
    assert found == [mutate(data[0], data, random.Random(number)) for number in range(200)]
    assert len(set(found)) > 150


def test_goes_on_from_the_totals(tmp_path: Path, totals: Totals) -> None:
    seen: list[int] = []

    def checks() -> Iterator[mutants.Check]:
        yield seen.append

    run("kind", checks(), 1500, totals)
    again = Totals(tmp_path / "totals.json")
    assert again.counts == {"kind": 1500}
    run("kind", checks(), 1600, again)
    assert seen == list(range(1600))


def test_campaigns_add_to_the_same_totals(tmp_path: Path, totals: Totals) -> None:
    other = Totals(tmp_path / "totals.json")
    totals.add("states", 2)
    other.add("tokens", 3)
    totals.add("states", 2)
    assert totals.counts == Totals(tmp_path / "totals.json").counts == {"states": 4, "tokens": 3}


def test_mutated_states_and_tokens_do_no_harm(totals: Totals) -> None:
    name = "contigo-capture"
    run(name, states(name), 300, totals)
    run("tokens", tokens(), 3000, totals)
    assert totals.counts == {name: 300, "tokens": 3000}


def test_a_state_that_breaks_a_law_ends_the_run(
    totals: Totals, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise AssertionError("the bytes are not canonical")

    monkeypatch.setattr(mutants, "check_packed", broken)
    with pytest.raises(AssertionError, match="canonical"):
        run("any", states("contigo-capture"), 10, totals)
    assert totals.counts["any"] == 0


def test_a_token_that_opens_ends_the_run(totals: Totals, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SealedTokens, "open", lambda *_: None)
    with pytest.raises(AssertionError, match="was accepted"):
        run("any", tokens(), 10, totals)


def test_mutated_requests_do_no_harm(totals: Totals, live_server: LiveServer) -> None:
    # Searches that mutants ask for may take long.
    quick = [call for call in CALLS if call not in SEARCHES]
    run("gRPC", over_grpc(live_server.grpc_address, quick), 100, totals)
    run("Play", over_grpc(live_server.grpc_address, ["Play"]), 50, totals)
    run("REST", over_rest(live_server.rest_url), 100, totals)
    assert totals.counts == {"gRPC": 100, "Play": 50, "REST": 100}


class Fails(grpc.GenericRpcHandler):  # type: ignore[type-arg]
    """Answers every call with INTERNAL."""

    def service(self, _: object) -> grpc.RpcMethodHandler[bytes, bytes]:
        def handle(_: bytes, context: grpc.ServicerContext) -> bytes:
            context.abort(grpc.StatusCode.INTERNAL, "a bug")

        return grpc.unary_unary_rpc_method_handler(handle)


@contextmanager
def failing_server() -> Iterator[str]:
    server = grpc.server(ThreadPoolExecutor(1), [Fails()])
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    try:
        yield f"127.0.0.1:{port}"
    finally:
        server.stop(None).wait()


@pytest.mark.parametrize("call", CALLS)
def test_an_internal_error_ends_the_run(totals: Totals, call: str) -> None:
    with failing_server() as address, pytest.raises(AssertionError, match="INTERNAL"):
        run("gRPC", over_grpc(address, [call]), 10, totals)


def test_an_internal_error_of_an_operation_is_one() -> None:
    results = [
        OperationResult(id=1),
        OperationResult(id=2, error=status_pb2.Status(code=code_pb2.INTERNAL)),
    ]
    refuse_internal(results[:1], "fine")
    with pytest.raises(AssertionError, match="mutant 5"):
        refuse_internal(results, "mutant 5")


class Broken(BaseHTTPRequestHandler):
    """Answers every request with 500."""

    def do_POST(self) -> None:
        self.send_error(500)

    def log_message(self, *_: object) -> None:
        """Keep silent."""


def test_a_500_over_rest_ends_the_run(totals: Totals) -> None:
    with HTTPServer(("127.0.0.1", 0), Broken) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        with pytest.raises(AssertionError, match="mutant 0"):
            run("REST", over_rest(f"http://127.0.0.1:{server.server_port}"), 10, totals)
        server.shutdown()
