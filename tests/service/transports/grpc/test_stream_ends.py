"""How a call with many answers ends over gRPC: with OK, or with a status that says what failed.

tests/service/transports/http/test_events.py tests the same over HTTP.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
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
from tablier_service.errors import Overloaded
from tablier_service.observability.metrics import code_name
from tablier_service.service import Service
from tablier_service.transports.grpc.server import make_server

from tests.service.assembly import Assemble, CallCounts, with_handlers

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


Outcome = tuple[list[int], grpc.StatusCode, status_pb2.Status]


def ask(service: Service) -> Outcome:
    """The iterations of the answers, the code, and the status of a call."""

    async def main() -> Outcome:
        server = make_server(service)
        await server.start()
        seen: list[int] = []
        status = status_pb2.Status()
        try:
            async with aio.insecure_channel(f"127.0.0.1:{server.port}") as channel:
                stub: Any = AdvisorServiceStub(channel)
                call = stub.StreamAnalysis(REQUEST)
                try:
                    while (answer := await call.read()) is not cast("Any", aio).EOF:
                        seen.append(answer.iterations)
                except aio.AioRpcError as error:
                    found = rpc_status.from_call(cast("Any", error))
                    assert found is not None
                    status.CopyFrom(found)
                return seen, await call.code(), status
        finally:
            await server.stop(0)

    return asyncio.run(main())


def test_a_stream_that_succeeds_ends_with_ok(assemble: Assemble):
    service = assemble()
    seen, code, _ = ask(service)
    assert seen[-1] == 50
    assert code == grpc.StatusCode.OK
    assert CallCounts(service, "StreamAnalysis").by_code() == {"OK": 1}


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
    assemble: Assemble,
    after: int,
    error: TablierError | RuntimeError,
    code: grpc.StatusCode,
    reason: str,
):
    search = failing(error, after=after)
    service, switch_on = with_handlers(assemble(), StreamAnalysis=lambda _: search)
    switch_on()
    seen, ended, status = ask(service)
    assert seen == list(range(1, after + 1))
    assert ended == code
    assert CallCounts(service, "StreamAnalysis").by_code() == {code_name(code.value[0]): 1}
    assert status.code == code.value[0]
    info = error_details_pb2.ErrorInfo()
    assert status.details[0].Unpack(info)
    assert (info.reason, info.domain) == (reason, "tablier")
    assert "secret" not in status.message
