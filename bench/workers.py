"""What a second worker gains, compared with a second echo process: `python -m bench.workers`.

The echo processes are pinned and share a port like the workers of the service, and answer with as
many bytes. All four servers take turns in short slices; ratios are taken within a round. With a
number of processes as argument, it is that echo, until its standard input closes.
"""

from __future__ import annotations

import asyncio
import os
import statistics
import subprocess
import sys
import time
from contextlib import ExitStack
from multiprocessing import get_context

import grpc
import uvloop
from rich.console import Console
from rich.progress import track
from rich.table import Table
from tablier.v1 import game_pb2
from tablier.v1 import game_service_pb2 as pb
from tablier_service.observability.processes import own_cores
from tablier_service.process.supervisor import reserve_port

from bench.lanes import STATE
from bench.record import note
from bench.served import served
from bench.servers import ECHO, Paths

APPLY = "/tablier.v1.GameService/ApplyMoves"
REQUEST = pb.ApplyMovesRequest(
    state=STATE, moves=[game_pb2.Move(notation="a6-a4")]
).SerializeToString()
# A connection stays with its worker, so there are enough for both workers.
CONNECTIONS = 32
ROUNDS = 12
SLICE_SECONDS = 0.5
REQUIRED = 0.95


async def echo(port: int, reply: bytes) -> None:
    """Run one echo process until it is killed."""
    server = grpc.aio.server(options=[("grpc.so_reuseport", 1)])

    async def answer(_: bytes, __: object) -> bytes:
        return reply

    server.add_generic_rpc_handlers([Paths({ECHO: grpc.unary_unary_rpc_method_handler(answer)})])
    server.add_insecure_port(f"127.0.0.1:{port}")
    await server.start()
    await server.wait_for_termination()


def work(cores: set[int], port: int, reply: bytes) -> None:
    """One of the echo processes."""
    os.sched_setaffinity(0, cores)
    uvloop.run(echo(port, reply))


def serve_echo(processes: int, reply: bytes) -> None:
    """Run all processes of an echo; a single one is not pinned, like a single worker."""
    with ExitStack() as stack:
        port = reserve_port(stack, "127.0.0.1", 0, "the echo")
        fork = get_context("fork")
        cores = own_cores()
        shares = [{core} for core in cores[:processes]] if processes > 1 else [set(cores)]
        targets = [fork.Process(target=work, args=(share, port, reply)) for share in shares]
        for target in targets:
            target.start()
        sys.stdout.write(f"{port}\n")
        sys.stdout.flush()
        sys.stdin.read()
        for target in targets:
            target.kill()


async def rate(channels: list[grpc.aio.Channel], path: str) -> float:
    """Calls per second with one in flight per connection."""
    end = time.perf_counter() + SLICE_SECONDS
    count = 0

    async def caller(channel: grpc.aio.Channel) -> None:
        nonlocal count
        call = channel.unary_unary(path, None, None)
        while time.perf_counter() < end:
            await call(REQUEST, wait_for_ready=True)
            count += 1

    begun = time.perf_counter()
    await asyncio.gather(*map(caller, channels))
    return count / (time.perf_counter() - begun)


def open_channels(address: str) -> list[grpc.aio.Channel]:
    """Open separate connections to one address."""
    own = [("grpc.use_local_subchannel_pool", 1)]
    return [grpc.aio.insecure_channel(address, own) for _ in range(CONNECTIONS)]


async def compare(addresses: dict[str, str]) -> dict[str, list[float]]:
    """Rates by server, a list over the rounds."""
    channels = {name: open_channels(address) for name, address in addresses.items()}
    paths = {name: ECHO if name.startswith("echo") else APPLY for name in addresses}
    rates: dict[str, list[float]] = {name: [] for name in addresses}
    for name in addresses:
        await rate(channels[name], paths[name])
    for _ in track(range(ROUNDS), "Workers", console=Console(stderr=True)):
        for name in addresses:
            rates[name].append(await rate(channels[name], paths[name]))
    for opened in channels.values():
        for channel in opened:
            await channel.close(None)
    return rates


async def reply_size(address: str) -> int:
    """The size of the answer of the service, for the echo."""
    async with grpc.aio.insecure_channel(address) as channel:
        return len(await channel.unary_unary(APPLY, None, None)(REQUEST))


def main() -> int:
    """Print rates and gains; returns 1 if the service gains less than the echo."""
    with ExitStack() as stack:
        addresses = {
            f"service {workers}": stack.enter_context(served(workers=str(workers))).grpc
            for workers in (1, 2)
        }
        size = asyncio.run(reply_size(addresses["service 1"]))
        for processes in (1, 2):
            server = stack.enter_context(
                subprocess.Popen(
                    [sys.executable, "-m", "bench.workers", str(processes), str(size)],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    text=True,
                )
            )
            assert server.stdout is not None
            assert server.stdin is not None
            stack.callback(server.stdin.close)
            addresses[f"echo {processes}"] = f"127.0.0.1:{server.stdout.readline().strip()}"
        rates = asyncio.run(compare(addresses))
    table = Table(title=f"ApplyMoves compared with an echo, {CONNECTIONS} calls in flight")
    for column in ("", "1 process (calls/s)", "2 processes (calls/s)", "scales by"):
        table.add_column(column, justify="right")
    scales: dict[str, float] = {}
    gains: dict[str, list[float]] = {}
    for name in ("echo", "service"):
        one, two = rates[f"{name} 1"], rates[f"{name} 2"]
        gains[name] = [b / a for a, b in zip(one, two, strict=True)]
        scales[name] = statistics.median(gains[name])
        medians = (f"{statistics.median(found):,.0f}" for found in (one, two))
        table.add_row(name, *medians, f"{scales[name]:.2f}")
    ratio = scales["service"] / scales["echo"]
    ratios = [gain / scales["echo"] for gain in gains["service"]]
    note("workers", "gain of a second worker, to that of an echo", ratios, REQUIRED)
    Console().print(table)
    Console().print(
        f"the gain of the service to that of the echo: {ratio:.2f} (at least {REQUIRED})"
    )
    return 0 if ratio >= REQUIRED else 1


if __name__ == "__main__":
    if len(sys.argv) > 1:
        serve_echo(int(sys.argv[1]), bytes(int(sys.argv[2])))
    else:
        sys.exit(main())
