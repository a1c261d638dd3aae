"""What calls cost compared with a bare echo of the same sizes, and what batching saves.

The service runs with default settings, next to itself on grpcio's asyncio server and to an echo
server in other processes. Loads take turns in short slices, so that a noisy machine disturbs both
sides of a ratio; the median of the ratios within a round counts.
"""

from __future__ import annotations

import base64
import json
import random
import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import cycle, islice
from typing import NamedTuple

import uvloop
from grpc import aio
from rich.console import Console
from rich.progress import track
from rich.table import Table
from tablier.v1 import game_pb2
from tablier.v1 import game_service_pb2 as pb
from tablier_core import codec
from tablier_core.position import Position
from tablier_core.registry import GAMES

from bench import echo
from bench.loads import IN_FLIGHT, Load, connect, rest, stream, unary
from bench.record import machine, note
from bench.served import ECHO, Served, served

SERVICE = "/tablier.v1.GameService/"
ROUNDS = 15
SLICE_SECONDS = 0.2
# The required ratios of operations per CPU second: unary calls to an echo on asyncio's server, and
# to the service on that server, which streams must not be worse than.
UNARY, UNARY_ASYNCIO, NO_WORSE = 2.3, 2.7, 0.95
# Three times what it was when views were written through dictionaries, compared with a unary echo.
DESCRIBE = 3.6
# The required ratios of operations per second: to an echo, and to unary calls on asyncio's server.
LONG_LIST, BATCH, PLAY, REST = 0.5, 20.0, 2.5, 3.0
# The required ratio of operations per CPU second, to unary calls on asyncio's server.
CONNECT = 7.0
BATCHED = 64
# Operations that the caller of a stream keeps in flight, in one message or in one each.
COALESCED = 8


class Server(NamedTuple):
    """A server process, and a channel to it."""

    process: int
    channel: aio.Channel


@dataclass
class Side:
    """One of two loads that are compared: its rate and the cost of an operation in each round."""

    process: int
    load: Load
    rates: list[float] = field(default_factory=list)
    # CPU seconds of the server per operation.
    costs: list[float] = field(default_factory=list)
    operations: int = 0
    cpu_seconds: float = 0.0

    async def measure(self) -> None:
        """Run one more slice."""
        before = cpu_seconds(self.process)
        done = await self.load(SLICE_SECONDS)
        spent = cpu_seconds(self.process) - before
        self.cpu_seconds += spent
        self.operations += done.operations
        self.rates.append(done.operations / done.seconds)
        self.costs.append(spent / done.operations)

    @property
    def microseconds(self) -> float:
        """The CPU time of the server per operation."""
        return self.cpu_seconds / self.operations * 1e6


def cpu_seconds(process: int) -> float:
    """The CPU time of a process, by its clock, whose number Linux derives from that of the process.

    Slices are too short for the clock ticks of /proc.
    """
    return time.clock_gettime((~process << 3) | 2)


class Pool(NamedTuple):
    """Rows of which the median ratio of all slices counts, because each alone has too few."""

    name: str
    required: float


@dataclass
class Row:
    """Two loads that are compared."""

    name: str
    ours: Side
    baseline: str
    theirs: Side
    required: float | None
    # Whether the ratio that counts is that of operations per CPU second of the server.
    by_cpu: bool = False
    pool: Pool | None = None

    @property
    def rate_ratios(self) -> list[float]:
        """Our rate divided by theirs, round by round."""
        return [a / b for a, b in zip(self.ours.rates, self.theirs.rates, strict=True)]

    @property
    def cpu_ratios(self) -> list[float]:
        """Their cost divided by ours, round by round."""
        return [b / a for a, b in zip(self.ours.costs, self.theirs.costs, strict=True)]

    @property
    def ratios(self) -> list[float]:
        """The ratios that count."""
        return self.cpu_ratios if self.by_cpu else self.rate_ratios

    @property
    def ratio(self) -> float:
        """The median of the ratios that count."""
        return statistics.median(self.ratios)

    @property
    def reached(self) -> bool:
        """Whether the ratio is as high as required."""
        return self.required is None or self.ratio >= self.required

    async def measure(self) -> None:
        """Run one slice of each, in alternating order."""
        first, second = self.ours, self.theirs
        if len(first.rates) % 2:
            first, second = second, first
        await first.measure()
        await second.measure()


def pooled(rows: list[Row]) -> list[Row]:
    """A row for each pool and baseline."""
    members: dict[tuple[Pool, str], list[Row]] = {}
    for row in rows:
        if row.pool is not None:
            members.setdefault((row.pool, row.baseline), []).append(row)
    return [
        Row(
            pool.name,
            joined([row.ours for row in group]),
            baseline,
            joined([row.theirs for row in group]),
            pool.required,
            by_cpu=group[0].by_cpu,
        )
        for (pool, baseline), group in members.items()
    ]


def joined(sides: list[Side]) -> Side:
    """All slices of several loads."""
    return Side(
        sides[0].process,
        sides[0].load,
        [rate for side in sides for rate in side.rates],
        [cost for side in sides for cost in side.costs],
        sum(side.operations for side in sides),
        sum(side.cpu_seconds for side in sides),
    )


def middle_of(name: str, seed: int = 1) -> Position:
    """The position in the middle of a random game."""
    chance = random.Random(seed)
    positions = [GAMES[name].start({}, seed)]
    while not positions[-1].over:
        seat = chance.choice(positions[-1].actors)
        positions.append(positions[-1].apply(seat, chance.choice(positions[-1].moves(seat))))
    return positions[len(positions) // 2]


def longest_list() -> Position:
    """A position of a sowing, in which a seat has the most moves."""
    best = GAMES["contigo-alignment"].start({}, 0)
    for seed in range(20):
        chance = random.Random(seed)
        position = GAMES["contigo-alignment"].start({}, seed)
        while not position.over and position.ply < 100:
            seat = position.actors[0]
            if position.count_moves(seat) > best.count_moves(best.actors[0]):
                best = position
            position = position.apply(seat, chance.choice(position.moves(seat)))
    return best


# Writes the token of a position.
Writer = Callable[[Position], bytes]


def listing(position: Position, write: Writer = codec.encode) -> pb.EnumerateMovesRequest:
    """A request for all moves of a position, in full."""
    return pb.EnumerateMovesRequest(state=write(position))


def playing(position: Position, write: Writer = codec.encode) -> pb.ApplyMovesRequest:
    """A request to play the first move."""
    seat = position.actors[0]
    notation = position.notations(seat)[0]
    move = game_pb2.Move(seat=seat, notation=notation)
    return pb.ApplyMovesRequest(state=write(position), moves=[move])


def describing() -> pb.BatchRequest:
    """A batch of views of all games, in equal shares."""
    positions = [middle_of(name) for name in GAMES]
    requests = (
        pb.DescribeStateRequest(state=codec.encode(position), seat=position.actors[0])
        for position in islice(cycle(positions), BATCHED)
    )
    return pb.BatchRequest(operations=[pb.Operation(describe_state=each) for each in requests])


class Loads:
    """The loads on one server of the service."""

    def __init__(self, service: Server, rest_address: str) -> None:
        self._service = service
        self._rest = rest_address

    def call(self, name: str, data: bytes, operations: int = 1) -> Side:
        """A unary call."""
        load = unary(self._service.channel, SERVICE + name, data, operations)
        return Side(self._service.process, load)

    def rest(self, path: str, body: bytes) -> Side:
        """A REST call."""
        return Side(self._service.process, rest(self._rest, path, body))

    def connect(self, name: str, data: bytes) -> Side:
        """A unary call over Connect."""
        return Side(self._service.process, connect(self._rest, SERVICE + name, data))

    async def play(
        self, data: bytes, operations: int, window: int, streams: int = IN_FLIGHT
    ) -> Side:
        """Streams of operations."""
        size = len(await self.answer_in_stream(data))
        channel = self._service.channel
        load = stream(channel, SERVICE + "Play", data, size, operations, window, streams)
        return Side(self._service.process, load)

    async def answer(self, call: str, data: bytes) -> bytes:
        """The answer to a unary call."""
        answer: bytes = await self._service.channel.unary_unary(SERVICE + call, None, None)(data)
        return answer

    async def answer_in_stream(self, data: bytes) -> bytes:
        """The answer to one message of a stream."""
        method = self._service.channel.stream_stream(SERVICE + "Play", None, None)
        return b"".join([part async for part in method(iter([data]))])


class Rows:
    """The rows: the service compared with an echo, and with itself on asyncio's server."""

    def __init__(self, direct: Loads, asyncio: Loads, bare: Server) -> None:
        self._direct = direct
        self._asyncio = asyncio
        self._bare = bare

    def echo(self, data: bytes, answer: bytes) -> Side:
        """An echo with requests and answers of these sizes."""
        load = unary(self._bare.channel, f"{echo.UNARY}{len(answer)}", data)
        return Side(self._bare.process, load)

    async def all(self) -> list[Row]:
        """All rows."""
        rows = []
        for name in GAMES:
            position = middle_of(name)
            for call, request in (
                ("EnumerateMoves", listing(position)),
                ("ApplyMoves", playing(position)),
            ):
                rows += await self.unary(name, call, request.SerializeToString())
        rows.append(await self.long_list())
        rows += await self.amortised(playing(middle_of("contigo-alignment")))
        rows.append(await self.described())
        return rows

    async def unary(self, game: str, call: str, data: bytes) -> list[Row]:
        """A unary call compared with an echo, and with the same call on asyncio's server."""
        answer = await self._direct.answer(call, data)
        name = f"{call}, {game} ({len(data)} B in, {len(answer)} B out)"
        ways = (
            ("echo", self.echo(data, answer), UNARY),
            ("asyncio", self._asyncio.call(call, data), UNARY_ASYNCIO),
        )
        return [
            Row(
                name,
                self._direct.call(call, data),
                baseline,
                side,
                None,
                by_cpu=True,
                pool=Pool(f"{call}, all games", required),
            )
            for baseline, side, required in ways
        ]

    async def long_list(self) -> Row:
        """The longest list of moves compared with an echo."""
        sowing = longest_list()
        data = listing(sowing).SerializeToString()
        answer = await self._direct.answer("EnumerateMoves", data)
        name = f"EnumerateMoves, {sowing.count_moves(sowing.actors[0])} moves of Contigo's sowing"
        ours = self._direct.call("EnumerateMoves", data)
        return Row(name, ours, "echo", self.echo(data, answer), LONG_LIST)

    async def amortised(self, request: pb.ApplyMovesRequest) -> list[Row]:
        """The same operation in batches, in streams and over REST, compared with unary calls."""
        operation = pb.Operation(apply_moves=request, id=1)
        batch = pb.BatchRequest(operations=[operation] * BATCHED).SerializeToString()
        many = pb.PlayRequest(operations=[operation] * COALESCED).SerializeToString()
        one = pb.PlayRequest(operations=[operation]).SerializeToString()
        alone = request.SerializeToString()
        direct = self._direct
        # One caller with as many in flight as all of those together.
        window = IN_FLIGHT * COALESCED
        ways: list[tuple[str, Side, float]] = [
            (f"Batch of {BATCHED}", direct.call("Batch", batch, BATCHED), BATCH),
            (f"Play, {COALESCED} per message", await direct.play(many, COALESCED, 1), PLAY),
            ("Play, one per message", await direct.play(one, 1, COALESCED), PLAY),
            (
                "Play, one per message, one stream",
                await direct.play(one, 1, window, streams=1),
                PLAY,
            ),
            ("REST ApplyMoves", direct.rest("/v1/states:applyMoves", as_json(request)), REST),
        ]
        rows = [
            Row(name, side, "asyncio unary", self._asyncio.call("ApplyMoves", alone), required)
            for name, side, required in ways
        ]
        rows.append(
            Row(
                "Connect ApplyMoves",
                direct.connect("ApplyMoves", alone),
                "asyncio unary",
                self._asyncio.call("ApplyMoves", alone),
                CONNECT,
                by_cpu=True,
            )
        )
        rows += [
            Row(
                f"Play, one per message, {streams} stream{'s' * (streams > 1)}",
                await direct.play(one, 1, window // streams, streams),
                "asyncio",
                await self._asyncio.play(one, 1, window // streams, streams),
                NO_WORSE,
                by_cpu=True,
            )
            for streams in (1, IN_FLIGHT)
        ]
        return [*rows, await self.play_compared_with_echo(many)]

    async def play_compared_with_echo(self, data: bytes) -> Row:
        """A stream compared with an echo stream of the same sizes."""
        size = len(await self._direct.answer_in_stream(data))
        name = f"Play, {COALESCED} per message ({len(data)} B in, {size} B out)"
        load = stream(self._bare.channel, f"{echo.STREAM}{size}", data, size, COALESCED, 1)
        theirs = Side(self._bare.process, load)
        ours = await self._direct.play(data, COALESCED, 1)
        return Row(name, ours, "echo of streams", theirs, None)

    async def described(self) -> Row:
        """Views in batches compared with an echo, the smallest common measure of old and new."""
        batch = describing().SerializeToString()
        ours = self._direct.call("Batch", batch, BATCHED)
        theirs = self.echo(bytes(256), bytes(256))
        name = f"DescribeState, all games, in batches of {BATCHED}"
        return Row(name, ours, "echo", theirs, DESCRIBE, by_cpu=True)


def as_json(request: pb.ApplyMovesRequest) -> bytes:
    """A request in JSON."""
    move = {"seat": request.moves[0].seat, "notation": request.moves[0].notation}
    state = base64.urlsafe_b64encode(request.state).decode()
    return json.dumps({"state": state, "moves": [move]}).encode()


async def compare(service: Served, on_asyncio: Served, bare: Served) -> list[Row]:
    """Measure all rows."""
    options = [("grpc.max_receive_message_length", 2**26)]
    async with (
        aio.insecure_channel(service.grpc, options) as channel,
        aio.insecure_channel(on_asyncio.grpc, options) as asyncio_channel,
        aio.insecure_channel(bare.grpc, options) as echoing,
    ):
        rows = await Rows(
            Loads(Server(service.process, channel), service.rest),
            Loads(Server(on_asyncio.process, asyncio_channel), on_asyncio.rest),
            Server(bare.process, echoing),
        ).all()
        for _ in track(range(ROUNDS), "Transports", console=Console(stderr=True)):
            for row in rows:
                await row.measure()
    return [*rows, *pooled(rows)]


def note_all(benchmark: str, rows: list[Row]) -> None:
    """Record the ratios of all rows."""
    for row in rows:
        unit = " by CPU" if row.by_cpu else ""
        note(benchmark, f"{row.name}, to {row.baseline}{unit}", row.ratios, row.required)


def report(rows: list[Row]) -> Table:
    """Rates, ratios, the quartiles of those that count, and the cost of an operation."""
    table = Table(title=f"Operations per second, median of {ROUNDS} paired slices; {machine()}")
    for title in ("load", "compared with"):
        table.add_column(title)
    for title in (
        "per second",
        "baseline",
        "ratio",
        "by CPU",
        "quartiles",
        "required",
        "",
        "server CPU, us",
    ):
        table.add_column(title, justify="right")
    for row in rows:
        low, _, high = statistics.quantiles(row.ratios, n=4)
        table.add_row(
            row.name,
            row.baseline,
            f"{statistics.median(row.ours.rates):,.0f}",
            f"{statistics.median(row.theirs.rates):,.0f}",
            f"{statistics.median(row.rate_ratios):.2f}",
            f"{statistics.median(row.cpu_ratios):.2f}",
            f"{low:.2f}-{high:.2f}",
            "" if row.required is None else f"{row.required:g}{' by CPU' if row.by_cpu else ''}",
            "" if row.required is None else "ok" if row.reached else "BELOW",
            f"{row.ours.microseconds:.1f} ({row.theirs.microseconds:.1f})",
        )
    return table


def main() -> int:
    """Measure, print, and return 0 if every required ratio was reached."""
    with (
        served() as service,
        served(grpc_server="asyncio") as on_asyncio,
        served(ECHO) as bare,
    ):
        rows = uvloop.run(compare(service, on_asyncio, bare))
    note_all("transports", rows)
    Console(width=None if sys.stdout.isatty() else 180).print(report(rows))
    return 0 if all(row.reached for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
