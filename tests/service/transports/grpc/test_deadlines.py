"""Deadlines over gRPC, observed on the server, where a client would hide what happens."""

from __future__ import annotations

import asyncio
from typing import Any

import grpc
import pytest
from google.protobuf.message import Message
from grpc import aio
from tablier.v1 import advisor_service_pb2 as advisor
from tablier.v1 import game_service_pb2 as pb
from tablier_core import codec
from tablier_core.registry import GAMES
from tablier_service.lifecycle import Endpoint
from tablier_service.transports.grpc.asyncio_call import streaming_handler, unary_handler
from tablier_service.transports.http.request import read_timeout

from tests.service.assembly import Assemble, with_handlers
from tests.service.transports.grpc.contexts import Context


class Server:
    """Serves one call at a time, and notes which requests reach their handler."""

    def __init__(self, assemble: Assemble, method: str) -> None:
        original = assemble(max_search_seconds=600)
        self.handled: list[Any] = []

        def handle(request: Any) -> Any:
            self.handled.append(request)
            return original.method(method).handler(request)

        service, switch_on = with_handlers(original, **{method: handle})
        switch_on()
        self._method = service.method(method)
        make = streaming_handler if self._method.streaming else unary_handler
        self._handler: Any = make(Endpoint(service, self._method))

    def call(self, request: Message, context: Context) -> bytes:
        """Serve a call; returns its last answer."""
        answer: bytes = asyncio.run(self._handler(request.SerializeToString(), context))
        return context.written[-1] if self._method.streaming else answer


GET_GAME = pb.GetGameRequest(game="contrast")


def test_does_not_handle_a_call_after_its_deadline(assemble: Assemble):
    server, context = Server(assemble, "GetGame"), Context(0.0)
    with pytest.raises(aio.AbortError):
        server.call(GET_GAME, context)
    assert context.code is grpc.StatusCode.DEADLINE_EXCEEDED
    assert server.handled == []


@pytest.mark.parametrize("seconds_left", [None, 1.0])
def test_handles_a_call_before_its_deadline(assemble: Assemble, seconds_left: float | None):
    server = Server(assemble, "GetGame")
    answer = server.call(GET_GAME, Context(seconds_left))
    assert server.handled == [GET_GAME]
    assert pb.GetGameResponse.FromString(answer).game.name == "contrast"


@pytest.mark.parametrize(
    ("call", "request_type", "answer_type"),
    [
        ("SuggestMoves", advisor.SuggestMovesRequest, advisor.SuggestMovesResponse),
        ("StreamAnalysis", advisor.StreamAnalysisRequest, advisor.StreamAnalysisResponse),
    ],
)
def test_a_search_ends_before_its_deadline(
    assemble: Assemble, call: str, request_type: Any, answer_type: Any
):
    position = GAMES["contigo-alignment"].start({"first": 0}, 7)
    request = request_type(state=codec.encode(position), budget=advisor.Budget(milliseconds=20_000))
    answer = answer_type.FromString(Server(assemble, call).call(request, Context(0.3)))
    assert answer.iterations > 0
    assert answer.stopped == advisor.STOP_REASON_TIME
    # A generous limit, because the machine may be busy.
    assert answer.milliseconds < 10_000


@pytest.mark.parametrize(
    ("header", "seconds"),
    [(b"2H", 7200), (b"3M", 180), (b"30S", 30), (b"250m", 0.25), (b"50u", 5e-5), (b"9n", 9e-9)],
)
def test_reads_timeouts_in_every_unit(header: bytes, seconds: float):
    assert read_timeout(header) == pytest.approx(seconds)
