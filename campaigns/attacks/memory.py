"""Attackers on the memory of a worker: each makes it keep what others do not read or finish."""

from __future__ import annotations

import asyncio
import random
from functools import cache
from itertools import cycle
from time import monotonic

from tablier.v1 import game_service_pb2 as pb
from tablier_core.registry import GAMES

from campaigns.attacks.attackers import Holder
from campaigns.attacks.requests import GAME, MIB, SOURCE, begin_call
from campaigns.attacks.stage import Figures, Stage, Target, repeat
from tests.http2 import Connection, connected, message

HEALTH_CHECK = "/grpc.health.v1.Health/Check"
REFLECTION = "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo"
# The addresses of attackers that work together.
SOURCES = tuple(f"127.0.0.{number}" for number in range(2, 7))
# All of the largest message but its last byte.
PART = message(bytes(4 * MIB))[:-1]
# Long calls of one caller at the same time, and connections that do nothing.
LONG_CALLS = 64
IDLE_CONNECTIONS = 2000


async def unread_answers(target: Target, stage: Stage) -> Figures:
    """Small requests with answers of megabytes, which are never read."""
    operation = pb.Operation(get_game=pb.GetGameRequest(game="contract"))
    request = pb.BatchRequest(operations=[operation] * 600)

    async def begin(connection: Connection) -> None:
        await begin_call(connection, target, f"{GAME}Batch", request)

    return await Holder(target, stage, connections=1, calls=256).hold(begin, window=0)


@cache
def long_game() -> pb.ReplayGameRequest:
    """The replay of a game with thousands of moves, with all of its steps."""
    request = pb.ReplayGameRequest(game="contrat500", seed=1, include_steps=True)
    position, choice = GAMES["contrat500"].start({}, 1), random.Random(1)
    while not position.over and len(request.moves) < 9000:
        seat = position.actors[0]
        action = choice.choice(position.moves(seat))
        request.moves.add(seat=seat, action=action)
        position = position.apply(seat, action)
    return request


async def long_calls(target: Target, stage: Stage) -> Figures:
    """Many long calls of one caller at the same time, which are read."""
    request = long_game()
    sent, served, longest = 0, 0, 0.0

    async def ask(connection: Connection) -> None:
        nonlocal sent, served, longest
        while not connection.closed.is_set():
            begun = monotonic()
            stream = await begin_call(connection, target, f"{GAME}ReplayGame", request)
            sent += 1
            stage.begin()
            await connection.wait(stream)
            served += stream in connection.received
            longest = max(longest, monotonic() - begun)
            # A call that is rejected at once is not repeated at once.
            await asyncio.sleep(0.1)

    async def attack(_: int) -> None:
        async with connected(target.grpc, SOURCE) as connection:
            await asyncio.gather(*(ask(connection) for _ in range(LONG_CALLS)))

    await repeat(stage, 1, attack)
    return {"sent": sent, "served": served, "seconds": longest}


async def half_sent_health(target: Target, stage: Stage) -> Figures:
    """Health checks and reflection with large messages that never end, without credentials."""
    paths = cycle((HEALTH_CHECK, REFLECTION))

    async def begin(connection: Connection) -> None:
        await connection.send(connection.call(next(paths)), PART)

    return await Holder(target, stage, connections=20, calls=4).hold(begin)


async def colluding_play(target: Target, stage: Stage) -> Figures:
    """`Play` streams from several addresses with one message, and a large one that never ends."""
    operation = pb.Operation(get_game=pb.GetGameRequest(game="contrast"))
    request = pb.PlayRequest(operations=[operation])

    async def begin(connection: Connection) -> None:
        stream = await begin_call(connection, target, f"{GAME}Play", request, end=False)
        await connection.send(stream, PART)

    holder = Holder(target, stage, connections=len(SOURCES), calls=16)
    return await holder.hold(begin, sources=SOURCES)


async def wrong_keys(target: Target, stage: Stage) -> Figures:
    """Calls with a wrong key, large metadata, and the beginning of a message."""
    metadata = [("x-api-key", "wrong"), ("x-padding", "x" * 7000)]
    begun = message(bytes(16_000), announced=60_000)

    async def begin(connection: Connection) -> None:
        await connection.send(connection.call(f"{GAME}GetGame", metadata), begun)

    return await Holder(target, stage, connections=9, calls=250).hold(begin)


async def idle_connections(target: Target, stage: Stage) -> Figures:
    """Connections without any call."""
    opened = [await Connection.open(target.grpc, SOURCE) for _ in range(IDLE_CONNECTIONS)]
    stage.begin()
    await stage.end()
    left = sum(not connection.closed.is_set() for connection in opened)
    await asyncio.gather(*(connection.close() for connection in opened))
    return {"opened": len(opened), "left": left}
