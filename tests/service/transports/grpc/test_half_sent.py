"""Calls that are sent only in part, by clients that no gRPC library would be.

They hold little memory, not for long, and keep nobody else from being served.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any, cast

import grpc
import pytest
from grpc import aio
from grpc_reflection.v1alpha import reflection_pb2
from grpc_status import rpc_status
from tablier.v1 import game_service_pb2 as pb
from tablier_service.transports.grpc import arrivals

from tests.http2 import connected, send_parts
from tests.service.assembly import Assemble, CallCounts
from tests.service.transports.grpc.direct import (
    BATCH,
    GET_GAME,
    HEALTH,
    PLAY,
    REFLECTION,
    run,
    running,
    write_callers,
)


def test_accepts_little_of_messages_that_are_not_complete(assemble: Assemble) -> None:
    async def test() -> None:
        async with running(assemble) as server:
            async with connected(server.address) as connection:
                sent = await send_parts(connection, BATCH, 24, 4 * 2**20)
                await server.serves()
            # Four messages, and the beginnings of the others; all together have 96 MiB.
            assert 16 * 2**20 <= sent + 24 < 17 * 2**20

    run(test)


def test_accepts_nothing_of_a_call_without_credentials(assemble: Assemble, tmp_path: Path) -> None:
    async def test() -> None:
        async with running(assemble, callers_file=write_callers(tmp_path)) as server:
            async with connected(server.address) as connection:
                await connection.wait(connection.call(BATCH))
                await server.serves()
            counts = CallCounts(server.service, "Batch")
            assert counts.by_code() == {"Unauthenticated": 1}

    run(test)


async def code_and_reason(call: Any) -> tuple[grpc.StatusCode, str]:
    """The code of a call that fails, and its message."""
    try:
        async for _ in call:
            pass
    except aio.AioRpcError as error:
        status = rpc_status.from_call(cast("Any", error))
        return error.code(), status.message if status else ""
    return grpc.StatusCode.OK, ""


@pytest.mark.parametrize("path", [GET_GAME, BATCH, HEALTH + "Check", HEALTH + "Watch", REFLECTION])
def test_ends_a_call_whose_message_does_not_come(assemble: Assemble, path: str) -> None:
    async def test() -> None:
        async with running(assemble, message_seconds=0.2) as server:
            call = server.channel.stream_stream(path)()
            # It sends nothing, but leaves the call open.
            code, message = await code_and_reason(call)
            assert code is grpc.StatusCode.DEADLINE_EXCEEDED
            assert "0.2 seconds" in message
            await server.serves()
            counts = CallCounts(server.service, "Batch")
            assert counts.started == counts.handled()

    run(test)


def test_a_stream_without_a_first_message_ends(assemble: Assemble) -> None:
    async def test() -> None:
        async with running(assemble, message_seconds=0.2) as server:
            code, message = await code_and_reason(server.channel.stream_stream(PLAY)())
            assert (code, "0.2 seconds" in message) == (grpc.StatusCode.UNAVAILABLE, True)
            # Later messages may take longer.
            stream = server.channel.stream_stream(PLAY)()
            assert await begin(stream, OPERATION.SerializeToString())
            await asyncio.sleep(0.4)
            assert await begin(stream, OPERATION.SerializeToString())

    run(test)


@pytest.mark.parametrize("path", [HEALTH + "Check", HEALTH + "Watch", REFLECTION])
def test_anonymous_messages_have_a_small_share(
    assemble: Assemble, tmp_path: Path, path: str
) -> None:
    """Next to callers, whose share they cannot touch."""

    async def test() -> None:
        async with (
            running(assemble, callers_file=write_callers(tmp_path)) as server,
            AsyncExitStack() as stack,
        ):
            connections = [
                await stack.enter_async_context(connected(server.address)) for _ in range(18)
            ]
            sent = await asyncio.gather(
                *(send_parts(connection, path, 4, 4 * 2**20) for connection in connections)
            )
            await server.serves()
            anonymous = server.server._anonymous
            assert anonymous is not None
            held = anonymous._asked
            assert (len(held) <= 4, len(server.server._arrivals._since)) == (True, 0)
            # Beginnings of 72 messages, and those that had their turn for a moment.
            assert sum(sent) < 18 * 4 * 4 * 2**20

    run(test)


def test_a_connection_that_made_room_waits_with_its_next_health_check(
    assemble: Assemble, tmp_path: Path
) -> None:
    """Otherwise it would always be the newest, and come before others that wait."""

    async def test() -> None:
        limits = {"max_anonymous_messages": 1, "message_seconds": 1.0}
        callers = write_callers(tmp_path)
        async with (
            running(assemble, callers_file=callers, **limits) as server,
            connected(server.address) as first,
            connected(server.address) as second,
        ):
            anonymous = server.server._anonymous
            assert anonymous is not None
            path = HEALTH + "Check"
            late = first.call(path)
            await server.until(lambda: bool(anonymous._since))
            second.call(path)
            await asyncio.wait_for(first.wait(late), 60)
            # This one is complete, and still rejected, while the room is not full.
            again = first.call(path, end=True)
            await asyncio.wait_for(first.wait(again), 60)
            assert anonymous._slow
            await server.serves()
            await server.until(lambda: not anonymous._slow)

    run(test)


def test_rejects_calls_of_a_connection_whose_messages_are_late(
    assemble: Assemble, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(arrivals, "LATE_SECONDS", 0.0)

    async def test() -> None:
        async with running(assemble, max_calls_per_caller=5) as server:
            async with connected(server.address) as connection:
                for _ in range(20):
                    connection.call(GET_GAME)
                await server.until(lambda: len(connection.ended) == 15)
                await server.serves()
            assert server.overloaded() == 15
            counts = CallCounts(server.service, "GetGame")
            await server.until(lambda: counts.started == counts.handled())
            assert counts.by_code() == {"ResourceExhausted": 15, "Cancelled": 5, "OK": 1}

    run(test)


def test_half_open_calls_on_many_connections_make_room_for_others(assemble: Assemble) -> None:
    """Each has the first message of its connection, and together they have all of the room."""

    async def test() -> None:
        async with (
            running(assemble, max_awaited_messages=4, max_calls=4) as server,
            AsyncExitStack() as stack,
        ):
            for _ in range(12):
                connection = await stack.enter_async_context(connected(server.address))
                connection.call(GET_GAME)
            for _ in range(5):
                await server.serves()

    run(test)


def test_a_call_that_makes_room_is_not_asked_for_its_message(assemble: Assemble) -> None:
    """Its place would never be given back, and in the end nobody would have one."""

    async def test() -> None:
        limits = {"max_calls": 30, "max_awaited_messages_per_caller": 1}
        async with running(assemble, **limits) as server, AsyncExitStack() as stack:
            awaited = server.server._arrivals

            def have_come(calls: int) -> Callable[[], bool]:
                return lambda: len(awaited._since) == calls

            for number in range(1, 7):
                connection = await stack.enter_async_context(connected(server.address))
                for _ in range(5):
                    connection.call(GET_GAME)
                await server.until(have_come(5 * number))
            # The calls of the first connection make room. It has no turn after the third.
            for _ in range(4):
                connection.call(GET_GAME)
            await server.until(lambda: server.overloaded() == 4)
            assert awaited._asked.keys() <= awaited._since.keys()

    run(test)


def test_serves_many_calls_at_once_on_one_connection(assemble: Assemble) -> None:
    """More than the number of messages that are received at the same time."""

    async def test() -> None:
        async with running(
            assemble, max_awaited_messages=2, max_awaited_messages_per_caller=1
        ) as server:
            await asyncio.gather(*(server.serves() for _ in range(100)))
            assert server.overloaded() == 0

    run(test)


async def begin(call: Any, request: bytes) -> bool:
    """Whether a stream is accepted: it answers, and does not fail."""
    try:
        await call.write(request)
        return await call.read() is not aio.EOF  # type: ignore[attr-defined]
    except (aio.AioRpcError, asyncio.InvalidStateError):
        return False


OPERATION = pb.PlayRequest(operations=[pb.Operation(get_game=pb.GetGameRequest(game="contrast"))])
LIST = reflection_pb2.ServerReflectionRequest(list_services="")


@pytest.mark.parametrize(
    ("path", "request_", "limits"),
    [
        (PLAY, OPERATION.SerializeToString(), {"max_streams_per_caller": 3}),
        (PLAY, OPERATION.SerializeToString(), {"max_streams_per_address": 3}),
        (HEALTH + "Watch", b"", {"max_watches_per_connection": 3}),
        (HEALTH + "Watch", b"", {"max_watches_per_address": 3}),
        (REFLECTION, LIST.SerializeToString(), {"max_reflections": 6}),
    ],
)
def test_limits_the_streams_of_a_connection_and_an_address(
    assemble: Assemble, path: str, request_: bytes, limits: dict[str, int]
) -> None:
    async def test() -> None:
        async with running(assemble, **limits) as server:
            calls, accepted = [], []
            for _ in range(10):
                calls.append(server.channel.stream_stream(path)())
                accepted.append(await begin(calls[-1], request_))
            assert accepted == [True] * 3 + [False] * 7
            await server.serves()
            assert server.overloaded() == 7
            for call in calls:
                call.cancel()
            # The places are free again.
            while not await begin(server.channel.stream_stream(path)(), request_):
                await asyncio.sleep(0.01)

    run(test)
