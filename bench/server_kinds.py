"""Which kind of gRPC server is fastest for the real methods: asyncio, uvloop, or threads.

All servers run at once and are loaded in turn, in short slices, so that a noisy machine disturbs
all of them. Rates are compared within a round; the median of the ratios is printed.
"""

from __future__ import annotations

import asyncio
import statistics
import subprocess
import sys
import time

import grpc
from rich.console import Console
from rich.progress import track
from rich.table import Table
from tablier.v1 import game_pb2
from tablier.v1 import game_service_pb2 as pb
from tablier_core import codec
from tablier_core.registry import GAMES

from bench.servers import ECHO

KINDS = ("aio", "uvloop", "threads-2", "threads-10")
IN_FLIGHT = 8
ROUNDS = 12
SLICE_SECONDS = 0.5


def requests() -> dict[str, tuple[str, bytes]]:
    """The calls that are compared: a path and the bytes of a request."""
    start = GAMES["contigo-alignment"].start({"first": 0}, 1)
    apply = pb.ApplyMovesRequest(
        state=codec.encode(start), moves=[game_pb2.Move(notation="a6-a4")]
    ).SerializeToString()
    listing = pb.EnumerateMovesRequest(state=codec.encode(start)).SerializeToString()
    service = "/tablier.v1.GameService"
    return {
        "echo": (ECHO, apply),
        "ApplyMoves": (f"{service}/ApplyMoves", apply),
        "EnumerateMoves": (f"{service}/EnumerateMoves", listing),
    }


async def rate(channel: grpc.aio.Channel, path: str, data: bytes, seconds: float) -> float:
    """Calls per second with a few in flight."""
    call = channel.unary_unary(path, None, None)
    end = time.perf_counter() + seconds
    count = 0

    async def caller() -> None:
        nonlocal count
        while time.perf_counter() < end:
            await call(data)
            count += 1

    begun = time.perf_counter()
    await asyncio.gather(*(caller() for _ in range(IN_FLIGHT)))
    return count / (time.perf_counter() - begun)


async def compare(ports: dict[str, int]) -> dict[tuple[str, str], list[float]]:
    """Rates by server and call, a list over the rounds."""
    channels = {
        kind: grpc.aio.insecure_channel(f"127.0.0.1:{port}") for kind, port in ports.items()
    }
    rates: dict[tuple[str, str], list[float]] = {}
    for _ in track(range(ROUNDS), "Servers", console=Console(stderr=True)):
        for name, (path, data) in requests().items():
            for kind, channel in channels.items():
                found = await rate(channel, path, data, SLICE_SECONDS)
                rates.setdefault((kind, name), []).append(found)
    for channel in channels.values():
        await channel.close(None)
    return rates


def main() -> int:
    """Print rates and ratios to the asyncio server; none is required."""
    servers = {
        kind: subprocess.Popen(
            [sys.executable, "-m", "bench.servers", kind, "120"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for kind in KINDS
    }
    ports = {}
    for kind, server in servers.items():
        assert server.stdout is not None
        ports[kind] = int(server.stdout.readline())
    rates = asyncio.run(compare(ports))
    for server in servers.values():
        server.communicate()
    table = Table(title="gRPC servers with the real methods, 8 calls in flight")
    for column in ("call", *(f"{kind}: calls/s (ratio to aio)" for kind in KINDS)):
        table.add_column(column, justify="left" if column == "call" else "right")
    for name in requests():
        base = rates["aio", name]
        row = [name]
        for kind in KINDS:
            mine = rates[kind, name]
            ratio = statistics.median(a / b for a, b in zip(mine, base, strict=True))
            row.append(f"{statistics.median(mine):,.0f} ({ratio:.2f})")
        table.add_row(*row)
    Console().print(table)
    return 0


if __name__ == "__main__":
    sys.exit(main())
