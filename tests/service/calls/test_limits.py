"""Deadlines at the gRPC door, where a client would not show us what the service does."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any, cast

import grpc
import pytest
from google.protobuf.message import Message
from tablier.v1 import advisor_service_pb2 as advisor
from tablier.v1 import game_service_pb2 as pb
from tablier_core import codec
from tablier_core.registry import GAMES
from tablier_service.calls.advisor import AdvisorServicer
from tablier_service.calls.limits import CallLimit, read_timeout
from tablier_service.calls.pool import SearchPool
from tablier_service.calls.servicer import GameServicer
from tablier_service.calls.use_cases import UseCases
from tablier_service.observability.call_log import Observer
from tablier_service.observability.logs import configure_logs
from tablier_service.observability.metrics import Metrics
from tablier_service.security.authentication import Gate
from tablier_service.security.sealing import PlainTokens
from tablier_service.settings import Settings
from tablier_service.transports.grpc.server import make_handler


class Context:
    """What a handler asks of a call's context."""

    def __init__(self, seconds_left: float | None) -> None:
        self._seconds_left = seconds_left
        # What a call with many answers writes.
        self.written: list[bytes] = []

    def time_remaining(self) -> float | None:
        return self._seconds_left

    def invocation_metadata(self) -> tuple[()]:
        return ()

    async def write(self, answer: bytes) -> None:
        self.written.append(answer)

    async def abort(self, code: grpc.StatusCode, message: str, details: object) -> None:
        raise Aborted(code)


class Aborted(Exception):
    """How gRPC ends a handler that aborts."""


def ask(call: str, request: Message, seconds_left: float | None, worked: list[Any]) -> bytes:
    """Carry a call through the door's handler, and note what is worked on; its last answer."""
    settings = Settings()
    metrics = Metrics()
    engine = UseCases(GAMES, PlainTokens(GAMES))
    methods = (*GameServicer(engine).methods, *AdvisorServicer(engine, 600.0).methods)
    method = next(method for method in methods if method.descriptor.name == call)

    def work(request: Any) -> Any:
        worked.append(request)
        return method.handler(request)

    pool = SearchPool(1, 0)
    handle = make_handler(
        replace(method, handler=work),
        settings,
        Observer(configure_logs(settings), metrics),
        pool,
        CallLimit(1, metrics),
        Gate(metrics),
    )
    context = Context(seconds_left)
    answer = asyncio.run(cast("Any", handle(request.SerializeToString(), cast("Any", context))))
    pool.close()
    return context.written[-1] if method.streaming else answer


def get_game(seconds_left: float | None, worked: list[Any]) -> bytes:
    return ask("GetGame", pb.GetGameRequest(game="contrast"), seconds_left, worked)


def test_a_call_whose_deadline_has_passed_is_not_worked_on():
    worked: list[Any] = []
    with pytest.raises(Aborted) as end:
        get_game(0.0, worked)
    assert end.value.args == (grpc.StatusCode.DEADLINE_EXCEEDED,)
    assert worked == []


@pytest.mark.parametrize("seconds_left", [None, 1.0])
def test_a_call_with_time_left_is_worked_on(seconds_left):
    worked: list[Any] = []
    answer = get_game(seconds_left, worked)
    assert len(worked) == 1
    assert pb.GetGameResponse.FromString(answer).game.name == "contrast"


@pytest.mark.parametrize(
    ("call", "request_type", "answer_type"),
    [
        ("SuggestMoves", advisor.SuggestMovesRequest, advisor.SuggestMovesResponse),
        ("StreamAnalysis", advisor.StreamAnalysisRequest, advisor.StreamAnalysisResponse),
    ],
)
def test_a_search_ends_in_time_for_its_callers_deadline(
    call: str, request_type: Any, answer_type: Any
):
    position = GAMES["contigo-alignment"].start({"first": 0}, 7)
    request = request_type(state=codec.encode(position), budget=advisor.Budget(milliseconds=20_000))
    answer = answer_type.FromString(ask(call, request, 0.3, []))
    assert answer.iterations > 0
    assert answer.stopped == advisor.STOP_REASON_TIME
    # Generously: the machine may be busy.
    assert answer.milliseconds < 10_000


@pytest.mark.parametrize(
    ("header", "seconds"),
    [(b"2H", 7200), (b"3M", 180), (b"30S", 30), (b"250m", 0.25), (b"50u", 5e-5), (b"9n", 9e-9)],
)
def test_timeouts_are_read_in_every_unit(header, seconds):
    assert read_timeout(header) == pytest.approx(seconds)
