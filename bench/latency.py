"""Whether the direct server delays calls more than asyncio's: `python -m bench.latency`.

Cheap calls are sent at a steady rate, whether or not earlier ones have been answered, in turn to
the service on either server: alone at half of the rate that saturates asyncio's server, next to
callers that ask for advice, and on one transport while the other is saturated. The slowest
hundredth must not take longer than on asyncio's server.
"""

from __future__ import annotations

import asyncio
import base64
import json
import multiprocessing
import statistics
import sys
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from multiprocessing.synchronize import Event

import uvloop
from grpc import aio
from rich.console import Console
from rich.progress import track
from rich.table import Table
from tablier.v1 import game_service_pb2 as pb

from bench.lanes import ADVISED, STATE, ask_for_advice, p99
from bench.loads import Failed, RestClient, rest, unary
from bench.record import machine, note
from bench.served import Served, served

ROUNDS = 8
SECONDS = 3.0
# Calls per second next to another load.
RATE = 200
# New by old, as in `bench.builds`.
NO_WORSE = 1.05
LIST_MOVES = "/tablier.v1.GameService/EnumerateMoves"
ROUTE = "/v1/states:enumerateMoves"
REQUEST = pb.EnumerateMovesRequest(state=STATE).SerializeToString()
BODY = json.dumps({"state": base64.urlsafe_b64encode(STATE).decode()}).encode()
SPAWN = multiprocessing.get_context("spawn")

Call = Callable[[], Awaitable[object]]
Background = Callable[[Served, Event], Awaitable[None]]


async def saturate_grpc(service: Served, active: Event) -> None:
    """Keep gRPC saturated."""
    async with aio.insecure_channel(service.grpc) as channel:
        load = unary(channel, LIST_MOVES, REQUEST)
        while True:
            await (load(0.1) if active.is_set() else asyncio.sleep(0.01))


async def saturate_rest(service: Served, active: Event) -> None:
    """Keep REST saturated."""
    load = rest(service.rest, ROUTE, BODY)
    while True:
        await (load(0.1) if active.is_set() else asyncio.sleep(0.01))


async def advise(service: Served, active: Event) -> None:
    """Ask for advice as many callers."""
    while True:
        while not active.is_set():
            await asyncio.sleep(0.01)
        askers = [asyncio.ensure_future(ask_for_advice(service.grpc)) for _ in range(ADVISED)]
        while active.is_set():
            await asyncio.sleep(0.01)
        for asker in askers:
            asker.cancel()
        await asyncio.gather(*askers, return_exceptions=True)


def run_background(background: Background, service: Served, active: Event) -> None:
    """Load a service, in a process of its own."""

    async def run() -> None:
        await background(service, active)

    uvloop.run(run())


@contextmanager
def in_background(background: Background | None, service: Served) -> Iterator[Event]:
    """A load in another process, which waits until it becomes active."""
    active = SPAWN.Event()
    if background is None:
        yield active
        return
    process = SPAWN.Process(target=run_background, args=(background, service, active), daemon=True)
    process.start()
    try:
        yield active
    finally:
        process.kill()
        process.join()


@dataclass
class Side:
    """Calls to one server, and the load that it has besides."""

    call: Call
    active: Event
    rounds: list[list[float]] = field(default_factory=list)

    async def measure(self, rate: float) -> None:
        """Run one more round."""
        self.active.set()
        # The other load begins.
        await asyncio.sleep(0.5)
        self.rounds.append(await steadily(self.call, rate, SECONDS))
        self.active.clear()
        await asyncio.sleep(0.2)

    @property
    def p99(self) -> float:
        """The time that one call in a hundred exceeds, in the median round."""
        return statistics.median(map(p99, self.rounds))


@dataclass
class Row:
    """The same calls to both servers, at a rate."""

    name: str
    rate: float
    direct: Side
    on_asyncio: Side

    @property
    def ratios(self) -> list[float]:
        """The p99 of the direct server by that of asyncio's, round by round."""
        pairs = zip(self.direct.rounds, self.on_asyncio.rounds, strict=True)
        return [p99(direct) / p99(other) for direct, other in pairs]

    @property
    def reached(self) -> bool:
        """Whether the direct server is no worse."""
        return statistics.median(self.ratios) <= NO_WORSE

    async def measure(self) -> None:
        """Run one round of each, in alternating order."""
        sides = [self.direct, self.on_asyncio]
        for side in reversed(sides) if len(self.direct.rounds) % 2 else sides:
            await side.measure(self.rate)


async def steadily(call: Call, rate: float, seconds: float) -> list[float]:
    """The seconds that calls took, each sent when it was due."""

    async def timed() -> float:
        begun = time.perf_counter()
        try:
            await call()
        except (aio.AioRpcError, OSError, EOFError, Failed):
            # A server that is overloaded rejects calls, which is as bad as answering too late.
            return seconds
        return time.perf_counter() - begun

    begun = time.perf_counter()
    calls = []
    for number in range(round(rate * seconds)):
        await asyncio.sleep(begun + number / rate - time.perf_counter())
        calls.append(asyncio.ensure_future(timed()))
    return await asyncio.gather(*calls)


def over_grpc(service: Served) -> Call:
    """A unary call."""
    call = aio.insecure_channel(service.grpc).unary_unary(LIST_MOVES, None, None)
    return lambda: call(REQUEST)


def over_rest(service: Served) -> Call:
    """The same call over REST."""
    client = RestClient(service.rest.rpartition("/")[2], "", None)
    return lambda: client.ask("POST", ROUTE, BODY)


async def saturation(service: Served) -> float:
    """Calls per second of a saturated server."""
    async with aio.insecure_channel(service.grpc) as channel:
        load = unary(channel, LIST_MOVES, REQUEST)
        await load(0.5)
        done = await load(2.0)
    return done.operations / done.seconds


KINDS: tuple[tuple[str, Callable[[Served], Call], Background | None], ...] = (
    ("gRPC at half of saturation", over_grpc, None),
    (f"gRPC next to {ADVISED} callers that ask for advice", over_grpc, advise),
    ("REST while gRPC is saturated", over_rest, saturate_grpc),
    ("gRPC while REST is saturated", over_grpc, saturate_rest),
)


async def compare(stack: ExitStack, direct: Served, on_asyncio: Served) -> list[Row]:
    """Measure all rows."""
    half = await saturation(on_asyncio) / 2
    rows = []
    for name, call, background in KINDS:
        sides = (
            Side(call(service), stack.enter_context(in_background(background, service)))
            for service in (direct, on_asyncio)
        )
        rows.append(Row(name, half if background is None else RATE, next(sides), next(sides)))
    for row in rows:
        # Connections open, and processes start.
        for side in (row.direct, row.on_asyncio):
            await steadily(side.call, 20, 0.5)
    for _ in track(range(ROUNDS), "Latency", console=Console(stderr=True)):
        for row in rows:
            await row.measure()
    return rows


def report(rows: list[Row]) -> Table:
    """The p99 on both servers, and the ratios with their quartiles."""
    table = Table("calls", title=f"p99 in ms, median of {ROUNDS} paired rounds; {machine()}")
    for title in ("per second", "direct", "asyncio", "ratio", "quartiles", "at most", ""):
        table.add_column(title, justify="right")
    for row in rows:
        low, middle, high = statistics.quantiles(row.ratios, n=4)
        table.add_row(
            row.name,
            f"{row.rate:,.0f}",
            f"{row.direct.p99 * 1e3:.2f}",
            f"{row.on_asyncio.p99 * 1e3:.2f}",
            f"{middle:.2f}",
            f"{low:.2f}-{high:.2f}",
            f"{NO_WORSE:g}",
            "ok" if row.reached else "ABOVE",
        )
    return table


def main() -> int:
    """Measure, print, and return 0 if calls are no slower on the direct server."""
    with ExitStack() as stack:
        direct = stack.enter_context(served())
        on_asyncio = stack.enter_context(served(grpc_server="asyncio"))
        rows = uvloop.run(compare(stack, direct, on_asyncio))
    for row in rows:
        note("latency", f"p99, {row.name}, to asyncio", row.ratios, NO_WORSE, lower=True)
    Console(width=None if sys.stdout.isatty() else 140).print(report(rows))
    return 0 if all(row.reached for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
