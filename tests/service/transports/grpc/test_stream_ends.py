"""How a call with many answers ends over gRPC: with OK, or with a status that says what was wrong.

That over REST the same status is the last event, tests/service/rest/test_events.py sees.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, cast

import grpc
import pytest
from google.rpc import error_details_pb2, status_pb2
from grpc import aio
from grpc_status import rpc_status
from tablier.v1 import advisor_service_pb2 as pb
from tablier.v1.advisor_service_pb2_grpc import AdvisorServiceStub
from tablier_core import codec
from tablier_core.advice import Cancel
from tablier_core.errors import TablierError
from tablier_core.registry import GAMES
from tablier_service.calls.advisor import AdvisorServicer
from tablier_service.calls.limits import CallLimit
from tablier_service.calls.pool import SearchPool
from tablier_service.calls.use_cases import UseCases
from tablier_service.errors import Overloaded
from tablier_service.observability.call_log import Observer
from tablier_service.observability.logs import configure_logs
from tablier_service.observability.metrics import Metrics, code_name
from tablier_service.security.sealing import PlainTokens
from tablier_service.settings import Settings
from tablier_service.transports.grpc.server import GrpcDoor

SETTINGS = Settings(grpc_port=0, log_level="error")
REQUEST = pb.StreamAnalysisRequest(
    state=codec.encode(GAMES["contigo-alignment"].start({"first": 0}, 7)),
    budget=pb.Budget(iterations=50),
)
Search = Callable[[Cancel], Iterator[Any]]


def failing(error: Exception, *, after: int) -> Search:
    """A search that fails after some answers."""

    def search(cancel: Cancel) -> Iterator[Any]:
        for number in range(after):
            yield pb.StreamAnalysisResponse(iterations=number + 1)
        raise error

    return search


def ask(search: Search | None) -> tuple[list[int], grpc.StatusCode, status_pb2.Status, float]:
    """The iterations of the answers, how the call ended, its status, and how often so counted."""

    async def main() -> tuple[list[int], grpc.StatusCode, status_pb2.Status, float]:
        metrics = Metrics()
        observer = Observer(configure_logs(SETTINGS), metrics)
        advisor = AdvisorServicer(UseCases(GAMES, PlainTokens(GAMES)), 60.0)
        methods = [
            replace(each, handler=lambda _: search) if search and each.streaming else each
            for each in advisor.methods
        ]
        pool = SearchPool(1, 0)
        door = GrpcDoor(methods, SETTINGS, observer, pool, CallLimit(4, metrics))
        await door.start()
        seen: list[int] = []
        status = status_pb2.Status()
        try:
            async with aio.insecure_channel(f"127.0.0.1:{door.port}") as channel:
                stub: Any = AdvisorServiceStub(channel)
                call = stub.StreamAnalysis(REQUEST)
                try:
                    while (answer := await call.read()) is not cast("Any", aio).EOF:
                        seen.append(answer.iterations)
                except aio.AioRpcError as error:
                    told = rpc_status.from_call(cast("Any", error))
                    assert told is not None
                    status.CopyFrom(told)
                code = await call.code()
        finally:
            await door.stop(0)
            pool.close()
        name = code_name(code.value[0])
        labels = ("server_stream", "tablier.v1.AdvisorService", "StreamAnalysis", name)
        return seen, code, status, metrics.total(metrics.value(metrics.handled, *labels))

    return asyncio.run(main())


def test_a_stream_that_goes_well_ends_with_ok():
    seen, code, _, counted = ask(None)
    assert seen[-1] == 50
    assert (code, counted) == (grpc.StatusCode.OK, 1)


@pytest.mark.parametrize("after", [0, 2])
@pytest.mark.parametrize(
    ("error", "code", "reason"),
    [
        (RuntimeError("a secret"), grpc.StatusCode.INTERNAL, "INTERNAL"),
        (
            Overloaded("", "no room", retry_seconds=2.0),
            grpc.StatusCode.RESOURCE_EXHAUSTED,
            "OVERLOADED",
        ),
    ],
)
def test_a_stream_that_fails_ends_with_a_typed_status(
    after: int, error: TablierError | RuntimeError, code: grpc.StatusCode, reason: str
):
    seen, ended, status, counted = ask(failing(error, after=after))
    assert seen == list(range(1, after + 1))
    assert (ended, counted) == (code, 1)
    assert status.code == code.value[0]
    info = error_details_pb2.ErrorInfo()
    assert status.details[0].Unpack(info)
    assert (info.reason, info.domain) == (reason, "tablier")
    assert "secret" not in status.message
