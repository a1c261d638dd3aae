"""Answers that clients do not read: they are limited, given up in time, and block nobody."""

from __future__ import annotations

import asyncio
from contextlib import suppress

import pytest
from grpc import aio
from grpc_health.v1 import health_pb2
from grpc_reflection.v1alpha import reflection_pb2
from tablier.v1 import game_service_pb2 as pb
from tablier_service.calls.memory import Memory
from tablier_service.transports.grpc import unsent

from tests.http2 import Connection, connected, message
from tests.service.assembly import Assemble, CallCounts
from tests.service.transports.grpc.direct import (
    BATCH,
    GET_GAME,
    HEALTH,
    REFLECTION,
    run,
    running,
)

GAME = pb.GetGameRequest(game="contract")
# Takes longer than a slice, and has an answer of more than 2 MiB.
LONG = pb.BatchRequest(operations=[pb.Operation(get_game=GAME)] * 600)
SYMBOL = reflection_pb2.ServerReflectionRequest(file_containing_symbol="tablier.v1.GameService")
REQUESTS = {
    GET_GAME: GAME.SerializeToString(),
    BATCH: LONG.SerializeToString(),
    HEALTH + "Check": health_pb2.HealthCheckRequest().SerializeToString(),
    HEALTH + "Watch": health_pb2.HealthCheckRequest().SerializeToString(),
    REFLECTION: SYMBOL.SerializeToString(),
}


async def call(connection: Connection, path: str) -> None:
    stream = connection.call(path)
    await connection.send(stream, message(REQUESTS[path]), end=True)


@pytest.mark.parametrize("path", REQUESTS)
def test_a_call_whose_answer_is_not_read_ends(assemble: Assemble, path: str) -> None:
    async def test() -> None:
        async with (
            running(assemble, slow_reader_seconds=0.3) as server,
            connected(server.address, window=0) as unread,
        ):
            for _ in range(3):
                await call(unread, path)
            await server.until(lambda: len(unread.ended) == 3)
            assert min(unread.ended[each] - unread.opened[each] for each in unread.ended) >= 0.3
            await server.until(lambda: server.service.buffer_limit.total == 0)
            await server.serves()

    run(test)


def test_unread_answers_of_one_address_are_limited(
    assemble: Assemble, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A quarter of the limit; others are answered all the time."""
    monkeypatch.setattr(unsent, "PROMPT_BYTES", 0)
    limit = 256 * unsent.CALL_BYTES
    size = len(assemble().method("GetGame").ask(GAME).SerializeToString())

    async def test() -> None:
        async with (
            running(assemble, max_buffered_bytes=limit) as server,
            connected(server.address, "127.0.0.2", window=0) as unread,
        ):
            for _ in range(80):
                await call(unread, GET_GAME)
            calls = CallCounts(server.service, "GetGame")
            await server.until(lambda: calls.handled() == 80)
            held = limit // 4 // (unsent.CALL_BYTES + size)
            await server.until(lambda: len(unread.ended) == 80 - held)
            assert server.service.buffer_limit.total <= limit // 4
            assert server.overloaded() == 80 - held
            for _ in range(20):
                await server.serves()

    run(test)


def test_large_answers_that_waited_count_at_once(assemble: Assemble) -> None:
    async def test() -> None:
        async with (
            running(assemble, max_buffered_bytes=16 * 2**20) as server,
            connected(server.address, window=0) as unread,
        ):
            for _ in range(20):
                await call(unread, BATCH)
            await server.until(lambda: server.overloaded() > 0 and len(unread.ended) >= 15)
            assert 0 < server.service.buffer_limit.total <= 8 * 2**20
            await server.serves()

    run(test)


def test_answers_that_are_read_leave_nothing_behind(assemble: Assemble) -> None:
    async def test() -> None:
        async with running(assemble) as server:
            await asyncio.gather(*(server.serves() for _ in range(50)))
            batch = server.channel.unary_unary(BATCH)
            assert len(await batch(REQUESTS[BATCH])) > 2**20
            waiting = server.server._unsent
            await server.until(lambda: not (waiting._new or waiting._seen or waiting._counted))
            # The client may have the answer before the service knows.
            await server.until(lambda: server.service.buffer_limit.total == 0)
            assert waiting._bytes == 0

    run(test)


@pytest.mark.parametrize("path", [BATCH, GET_GAME])
def test_memory_of_large_calls_is_returned(
    assemble: Assemble, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    """Of calls that waited, and of large requests, even if they fail."""
    released: list[None] = []
    monkeypatch.setattr(Memory, "release", lambda _: released.append(None))

    async def test() -> None:
        async with running(assemble) as server:
            server.service.memory.freed = False
            request = REQUESTS[path] if path == BATCH else bytes(65 * 1024)
            with suppress(aio.AioRpcError):
                await server.channel.unary_unary(path)(request)
            await server.until(lambda: bool(released))

    run(test)
