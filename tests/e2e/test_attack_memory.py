"""The memory of a worker under attack, which stays within bounds and is returned.

`make attacks` measures what other callers notice of the same attacks.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from hashlib import sha256
from pathlib import Path
from typing import Any, cast

import grpc
import pytest
from tablier.v1 import game_service_pb2 as pb
from tablier.v1.game_service_pb2_grpc import GameServiceStub
from tablier_core.registry import GAMES
from tablier_service.observability.processes import usage_of

from tests.http2 import Connection, connected, message
from tests.live_server import TIMEOUT_SECONDS, LiveServer, open_stream, running, wait_until

MEGABYTE = 2**20
# What a worker may have at most, and what may remain of an attack.
MOST, REMAINING = 160, 24
GAME_SERVICE = "/tablier.v1.GameService/"
PART = message(bytes(4 * MEGABYTE))[:-1]


def megabytes(server: LiveServer) -> float:
    usage = usage_of(server.process.pid)
    assert usage is not None
    return usage.resident_bytes / MEGABYTE


def stays_small(server: LiveServer, attack: Callable[[], Awaitable[None]]) -> None:
    """Attack, and watch the memory of the server meanwhile and afterwards."""
    before = megabytes(server)
    most = 0.0

    async def watch() -> None:
        nonlocal most
        while True:
            most = max(most, megabytes(server))
            await asyncio.sleep(0.01)

    async def both() -> None:
        watching = asyncio.ensure_future(watch())
        await attack()
        watching.cancel()

    asyncio.run(asyncio.wait_for(both(), TIMEOUT_SECONDS))
    assert most < MOST
    wait_until(lambda: megabytes(server) < before + REMAINING, "the memory is returned")


def test_unread_answers_hold_little_memory(tmp_path: Path) -> None:
    """Each call has an answer of megabytes; together, they have a gigabyte."""
    one = pb.Operation(get_game=pb.GetGameRequest(game="contract"))
    data = message(pb.BatchRequest(operations=[one] * 600).SerializeToString())
    with running(tmp_path / "log", grpc_server="direct") as server:

        async def attack() -> None:
            async with connected(server.grpc_address, window=0) as connection:
                for _ in range(256):
                    stream = connection.call(f"{GAME_SERVICE}Batch")
                    await connection.send(stream, data, end=True)
                while len(connection.ended) < 250:
                    await asyncio.sleep(0.01)

        stays_small(server, attack)


def long_game() -> pb.ReplayGameRequest:
    """The replay of a game with thousands of moves."""
    request = pb.ReplayGameRequest(game="contrat500", seed=1, include_steps=True)
    position, choice = GAMES["contrat500"].start({}, 1), random.Random(1)
    while not position.over and len(request.moves) < 9000:
        seat = position.actors[0]
        action = choice.choice(position.moves(seat))
        request.moves.add(seat=seat, action=action)
        position = position.apply(seat, action)
    return request


def test_long_calls_of_one_caller_take_turns(tmp_path: Path) -> None:
    request = long_game()
    with (
        running(tmp_path / "log", grpc_server="direct") as server,
        grpc.insecure_channel(server.grpc_address) as channel,
    ):
        replay = GameServiceStub(channel).ReplayGame

        async def attack() -> None:
            calls = [replay.future(request, timeout=TIMEOUT_SECONDS) for _ in range(64)]
            while not all(call.done() for call in calls):
                await asyncio.sleep(0.01)
            codes = {call.code() for call in calls}
            assert grpc.StatusCode.OK in codes
            assert codes <= {grpc.StatusCode.OK, grpc.StatusCode.RESOURCE_EXHAUSTED}

        stays_small(server, attack)


def callers_file(folder: Path, count: int) -> Path:
    """Players with the keys `key-0`, `key-1` and so on."""
    file = folder / "callers.toml"
    entries = [
        f'[[callers]]\nname = "player-{number}"\nroles = ["player"]\n'
        f'key_sha256 = ["{sha256(f"key-{number}".encode()).hexdigest()}"]\n'
        for number in range(count)
    ]
    file.write_text("".join(entries))
    return file


async def send_all(parts: list[tuple[Connection, int]], moment: float) -> None:
    """Send unfinished messages on some streams, and hold them for a moment."""
    sending = [asyncio.ensure_future(each.send(stream, PART)) for each, stream in parts]
    await asyncio.wait(sending, timeout=moment)
    for task in sending:
        task.cancel()


def test_anonymous_messages_hold_little_memory(tmp_path: Path) -> None:
    reflection = "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo"
    callers = callers_file(tmp_path, 1)
    with running(tmp_path / "log", grpc_server="direct", callers_file=callers) as server:

        async def attack() -> None:
            async with AsyncExitStack() as stack:
                parts = []
                for number in range(20):
                    own = await stack.enter_async_context(connected(server.grpc_address))
                    path = reflection if number % 2 else "/grpc.health.v1.Health/Check"
                    parts += [(own, own.call(path)) for _ in range(4)]
                await send_all(parts, 3)
                assert megabytes(server) < before + 40

        before = megabytes(server)
        stays_small(server, attack)


def test_unfinished_messages_of_colluding_streams_hold_little_memory(tmp_path: Path) -> None:
    """Each stream has sent one message, so only the memory shows what it does."""
    callers = callers_file(tmp_path, 6)
    operation = pb.Operation(get_game=pb.GetGameRequest(game="contrast"))
    first = message(pb.PlayRequest(operations=[operation]).SerializeToString())
    with (
        running(tmp_path / "log", grpc_server="direct", callers_file=callers) as server,
        grpc.insecure_channel(server.grpc_address) as channel,
        open_stream(cast("Any", GameServiceStub(channel)), [("x-api-key", "key-5")]) as (
            answers,
            requests,
        ),
    ):

        async def attack() -> None:
            async with AsyncExitStack() as stack:
                parts = []
                for number in range(5):
                    own = await stack.enter_async_context(connected(server.grpc_address))
                    key = ("x-api-key", f"key-{number}")
                    parts += [(own, own.call(f"{GAME_SERVICE}Play", [key])) for _ in range(16)]
                for connection, stream in parts:
                    await connection.send(stream, first)
                await send_all(parts, 5)

        stays_small(server, attack)
        # The stream of a caller with only one goes on.
        requests.put(pb.PlayRequest(operations=[operation]))
        assert next(answers).results


@pytest.mark.parametrize("padding", [7000])
def test_rejected_calls_hold_little_memory(tmp_path: Path, padding: int) -> None:
    """Their metadata is as large as possible, and their messages have begun."""
    metadata = [("x-api-key", "wrong"), ("x-padding", "x" * padding)]
    begun = message(bytes(16_000), announced=60_000)
    callers = callers_file(tmp_path, 1)
    with running(tmp_path / "log", grpc_server="direct", callers_file=callers) as server:

        async def attack() -> None:
            async with AsyncExitStack() as stack:
                parts = []
                for _ in range(9):
                    own = await stack.enter_async_context(connected(server.grpc_address))
                    parts += [
                        (own, own.call(f"{GAME_SERVICE}GetGame", metadata)) for _ in range(250)
                    ]
                sending = [asyncio.ensure_future(own.send(each, begun)) for own, each in parts]
                # The rejection of another caller is not late, even if many others wait.
                async with grpc.aio.insecure_channel(server.grpc_address) as channel:
                    call = channel.unary_unary(f"{GAME_SERVICE}GetGame", None, None)
                    with pytest.raises(grpc.aio.AioRpcError) as error:
                        await call(b"", metadata=(("x-api-key", "old"),), timeout=10)
                    assert error.value.code() is grpc.StatusCode.UNAUTHENTICATED
                for task in sending:
                    task.cancel()

        stays_small(server, attack)


def test_accepts_a_limited_number_of_connections(tmp_path: Path) -> None:
    async def test(server: LiveServer) -> None:
        async with AsyncExitStack() as stack:
            first = [
                await stack.enter_async_context(connected(server.grpc_address)) for _ in range(5)
            ]
            more = [
                await stack.enter_async_context(connected(server.grpc_address)) for _ in range(5)
            ]
            for connection in more:
                await asyncio.wait_for(connection.closed.wait(), TIMEOUT_SECONDS)
            assert not any(connection.closed.is_set() for connection in first)

    with running(tmp_path / "log", grpc_server="direct", max_grpc_connections=5) as server:
        asyncio.run(test(server))
