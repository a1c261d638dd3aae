"""Calls share the service: how they count for their callers, and end when their callers hold it up.

These tests drive the lifecycle of calls without a transport.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Mapping
from typing import Any

from google.protobuf.message import Message
from google.rpc import code_pb2, error_details_pb2
from tablier.v1 import advisor_service_pb2 as advisor
from tablier.v1 import game_service_pb2 as pb
from tablier_core.advice import Cancel
from tablier_service.calls.methods import Answer, wire_of
from tablier_service.calls.slices import Work
from tablier_service.calls.streams import Readers
from tablier_service.errors import InvalidField
from tablier_service.lifecycle import Call, Endpoint
from tablier_service.security.callers import Caller, Role
from tablier_service.security.quotas import Allowance, Quotas
from tablier_service.service import Service

from tests.service.assembly import Assemble, with_handlers

END = object()
SECONDS = 60


class PlainCall(Call):
    """A call whose transport does nothing."""

    transport = "plain"
    transport_seconds = 0.25

    def __init__(
        self, service: Service, method: str, peer: str = "host:1", caller: Caller | None = None
    ) -> None:
        super().__init__(Endpoint(service, service.method(method)))
        self.peer = peer
        self.identified = caller
        self.left: float | None = None

    def identify(self) -> Caller:
        assert self.identified is not None
        return self.identified

    def check_certificate(self) -> None:
        """No certificates here."""

    def connection(self) -> str:
        return self.peer

    def time_left(self) -> float | None:
        return self.left

    def request_id(self) -> str:
        return "id"

    def accepted_languages(self) -> str:
        return ""

    def trace_carrier(self) -> Mapping[str, str]:
        return {}

    def trace_status(self, code: int) -> tuple[str, int, bool]:
        return "", code, False

    def parse(self, data: bytes) -> Message:
        if data == b"invalid":
            raise InvalidField("", "is not a message")
        return self.endpoint.method.request_type.FromString(data)

    def encode(self, answer: Answer) -> bytes:
        return wire_of(answer)


def reason_of(call: Call) -> str:
    """Why a call has failed."""
    info = error_details_pb2.ErrorInfo()
    assert call.status is not None
    assert call.status.details[0].Unpack(info)
    return info.reason


def run(test: Callable[[], Awaitable[None]]) -> None:
    async def main() -> None:
        await asyncio.wait_for(test(), SECONDS)

    asyncio.run(main())


async def never(*_: object) -> Any:
    await asyncio.get_running_loop().create_future()


def report_twice(cancel: Cancel) -> Iterator[Message]:
    yield advisor.StreamAnalysisResponse(iterations=1)
    yield advisor.StreamAnalysisResponse(iterations=2)


def analysing(assemble: Assemble, **settings: Any) -> Service:
    """A service whose analyses report twice at once, with one slot and no queue."""
    service, switch_on = with_handlers(
        assemble(search_slots=1, search_queue=0, **settings),
        StreamAnalysis=lambda _: report_twice,
        SuggestMoves=lambda _: lambda cancel: advisor.SuggestMovesResponse(iterations=1),
    )
    switch_on()
    return service


def test_unread_analyses_do_not_hold_up_the_searches_of_others(assemble: Assemble) -> None:
    service = analysing(assemble)

    async def test() -> None:
        unread = []
        for _ in range(70):
            call = PlainCall(service, "StreamAnalysis")
            call.start(b"")
            unread.append(asyncio.ensure_future(call.stream(never)))
        await asyncio.sleep(0.05)
        # It may wait for the search of a stream, so it tries again when it is told to.
        for _ in range(100):
            other = PlainCall(service, "SuggestMoves", "host:2")
            other.start(b"")
            if await other.finish() is not None:
                break
            assert reason_of(other) == "OVERLOADED"
            await asyncio.sleep(0.05)
        else:
            raise AssertionError("every search was rejected")
        for task in unread:
            task.cancel()
        await asyncio.wait(unread)

    run(test)


def test_an_analysis_ends_if_its_caller_does_not_read(assemble: Assemble) -> None:
    service = analysing(assemble, slow_reader_seconds=0.05)

    async def test() -> None:
        call = PlainCall(service, "StreamAnalysis")
        call.start(b"")
        await call.stream(never)
        assert reason_of(call) == "SLOW_READER"
        assert call.status is not None
        assert "0.05 seconds" in call.status.message

    run(test)


def test_an_idle_stream_of_requests_ends(assemble: Assemble) -> None:
    service = assemble(max_stream_idle_seconds=0.05)

    async def test() -> None:
        call = PlainCall(service, "Play")
        await call.converse(never, END, never, Readers())
        assert reason_of(call) == "STREAM_IDLE"
        assert call.status is not None
        # Clients open another stream for this code.
        assert call.status.code == code_pb2.UNAVAILABLE

    run(test)


def test_a_stream_of_requests_ends_if_its_caller_does_not_read(assemble: Assemble) -> None:
    service = assemble(slow_reader_seconds=0.05)
    operation = pb.Operation(get_game=pb.GetGameRequest(game="contrast"))
    messages = [pb.PlayRequest(operations=[operation]).SerializeToString()]

    async def read() -> Any:
        return messages.pop() if messages else await never()

    async def test() -> None:
        call = PlainCall(service, "Play")
        reads = 0

        async def later() -> Any:
            # The first step of a read must wait.
            nonlocal reads
            reads += 1
            await asyncio.sleep(0)
            return await read()

        await call.converse(later, END, never, Readers())
        assert reason_of(call) == "SLOW_READER"
        assert reads == 2

    run(test)


def test_counts_for_the_caller_or_for_the_connection_and_its_address(service: Service) -> None:
    call = PlainCall(service, "GetGame", "ipv4:127.0.0.1:5001")
    assert (call.account, call.address) == ("ipv4:127.0.0.1:5001", "ipv4:127.0.0.1")
    call.caller = caller_with([])
    assert (call.account, call.address) == ("lobby", "")
    call.cancel()


def caller_with(billed: list[float]) -> Caller:
    """A caller whose bills are noted."""
    return Caller("lobby", frozenset(Role), Quotas(Allowance(), meter=billed.append))


def authenticating(assemble: Assemble, **handlers: Callable[[Any], Any]) -> Service:
    service, switch_on = with_handlers(assemble(), **handlers)
    switch_on()
    service.authentication.required = True
    return service


def test_bills_a_call_that_is_cancelled_before_it_begins(assemble: Assemble) -> None:
    billed: list[float] = []
    service = authenticating(assemble)
    call = PlainCall(service, "GetGame", caller=caller_with(billed))
    assert call.admit()
    call.cancel()
    assert billed == [PlainCall.transport_seconds]


def test_bills_a_call_once_for_its_transport(assemble: Assemble) -> None:
    def work(_: object) -> Work[bytes]:
        for _ in range(3):
            spin(0.002)
            yield
        return b""

    service = authenticating(
        assemble,
        RenderState=work,
        SuggestMoves=lambda _: lambda cancel: advisor.SuggestMovesResponse(),
        StreamAnalysis=lambda _: report_twice,
    )

    async def drop(_: object) -> None: ...

    async def test() -> None:
        billed: list[float] = []
        for name in ("GetGame", "RenderState", "SuggestMoves", "StreamAnalysis"):
            for data in (b"", b"invalid"):
                billed.clear()
                call = PlainCall(service, name, caller=caller_with(billed))
                call.start(data)
                if call.waits and name == "StreamAnalysis":
                    await call.stream(drop)
                elif call.waits:
                    await call.finish()
                assert 0.25 < sum(billed) < 0.5, name

    run(test)


def spin(seconds: float) -> None:
    end = asyncio.get_running_loop().time() + seconds
    while asyncio.get_running_loop().time() < end:
        pass


def test_bills_the_parsing_of_a_message_that_fails(assemble: Assemble) -> None:
    billed: list[float] = []
    service = authenticating(assemble)

    async def read() -> bytes:
        await asyncio.sleep(0)
        return b"invalid"

    async def test() -> None:
        call = PlainCall(service, "Play", caller=caller_with(billed))
        await call.converse(read, END, never, Readers())
        assert reason_of(call) == "INVALID_FIELD"

    run(test)
    # The message, and the transport of the stream.
    assert len(billed) == 2
    assert billed[1] == PlainCall.transport_seconds


def test_bills_long_operations_of_a_stream_that_ends(assemble: Assemble) -> None:
    billed: list[float] = []

    def endless(_: object) -> Work[bytes]:
        while True:
            spin(0.002)
            yield

    service = authenticating(assemble, Play=endless)
    messages = [pb.PlayRequest().SerializeToString()]

    async def read() -> Any:
        await asyncio.sleep(0)
        return messages.pop() if messages else await never()

    async def test() -> None:
        call = PlainCall(service, "Play", caller=caller_with(billed))
        talking = asyncio.ensure_future(call.converse(read, END, never, Readers()))
        # The first slice, and two more.
        while len(billed) < 3:
            await asyncio.sleep(0.001)
        talking.cancel()
        await asyncio.wait([talking])

    run(test)
    assert billed[-1] == PlainCall.transport_seconds
    assert all(seconds > 0 for seconds in billed)
