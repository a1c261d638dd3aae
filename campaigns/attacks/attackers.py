"""The attackers, and the neighbours that they are compared with.

Each is a coroutine that runs in a process of its own until the attack is over. Attackers whose
calls are ended by the service begin again. They come from another address than other callers.
"""

from __future__ import annotations

import asyncio
import base64
import json
from collections.abc import Awaitable, Callable
from functools import cache
from itertools import cycle
from time import monotonic

import grpc
from tablier.v1 import advisor_service_pb2
from tablier.v1 import game_service_pb2 as pb
from tablier_core import codec
from tablier_core.registry import GAMES

from bench.transports import listing, longest_list, middle_of
from campaigns.attacks.http2 import WINDOW, Connection, message
from campaigns.attacks.stage import PAUSE, Figures, Stage, Target, repeat

GAME = "/tablier.v1.GameService/"
ADVISOR = "/tablier.v1.AdvisorService/"
WATCH = "/grpc.health.v1.Health/Watch"
STATE = codec.encode(GAMES["contigo-alignment"].start({"first": 0}, 1))
# Where attackers come from; other callers come from 127.0.0.1.
SOURCE = "127.0.0.2"
# How long an attacker that has lost a call waits before it begins another on the same connection.
REFILL_SECONDS = 0.05
# A call that has not ended after this is held.
SETTLED = 1.0
MIB = 2**20


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
        self, begin: Callable[[Connection], Awaitable[object]], window: int = WINDOW
    ) -> Figures:
        """Hold as many calls as possible until the attack is over."""

        async def connect(number: int) -> None:
            connection = await Connection.open(self._target.grpc, SOURCE, window)
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
        stream = connection.call(WATCH, target.metadata)
        await connection.send(stream, message(b""), end=True)

    return await Holder(target, stage, connections=10, calls=256).hold(begin)


async def idle_play(target: Target, stage: Stage) -> Figures:
    """`Play` streams that ask for one operation, and then for nothing."""
    operation = pb.Operation(get_game=pb.GetGameRequest(game="contrast"))
    request = message(pb.PlayRequest(operations=[operation]).SerializeToString())

    async def begin(connection: Connection) -> None:
        stream = connection.call(f"{GAME}Play", target.metadata)
        await connection.send(stream, request)

    return await Holder(target, stage, connections=5, calls=250).hold(begin)


async def unread_analysis(target: Target, stage: Stage) -> Figures:
    """`StreamAnalysis` streams whose reports are never read."""

    async def begin(connection: Connection) -> None:
        await ask_for_analysis(connection, target)

    return await Holder(target, stage, connections=1, calls=70).hold(begin, window=0)


async def read_analysis(target: Target, stage: Stage) -> Figures:
    """A neighbour that reads the reports of one search after the other."""

    async def search(_: int) -> None:
        connection = await Connection.open(target.grpc, SOURCE)
        try:
            stream = await ask_for_analysis(connection, target, milliseconds=500)
            stage.begin()
            await connection.wait(stream)
        finally:
            await connection.close()

    await repeat(stage, 1, search)
    return {}


async def ask_for_analysis(
    connection: Connection, target: Target, milliseconds: int = 60_000
) -> int:
    """Begin a `StreamAnalysis`."""
    request = advisor_service_pb2.StreamAnalysisRequest(
        state=STATE,
        interval_milliseconds=10,
        budget=advisor_service_pb2.Budget(milliseconds=milliseconds),
    )
    stream = connection.call(f"{ADVISOR}StreamAnalysis", target.metadata)
    await connection.send(stream, message(request.SerializeToString()), end=True)
    return stream


async def polite_calls(target: Target, stage: Stage) -> Figures:
    """Neighbours with as many connections as most attackers, which make complete calls."""
    request = message(pb.GetGameRequest(game="contrast").SerializeToString())

    async def call(_: int) -> None:
        connection = await Connection.open(target.grpc, SOURCE)
        try:
            while not connection.closed.is_set():
                stream = connection.call(f"{GAME}GetGame", target.metadata)
                await connection.send(stream, request, end=True)
                await connection.wait(stream)
                stage.begin()
                await asyncio.sleep(PAUSE)
        finally:
            await connection.close()

    await repeat(stage, 10, call)
    return {}


async def no_neighbours(target: Target, stage: Stage) -> Figures:
    """Nobody else calls."""
    stage.begin()
    await stage.end()
    return {}


async def post(target: Target, path: str, body: bytes) -> tuple[int, int]:
    """Send a REST request; returns the status and the size of the answer."""
    host, _, port = target.rest.rpartition(":")
    reader, writer = await asyncio.open_connection(host, int(port), local_addr=(SOURCE, 0))
    try:
        fields = [
            *(("host", host), ("connection", "close"), ("content-type", "application/json")),
            ("content-length", str(len(body))),
            *target.metadata,
        ]
        lines = [f"POST {path} HTTP/1.1", *(f"{name}: {value}" for name, value in fields)]
        writer.write("\r\n".join(lines).encode() + b"\r\n\r\n" + body)
        head = await reader.readuntil(b"\r\n\r\n")
        size = 0
        while part := await reader.read(MIB):
            size += len(part)
        return int(head.split()[1]), size
    finally:
        writer.close()


async def many_operations(target: Target, stage: Stage) -> Figures:
    """The largest JSON body with the most elements: empty operations."""
    start, end = b'{"operations":[', b"{}]}"
    count = (4 * MIB - len(start) - len(end)) // 3
    return await send_bodies(target, stage, start + b"{}," * count + end)


async def batches(target: Target, stage: Stage) -> Figures:
    """A neighbour that sends batches of a hundred moves in JSON."""
    state = base64.urlsafe_b64encode(STATE).decode()
    operation = {"applyMoves": {"state": state, "moves": [{"notation": "a6-a4"}]}}
    return await send_bodies(target, stage, json.dumps({"operations": [operation] * 100}).encode())


async def send_bodies(target: Target, stage: Stage, body: bytes) -> Figures:
    """Send a batch over REST again and again."""
    longest = 0.0
    statuses: list[int] = []

    async def send(_: int) -> None:
        nonlocal longest
        stage.begin()
        begun = monotonic()
        status, _ = await post(target, "/v1/batch", body)
        longest = max(longest, monotonic() - begun)
        statuses.append(status)

    await repeat(stage, 1, send)
    return {"sent": len(statuses), "served": statuses.count(200), "seconds": longest}


@cache
def largest_picture() -> pb.Operation:
    """The operation with the largest picture, which takes long."""
    position = max(map(middle_of, GAMES), key=lambda each: len(each.draw_svg()))
    return pb.Operation(render_state=pb.RenderStateRequest(state=codec.encode(position)))


async def large_answers(target: Target, stage: Stage) -> Figures:
    """Batches whose answers are as large as possible, in turn over gRPC and REST."""
    operation = pb.Operation(enumerate_moves=listing(longest_list()))
    request = pb.BatchRequest(operations=[operation] * 1024).SerializeToString()
    state = base64.urlsafe_b64encode(operation.enumerate_moves.state).decode()
    in_json = {"enumerateMoves": {"state": state}}
    body = json.dumps({"operations": [in_json] * 1024}).encode()
    largest = 0
    rejected = 0

    async def ask(_: int) -> None:
        nonlocal largest, rejected
        stage.begin()
        connection = await Connection.open(target.grpc, SOURCE)
        try:
            stream = connection.call(f"{GAME}Batch", target.metadata)
            await connection.send(stream, message(request), end=True)
            await connection.wait(stream)
            size = connection.received.get(stream, 0)
            largest, rejected = max(largest, size), rejected + (size == 0)
        finally:
            await connection.close()
        status, size = await post(target, "/v1/batch", body)
        largest, rejected = max(largest, size), rejected + (status != 200)

    await repeat(stage, 1, ask)
    return {"mib": largest / MIB, "mib_in": len(request) / MIB, "rejected": rejected}


async def failing_calls(target: Target, stage: Stage) -> Figures:
    """Calls that the service logs, because they fail: their tokens are invalid."""
    expected = other = 0
    async with grpc.aio.insecure_channel(target.grpc) as channel:
        call = channel.unary_unary(f"{GAME}DescribeState", None, None)
        request = pb.DescribeStateRequest(state=b"not a token").SerializeToString()
        # Enough calls have failed, or they hang.
        asyncio.get_running_loop().call_later(5, stage.begin)

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

        await repeat(stage, 4, fail)
    return {"expected": expected, "other": other}


async def cancelled_calls(target: Target, stage: Stage) -> Figures:
    """Long calls of every kind that are cancelled before they are complete."""
    waits = cycle([0.0, 0.02, 0.1, 0.2])
    work = [largest_picture()] * 1024
    budget = advisor_service_pb2.Budget(milliseconds=10_000)
    calls = {
        f"{ADVISOR}SuggestMoves": advisor_service_pb2.SuggestMovesRequest(
            state=STATE, budget=budget
        ).SerializeToString(),
        f"{GAME}Batch": pb.BatchRequest(operations=work).SerializeToString(),
        f"{GAME}Play": pb.PlayRequest(operations=work).SerializeToString(),
    }
    turns = cycle(calls.items())
    obtained, rejected = dict.fromkeys(calls, 0.0), 0
    begun = monotonic()

    async def ask(_: int) -> None:
        nonlocal rejected
        (path, request), seconds = next(turns), next(waits)
        connection = await Connection.open(target.grpc, SOURCE)
        try:
            stream = connection.call(path, target.metadata)
            await connection.send(stream, message(request), end=not path.endswith("Play"))
            stage.begin()
            try:
                async with asyncio.timeout(seconds):
                    await connection.wait(stream)
                rejected += 1
            except TimeoutError:
                obtained[path] += seconds
                connection.cancel(stream)
                await asyncio.sleep(0.01)
        finally:
            await connection.close()

    await repeat(stage, 1, ask)
    figures = {path.rpartition("/")[2]: spent for path, spent in obtained.items()}
    return {**figures, "rejected": rejected, "lasted": monotonic() - begun}


async def complete_searches(target: Target, stage: Stage) -> Figures:
    """A neighbour that waits for the answers to its searches, within its quota."""
    request = advisor_service_pb2.SuggestMovesRequest(
        state=STATE, budget=advisor_service_pb2.Budget(milliseconds=10)
    )

    async def search(_: int) -> None:
        connection = await Connection.open(target.grpc, SOURCE)
        try:
            stream = connection.call(f"{ADVISOR}SuggestMoves", target.metadata)
            await connection.send(stream, message(request.SerializeToString()), end=True)
            stage.begin()
            await connection.wait(stream)
        finally:
            await connection.close()

    await repeat(stage, 1, search)
    return {}


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
