"""Whether searches delay cheap calls: `python -m bench.lanes`.

Cheap calls are sent at a steady rate, whether or not earlier ones have been answered, in turn to an
idle server and to one that 32 callers ask for advice in a loop. Every cheap call must succeed, and
the slowest hundredth may take up to three times as long under load.
"""

from __future__ import annotations

import asyncio
import statistics
import sys
import time
from contextlib import suppress

import grpc
from rich.console import Console
from rich.progress import track
from rich.table import Table
from tablier.v1 import advisor_service_pb2, advisor_service_pb2_grpc
from tablier.v1 import game_service_pb2 as pb
from tablier.v1.game_service_pb2_grpc import GameServiceStub
from tablier_core import codec
from tablier_core.registry import GAMES

from bench.record import note
from bench.served import served

ADVISED = 32
RATE = 200
ROUNDS = 6
SECONDS = 4.0
REQUIRED = 3.0

STATE = codec.encode(GAMES["contigo-alignment"].start({"first": 0}, 1))


async def latencies(channel: grpc.aio.Channel) -> list[float]:
    """The seconds that cheap calls took, each sent when it was due; raises if one fails."""
    stub = GameServiceStub(channel)
    request = pb.EnumerateMovesRequest(state=STATE)

    async def call(due: float) -> float:
        await stub.EnumerateMoves(request)
        return time.perf_counter() - due

    begun = time.perf_counter()
    calls = []
    for number in range(round(RATE * SECONDS)):
        due = begun + number / RATE
        await asyncio.sleep(due - time.perf_counter())
        calls.append(asyncio.ensure_future(call(time.perf_counter())))
    return await asyncio.gather(*calls)


async def ask_for_advice(address: str) -> None:
    """Ask again and again, even if the search is rejected."""
    async with grpc.aio.insecure_channel(address) as channel:
        stub = advisor_service_pb2_grpc.AdvisorServiceStub(channel)
        request = advisor_service_pb2.SuggestMovesRequest(state=STATE)
        while True:
            with suppress(grpc.aio.AioRpcError):
                await stub.SuggestMoves(request)


async def compare(address: str) -> tuple[list[list[float]], list[list[float]]]:
    """Latencies by round: idle, and under load."""
    idle, loaded = [], []
    async with grpc.aio.insecure_channel(address) as channel:
        for _ in track(range(ROUNDS), "Lanes", console=Console(stderr=True)):
            idle.append(await latencies(channel))
            askers = [asyncio.ensure_future(ask_for_advice(address)) for _ in range(ADVISED)]
            await asyncio.sleep(0.5)
            loaded.append(await latencies(channel))
            for asker in askers:
                asker.cancel()
            await asyncio.gather(*askers, return_exceptions=True)
    return idle, loaded


def p99(seconds: list[float]) -> float:
    """The time that one call in a hundred exceeds."""
    return statistics.quantiles(seconds, n=100)[98]


def main() -> int:
    """Print a table; returns 1 if searches delay cheap calls."""
    with served() as service:
        idle, loaded = asyncio.run(compare(service.grpc))
    table = Table(title=f"EnumerateMoves at {RATE}/s while {ADVISED} callers ask for advice")
    for column in ("", "p50 (ms)", "p99 (ms)", "calls, all answered"):
        table.add_column(column, justify="right")
    for name, rounds in (("idle", idle), ("loaded", loaded)):
        half = statistics.median(statistics.median(seconds) for seconds in rounds)
        most = statistics.median(map(p99, rounds))
        count = sum(map(len, rounds))
        table.add_row(name, f"{half * 1e3:.2f}", f"{most * 1e3:.2f}", f"{count}")
    ratios = [p99(b) / p99(a) for a, b in zip(idle, loaded, strict=True)]
    note("lanes", "p99 next to searches, to idle", ratios, REQUIRED, lower=True)
    ratio = statistics.median(ratios)
    Console().print(table)
    Console().print(f"p99 under load to idle, median of rounds: {ratio:.2f} (at most {REQUIRED})")
    return 0 if ratio <= REQUIRED else 1


if __name__ == "__main__":
    sys.exit(main())
