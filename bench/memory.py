"""Whether a worker stays small under every kind of call: `python -m bench.memory --minutes 10`.

Unary calls, batches, streams, REST, advice, failing and cancelled calls take turns, on a service
with API keys and sealed tokens. Its memory must stay below a maximum and must not grow; the limits
are those of the load tests.
"""

from __future__ import annotations

import asyncio
import base64
import sys
import time
import tomllib
from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import partial
from typing import Any

import click
import grpc
import uvloop
from grpc import aio
from rich.console import Console
from rich.progress import Progress
from rich.table import Table
from tablier.v1 import advisor_service_pb2
from tablier.v1 import game_service_pb2 as pb
from tablier_core.registry import GAMES
from tablier_service.security.sealing import SealedTokens

from bench.loads import IN_FLIGHT, rest, unary
from bench.memory_watch import MemoryWatch
from bench.record import machine
from bench.secured import METADATA, SEAL_KEY, secured
from bench.served import Served
from bench.transports import SERVICE, as_json, listing, middle_of, playing
from loadtests.objectives import FILE

ADVISOR = "/tablier.v1.AdvisorService/"
# Each kind of call has the service for this long before the next.
TURN_SECONDS = 0.5

Turn = Callable[[], Awaitable[object]]


def turns(channel: aio.Channel, service: Served) -> list[Turn]:
    """All kinds of calls, about the states of all games."""
    write = SealedTokens(GAMES, {1: SEAL_KEY}).write
    found: list[Turn] = []

    def add_unary(path: str, request: Any) -> None:
        load = unary(channel, path, request.SerializeToString(), metadata=METADATA)
        found.append(partial(load, TURN_SECONDS))

    for name in GAMES:
        position = middle_of(name)
        state, seat = write(position), position.actors[0]
        played = playing(position, write)
        add_unary(f"{SERVICE}ApplyMoves", played)
        add_unary(f"{SERVICE}EnumerateMoves", listing(position, write))
        view = pb.Operation(describe_state=pb.DescribeStateRequest(state=state, seat=seat))
        picture = pb.Operation(render_state=pb.RenderStateRequest(state=state, seat=seat))
        add_unary(f"{SERVICE}Batch", pb.BatchRequest(operations=[view, picture] * 16))
        over_rest = rest(service.rest, "/v1/states:applyMoves", as_json(played), METADATA)
        found += [
            partial(over_rest, TURN_SECONDS),
            partial(play, channel, pb.PlayRequest(operations=[view])),
            partial(analyse, channel, state, seat),
        ]
    found.append(partial(fail, channel))
    return found


async def repeat(call: Callable[[], Awaitable[object]]) -> None:
    """Make calls in a few loops, whether or not they succeed."""
    end = time.monotonic() + TURN_SECONDS

    async def caller() -> None:
        while time.monotonic() < end:
            with suppress(grpc.aio.AioRpcError):
                await call()

    await asyncio.gather(*(caller() for _ in range(IN_FLIGHT)))


async def play(channel: aio.Channel, request: pb.PlayRequest) -> None:
    """Short streams: some end, and others are cancelled."""
    method: Any = channel.stream_stream(f"{SERVICE}Play", None, None)
    data = request.SerializeToString()
    ends = 0

    async def call() -> None:
        nonlocal ends
        stream = method(metadata=METADATA)
        for _ in range(8):
            await stream.write(data)
            await stream.read()
        ends += 1
        if ends % 2:
            stream.cancel()
        else:
            await stream.done_writing()
            await stream.read()

    await repeat(call)


async def analyse(channel: aio.Channel, state: bytes, seat: int) -> None:
    """Streams of reports that are cancelled after the first one."""
    method: Any = channel.unary_stream(f"{ADVISOR}StreamAnalysis", None, None)
    request = advisor_service_pb2.StreamAnalysisRequest(
        state=state, seat=seat, interval_milliseconds=10
    ).SerializeToString()

    async def call() -> None:
        stream = method(request, metadata=METADATA)
        await stream.read()
        stream.cancel()

    await repeat(call)


async def fail(channel: aio.Channel) -> None:
    """Calls without credentials, and with an invalid token."""
    method: Any = channel.unary_unary(f"{SERVICE}EnumerateMoves", None, None)
    request = pb.EnumerateMovesRequest(state=b"not a token").SerializeToString()
    for metadata in ((), METADATA):
        await repeat(partial(method, request, metadata=metadata))


async def load(service: Served, seconds: float) -> None:
    """Load a service with all kinds of calls in turn."""
    console = Console(stderr=True)
    begun = time.monotonic()
    options = [("grpc.max_receive_message_length", 2**26)]
    async with aio.insecure_channel(service.grpc, options) as channel:
        kinds = turns(channel, service)
        with Progress(console=console, transient=True) as progress:
            task = progress.add_task("Memory", total=seconds)
            while (spent := time.monotonic() - begun) < seconds:
                for turn in kinds:
                    await turn()
                progress.update(task, completed=spent)


@click.command()
@click.option("--minutes", default=10.0, show_default=True, help="Duration of the load.")
def main(minutes: float) -> None:
    """Load a service and watch its memory; exits with 1 if it is too large or grows."""
    seal_keys = f"1:{base64.b64encode(SEAL_KEY).decode()}"
    with (
        secured(seal_keys=seal_keys) as service,
        MemoryWatch(service.process, minutes * 60) as memory,
    ):
        uvloop.run(load(service, minutes * 60))
    table = Table("second", "MB", title=f"Resident memory; {machine()}")
    for second, megabytes in memory.samples:
        table.add_row(f"{second:.0f}", f"{megabytes:.1f}")
    Console().print(table)
    exceeded = memory.exceeded(tomllib.loads(FILE.read_text())["memory"])
    for line in exceeded:
        print(line)
    sys.exit(bool(exceeded))


if __name__ == "__main__":
    main()
