"""The attackers.

Each is a coroutine that runs in a process of its own until the attack is over. Attackers whose
calls are ended by the service begin again. They come from another address than other callers.
"""

from __future__ import annotations

import asyncio
import base64
import json
from collections.abc import Awaitable, Callable, Sequence
from functools import cache
from http import HTTPStatus
from itertools import cycle
from time import monotonic

import grpc
from google.protobuf.message import Message
from grpc_health.v1 import health_pb2
from tablier.v1 import advisor_service_pb2
from tablier.v1 import game_service_pb2 as pb
from tablier_core import codec
from tablier_core.registry import GAMES

from bench.transports import listing, longest_list, middle_of
from campaigns.attacks.requests import (
    ADVISOR,
    GAME,
    MIB,
    SOURCE,
    STATE,
    analysis,
    begin_call,
    post,
    send_bodies,
)
from campaigns.attacks.stage import PAUSE, Figures, Stage, Target, repeat
from tests.http2 import WINDOW, Connection, connected, message

WATCH = "/grpc.health.v1.Health/Watch"
# How long an attacker that has lost a call waits before it begins another on the same connection.
REFILL_SECONDS = 0.05
# A call that has not ended after this is held.
SETTLED = 1.0
# Failed calls whose lines fill a pipe, and how long they may take before they seem to hang.
LOGGED_CALLS, HANGING_SECONDS = 400, 20
# Calls that one connection repeats at the same time, and the bytes before a message of gRPC.
REPEATED_CALLS = 16
PREFIX_BYTES = 5


class Holder:
    """Keeps calls open on some connections, and notes how many there are and how long they last."""

    def __init__(self, target: Target, stage: Stage, connections: int, calls: int) -> None:
        self._target = target
        self._stage = stage
        self._connections = connections
        self._calls = calls
        self._open: dict[int, Connection] = {}
        self._bursts: set[int] = set()
        self._longest = self._connected = 0.0
        self._accepted = 0
        self._most = self._most_accepted = 0

    async def hold(
        self,
        begin: Callable[[Connection], Awaitable[object]],
        window: int = WINDOW,
        sources: Sequence[str] = (SOURCE,),
    ) -> Figures:
        """Hold as many calls as possible until the attack is over; connections share addresses."""

        async def connect(number: int) -> None:
            source = sources[number % len(sources)]
            connection = await Connection.open(self._target.grpc, source, window)
            self._open[number] = connection
            connected = monotonic()
            calls = min(self._calls, connection.max_streams)
            # All calls at once, and later one by one: a flood of calls would be another attack.
            first = calls if number not in self._bursts else 1
            self._bursts.add(number)
            begun = [asyncio.ensure_future(begin(connection)) for _ in range(first)]
            try:
                await asyncio.wait(begun, timeout=2)
                if len(self._open) == self._connections:
                    # What is measured is what held calls do, not what opening them does.
                    asyncio.get_running_loop().call_later(SETTLED, self._stage.begin)
                while not connection.closed.is_set():
                    await asyncio.sleep(REFILL_SECONDS)
                    begun = [task for task in begun if not task.done()]
                    if connection.in_progress < calls and not begun:
                        begun.append(asyncio.ensure_future(begin(connection)))
            finally:
                for task in begun:
                    task.cancel()
                self._note()
                self._accepted += connection.accepted
                self._longest = max(self._longest, connection.longest)
                self._connected = max(self._connected, monotonic() - connected)
                del self._open[number]
                await connection.close()

        async def note() -> None:
            while True:
                await asyncio.sleep(PAUSE)
                self._note()

        noting = asyncio.ensure_future(note())
        await repeat(self._stage, self._connections, connect)
        noting.cancel()
        return {
            "held": self._most,
            "seconds": self._longest,
            "connected": self._connected,
            "mib": self._accepted / MIB,
            "mib_held": self._most_accepted / MIB,
        }

    def _note(self) -> None:
        """Note how much is held at once; calls that are rejected right away do not count."""
        open_ = [each for each in self._open.values() if not each.closed.is_set()]
        self._most = max(self._most, sum(each.older_than(SETTLED) for each in open_))
        self._most_accepted = max(self._most_accepted, sum(each.accepted for each in open_))


async def half_sent(target: Target, stage: Stage) -> Figures:
    """Calls that announce a large message, and send all of it but the last byte."""
    holder = Holder(target, stage, connections=5, calls=8)
    # The largest message that gRPC has ever accepted here, and the largest documented one.
    sizes = [8 * MIB - 1, 4 * MIB - 1]
    body = bytes(max(sizes))

    async def begin(connection: Connection) -> None:
        stream = connection.call(f"{GAME}Batch", target.metadata)
        size = sizes[stream // 2 % 2]
        await connection.send(stream, message(body[: size - 1], announced=size))

    return await holder.hold(begin)


async def half_open(target: Target, stage: Stage) -> Figures:
    """Calls that send their headers and no message."""

    async def begin(connection: Connection) -> None:
        connection.call(f"{GAME}GetGame", target.metadata)

    return await Holder(target, stage, connections=10, calls=256).hold(begin)


async def watches(target: Target, stage: Stage) -> Figures:
    """Streams that wait for a change of health."""

    async def begin(connection: Connection) -> None:
        await begin_call(connection, target, WATCH, health_pb2.HealthCheckRequest())

    return await Holder(target, stage, connections=10, calls=256).hold(begin)


async def idle_play(target: Target, stage: Stage) -> Figures:
    """`Play` streams that ask for one operation, and then for nothing."""
    operation = pb.Operation(get_game=pb.GetGameRequest(game="contrast"))
    request = pb.PlayRequest(operations=[operation])

    async def begin(connection: Connection) -> None:
        await begin_call(connection, target, f"{GAME}Play", request, end=False)

    return await Holder(target, stage, connections=5, calls=250).hold(begin)


async def unread_analysis(target: Target, stage: Stage) -> Figures:
    """`StreamAnalysis` streams whose reports are never read."""

    async def begin(connection: Connection) -> None:
        await begin_call(connection, target, f"{ADVISOR}StreamAnalysis", analysis(60_000))

    return await Holder(target, stage, connections=1, calls=70).hold(begin, window=0)


async def many_operations(target: Target, stage: Stage) -> Figures:
    """The largest JSON body with the most elements: empty operations."""
    start, end = b'{"operations":[', b"{}]}"
    count = (4 * MIB - len(start) - len(end)) // 3
    return await send_bodies(target, stage, start + b"{}," * count + end)


@cache
def largest_picture() -> pb.Operation:
    """The operation with the largest picture, which takes long."""
    position = max(map(middle_of, GAMES), key=lambda each: len(each.draw_svg()))
    return pb.Operation(render_state=pb.RenderStateRequest(state=codec.encode(position)))


async def large_answers(target: Target, stage: Stage) -> Figures:
    """Batches whose answers are as large as possible, in turn over gRPC and REST."""
    operation = pb.Operation(enumerate_moves=listing(longest_list()))
    request = pb.BatchRequest(operations=[operation] * 1024)
    state = base64.urlsafe_b64encode(operation.enumerate_moves.state).decode()
    in_json = {"enumerateMoves": {"state": state}}
    body = json.dumps({"operations": [in_json] * 1024}).encode()
    largest = 0
    rejected = 0

    async def ask(_: int) -> None:
        nonlocal largest, rejected
        stage.begin()
        async with connected(target.grpc, SOURCE) as connection:
            stream = await begin_call(connection, target, f"{GAME}Batch", request)
            await connection.wait(stream)
            size = connection.received.get(stream, PREFIX_BYTES) - PREFIX_BYTES
            largest, rejected = max(largest, size), rejected + (size == 0)
        status, size = await post(target, "/v1/batch", body)
        largest, rejected = max(largest, size), rejected + (status != 200)

    await repeat(stage, 1, ask)
    return {"mib": largest / MIB, "mib_in": request.ByteSize() / MIB, "rejected": rejected}


async def failing_calls(target: Target, stage: Stage) -> Figures:
    """Calls that the service logs, because they fail: their tokens are invalid."""
    expected = other = 0
    async with grpc.aio.insecure_channel(target.grpc) as channel:
        call = channel.unary_unary(f"{GAME}DescribeState", None, None)
        request = pb.DescribeStateRequest(state=b"not a token").SerializeToString()
        # Otherwise the attack begins when enough calls have failed.
        asyncio.get_running_loop().call_later(HANGING_SECONDS, stage.begin)

        async def fail(_: int) -> None:
            nonlocal expected, other
            for _ in range(10):
                try:
                    await call(request, metadata=target.metadata, timeout=2)
                except grpc.aio.AioRpcError as error:
                    if error.code() == grpc.StatusCode.INVALID_ARGUMENT:
                        expected += 1
                    else:
                        other += 1
            if expected + other >= LOGGED_CALLS:
                stage.begin()

        await repeat(stage, 4, fail)
    return {"expected": expected, "other": other}


async def cancelled_calls(target: Target, stage: Stage) -> Figures:
    """Long calls of every kind that are cancelled before they are complete."""
    waits = cycle([0.0, 0.02, 0.1, 0.2])
    work = [largest_picture()] * 1024
    budget = advisor_service_pb2.Budget(milliseconds=10_000)
    calls: dict[str, Message] = {
        f"{ADVISOR}SuggestMoves": advisor_service_pb2.SuggestMovesRequest(
            state=STATE, budget=budget
        ),
        f"{GAME}Batch": pb.BatchRequest(operations=work),
        f"{GAME}Play": pb.PlayRequest(operations=work),
    }
    turns = cycle(calls.items())
    obtained, rejected = dict.fromkeys(calls, 0.0), 0
    begun = monotonic()

    async def ask(_: int) -> None:
        nonlocal rejected
        (path, request), seconds = next(turns), next(waits)
        async with connected(target.grpc, SOURCE) as connection:
            end = not path.endswith("Play")
            stream = await begin_call(connection, target, path, request, end=end)
            stage.begin()
            try:
                async with asyncio.timeout(seconds):
                    await connection.wait(stream)
                rejected += 1
            except TimeoutError:
                obtained[path] += seconds
                connection.cancel(stream)
                await asyncio.sleep(0.01)

    await repeat(stage, 1, ask)
    figures = {path.rpartition("/")[2]: spent for path, spent in obtained.items()}
    return {**figures, "rejected": rejected, "lasted": monotonic() - begun}


async def storm_of_retries(target: Target, stage: Stage) -> Figures:
    """A caller over its quota that repeats rejected calls as fast as it can."""
    request = pb.GetGameRequest(game="contrast")
    served = rejected = 0
    begun = monotonic()

    def count(*, success: bool) -> None:
        nonlocal served, rejected
        served, rejected = served + success, rejected + (not success)
        if rejected:
            stage.begin()

    async def repeat_calls(connection: Connection) -> None:
        while not connection.closed.is_set():
            stream = await begin_call(connection, target, f"{GAME}GetGame", request)
            await connection.wait(stream)
            if not connection.closed.is_set():
                count(success=stream in connection.received)

    async def retry(number: int) -> None:
        if number == 0:
            while True:
                status, _ = await post(target, "/v1/states:describe", b"{}")
                count(success=status != HTTPStatus.TOO_MANY_REQUESTS)
        async with connected(target.grpc, SOURCE) as connection:
            await asyncio.gather(*(repeat_calls(connection) for _ in range(REPEATED_CALLS)))

    # One over REST, the others over gRPC.
    await repeat(stage, 5, retry)
    return {"served": served, "rejected": rejected, "lasted": monotonic() - begun}


async def flood_of_headers(target: Target, stage: Stage) -> Figures:
    """Headers that never end: CONTINUATION frames on twelve connections, about 400 Mbit/s."""
    return await flood(target, stage, 4 * MIB)


async def fast_flood_of_headers(target: Target, stage: Stage) -> Figures:
    """The same faster than a service can read, about 3 Gbit/s."""
    return await flood(target, stage, 32 * MIB)


async def flood(target: Target, stage: Stage, bytes_per_second: float) -> Figures:
    """Flood a service with headers, at a rate per connection."""
    holder = Holder(target, stage, connections=12, calls=1)
    return await holder.hold(lambda connection: connection.flood_with_headers(bytes_per_second))
