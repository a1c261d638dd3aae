"""What other ways to serve gRPC cost: `python -m bench.polling`, for docs/adr/0009 and 0014.

The service is compared with itself, with the default experiments of gRPC and with its asyncio
server; loads take turns as in `bench.transports`. No ratio is required.
"""

from __future__ import annotations

import sys

import uvloop
from grpc import aio
from rich.console import Console
from rich.progress import track
from tablier.v1 import game_service_pb2 as pb

from bench.loads import IN_FLIGHT
from bench.served import Served, served
from bench.transports import (
    COALESCED,
    ROUNDS,
    Loads,
    Row,
    Server,
    Side,
    middle_of,
    playing,
    report,
)


async def sides(loads: Loads) -> dict[str, Side]:
    """The loads with the smallest messages, for which polling matters most."""
    request = playing(middle_of("contigo-alignment"))
    message = pb.PlayRequest(operations=[pb.Operation(apply_moves=request, id=1)])
    data = message.SerializeToString()
    return {
        "ApplyMoves": loads.call("ApplyMoves", request.SerializeToString()),
        f"Play, {IN_FLIGHT} streams": await loads.play(data, 1, COALESCED),
        "Play, one stream": await loads.play(data, 1, IN_FLIGHT * COALESCED, streams=1),
    }


async def compare(service: Served, default: Served, name: str) -> list[Row]:
    """Measure all rows, compared with another server of this name."""
    async with (
        aio.insecure_channel(service.grpc) as channel,
        aio.insecure_channel(default.grpc) as other,
    ):
        ours, theirs = Server(service.process, channel), Server(default.process, other)
        own = await sides(Loads(ours, service.rest))
        baseline = await sides(Loads(theirs, default.rest))
        rows = [Row(load, own[load], name, baseline[load], None) for load in own]
        for _ in track(range(ROUNDS), "Polling", console=Console(stderr=True)):
            for row in rows:
                await row.measure()
    return rows


def main() -> int:
    """Measure and print."""
    with served() as service, served(experiments="") as default:
        rows = uvloop.run(compare(service, default, "the pool of gRPC"))
    with served() as service, served(grpc_server="asyncio") as asyncio:
        rows += uvloop.run(compare(service, asyncio, "the asyncio server"))
    Console(width=None if sys.stdout.isatty() else 140).print(report(rows))
    return 0


if __name__ == "__main__":
    sys.exit(main())
