"""What calls cost compared with a bare echo of the same kind and sizes, and what batching saves.

The service runs with default settings, next to an echo server in another process. Loads take turns
in short slices, so that a noisy machine disturbs both sides of a ratio; the median of the ratios
within a round counts.
"""

from __future__ import annotations

import base64
import json
import random
import statistics
import sys
from dataclasses import dataclass, field
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
from tablier_service.observability.processes import usage_of

from bench import echo
from bench.core import machine
from bench.loads import IN_FLIGHT, Load, rest, stream, unary
from bench.served import ECHO, Served, served

SERVICE = "/tablier.v1.GameService/"
ROUNDS = 15
SLICE_SECONDS = 0.2
# The ratios that are required of the service.
UNARY, LONG_LIST, BATCH, PLAY, REST = 0.8, 0.5, 20.0, 2.5, 3.0
BATCHED = 64
# Operations that the caller of a stream keeps in flight, in one message or in one each.
COALESCED = 8


class Server(NamedTuple):
    """A server process, and a channel to it."""

    process: int
    channel: aio.Channel


@dataclass
class Side:
    """One of two loads that are compared: its rate in each round, and its cost."""

    process: int
    load: Load
    rates: list[float] = field(default_factory=list)
    operations: int = 0
    cpu_seconds: float = 0.0

    async def measure(self) -> None:
        """Run one more slice."""
        before = cpu_seconds(self.process)
        done = await self.load(SLICE_SECONDS)
        self.cpu_seconds += cpu_seconds(self.process) - before
        self.operations += done.operations
        self.rates.append(done.operations / done.seconds)

    @property
    def microseconds(self) -> float:
        """The CPU time of the server per operation."""
        return self.cpu_seconds / self.operations * 1e6


def cpu_seconds(process: int) -> float:
    """The CPU time that a process has used."""
    usage = usage_of(process)
    assert usage is not None
    return usage.cpu_seconds


@dataclass
class Row:
    """Two loads that are compared."""

    name: str
    ours: Side
    baseline: str
    theirs: Side
    required: float | None
    # Whether the required ratio is that of operations per CPU second of the server.
    by_cpu: bool = False

    @property
    def ratios(self) -> list[float]:
        """Our rate divided by theirs, round by round."""
        return [a / b for a, b in zip(self.ours.rates, self.theirs.rates, strict=True)]

    @property
    def ratio(self) -> float:
        """The ratio that counts: the median over all rounds, or that of the CPU time."""
        if self.by_cpu:
            return self.theirs.microseconds / self.ours.microseconds
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


def listing(position: Position) -> pb.EnumerateMovesRequest:
    """A request for all moves of a position, in full."""
    return pb.EnumerateMovesRequest(state=codec.encode(position))


def playing(position: Position) -> pb.ApplyMovesRequest:
    """A request to play the first move."""
    seat = position.actors[0]
    notation = position.notations(seat)[0]
    move = game_pb2.Move(seat=seat, notation=notation)
    return pb.ApplyMovesRequest(state=codec.encode(position), moves=[move])


class Loads:
    """The loads on the service and on the echo."""

    def __init__(self, service: Server, rest_address: str, bare: Server) -> None:
        self._service = service
        self._rest = rest_address
        self._bare = bare

    def call(self, name: str, data: bytes, operations: int = 1) -> Side:
        """A unary call."""
        load = unary(self._service.channel, SERVICE + name, data, operations)
        return Side(self._service.process, load)

    async def play(
        self, data: bytes, operations: int, window: int, streams: int = IN_FLIGHT
    ) -> Side:
        """Streams of operations."""
        size = len(await self._answer(data))
        channel = self._service.channel
        load = stream(channel, SERVICE + "Play", data, size, operations, window, streams)
        return Side(self._service.process, load)

    async def _answer(self, data: bytes) -> bytes:
        """The answer to one message of a stream."""
        method = self._service.channel.stream_stream(SERVICE + "Play", None, None)
        return b"".join([part async for part in method(iter([data]))])

    async def compared_with_echo(self, title: str, call: str, data: bytes, required: float) -> Row:
        """A unary call compared with an echo with requests and answers of the same sizes."""
        answer = await self._service.channel.unary_unary(SERVICE + call, None, None)(data)
        name = f"{call}, {title} ({len(data)} B in, {len(answer)} B out)"
        load = unary(self._bare.channel, f"{echo.UNARY}{len(answer)}", data)
        theirs = Side(self._bare.process, load)
        return Row(name, self.call(call, data), "echo", theirs, required)

    async def play_compared_with_echo(self, data: bytes) -> Row:
        """A stream compared with an echo stream of the same sizes."""
        size = len(await self._answer(data))
        name = f"Play, {COALESCED} per message ({len(data)} B in, {size} B out)"
        load = stream(self._bare.channel, f"{echo.STREAM}{size}", data, size, COALESCED, 1)
        theirs = Side(self._bare.process, load)
        return Row(name, await self.play(data, COALESCED, 1), "echo of streams", theirs, None)

    async def rows(self) -> list[Row]:
        """All rows."""
        rows = []
        for name in GAMES:
            position = middle_of(name)
            for call, request in (
                ("EnumerateMoves", listing(position)),
                ("ApplyMoves", playing(position)),
            ):
                data = request.SerializeToString()
                rows.append(await self.compared_with_echo(name, call, data, UNARY))
        sowing = longest_list()
        title = f"{sowing.count_moves(sowing.actors[0])} moves of Contigo's sowing"
        data = listing(sowing).SerializeToString()
        rows.append(await self.compared_with_echo(title, "EnumerateMoves", data, LONG_LIST))
        return [*rows, *await self.amortised(playing(middle_of("contigo-alignment")))]

    async def amortised(self, request: pb.ApplyMovesRequest) -> list[Row]:
        """The same operation in batches, in streams and over REST, compared with unary calls."""
        operation = pb.Operation(apply_moves=request, id=1)
        batch = pb.BatchRequest(operations=[operation] * BATCHED).SerializeToString()
        many = pb.PlayRequest(operations=[operation] * COALESCED).SerializeToString()
        one = pb.PlayRequest(operations=[operation]).SerializeToString()
        alone = request.SerializeToString()
        over_rest = rest(self._rest, "/v1/states:applyMoves", as_json(request))
        ways: list[tuple[str, Side, float]] = [
            (f"Batch of {BATCHED}", self.call("Batch", batch, BATCHED), BATCH),
            (f"Play, {COALESCED} per message", await self.play(many, COALESCED, 1), PLAY),
            ("Play, one per message", await self.play(one, 1, COALESCED), PLAY),
            # One caller with as many in flight as all of those together.
            (
                "Play, one per message, one stream",
                await self.play(one, 1, IN_FLIGHT * COALESCED, streams=1),
                PLAY,
            ),
            ("REST ApplyMoves", Side(self._service.process, over_rest), REST),
        ]
        rows = [
            Row(name, side, "unary", self.call("ApplyMoves", alone), required)
            for name, side, required in ways
        ]
        return [*rows, await self.play_compared_with_echo(many)]


def as_json(request: pb.ApplyMovesRequest) -> bytes:
    """A request in JSON."""
    move = {"seat": request.moves[0].seat, "notation": request.moves[0].notation}
    state = base64.urlsafe_b64encode(request.state).decode()
    return json.dumps({"state": state, "moves": [move]}).encode()


async def compare(service: Served, bare: Served) -> list[Row]:
    """Measure all rows."""
    options = [("grpc.max_receive_message_length", 2**26)]
    async with (
        aio.insecure_channel(service.grpc, options) as channel,
        aio.insecure_channel(bare.grpc, options) as echoing,
    ):
        loads = Loads(Server(service.process, channel), service.rest, Server(bare.process, echoing))
        rows = await loads.rows()
        for _ in track(range(ROUNDS), "Transports", console=Console(stderr=True)):
            for row in rows:
                await row.measure()
    return rows


def report(rows: list[Row]) -> Table:
    """Rates, ratios with their quartiles, required ratios, and the cost of an operation."""
    table = Table(title=f"Operations per second, median of {ROUNDS} paired slices; {machine()}")
    for title in ("load", "compared with"):
        table.add_column(title)
    for title in (
        "per second",
        "baseline",
        "ratio",
        "quartiles",
        "by CPU",
        "required",
        "",
        "server CPU, us",
    ):
        table.add_column(title, justify="right")
    for row in rows:
        low, middle, high = statistics.quantiles(row.ratios, n=4)
        table.add_row(
            row.name,
            row.baseline,
            f"{statistics.median(row.ours.rates):,.0f}",
            f"{statistics.median(row.theirs.rates):,.0f}",
            f"{middle:.2f}",
            f"{low:.2f}-{high:.2f}",
            f"{row.theirs.microseconds / row.ours.microseconds:.2f}",
            "" if row.required is None else f"{row.required:g}{' by CPU' if row.by_cpu else ''}",
            "" if row.required is None else "ok" if row.reached else "BELOW",
            f"{row.ours.microseconds:.1f} ({row.theirs.microseconds:.1f})",
        )
    return table


def main() -> int:
    """Measure, print, and return 0 if every required ratio was reached."""
    with served() as service, served(ECHO) as bare:
        rows = uvloop.run(compare(service, bare))
    Console(width=None if sys.stdout.isatty() else 180).print(report(rows))
    return 0 if all(row.reached for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
