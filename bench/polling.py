"""What gRPC's own pool of threads would cost: `python -m bench.polling`, for docs/adr/0009.

The service as it is installed, beside the same service with gRPC's default experiments; loads take
turns as in `bench.doors`. Nothing is required of the ratios.
"""

from __future__ import annotations

import sys

import uvloop
from grpc import aio
from rich.console import Console
from rich.progress import track
from tablier.v1 import game_service_pb2 as pb

from bench.doors import COALESCED, ROUNDS, Doors, Row, Server, Side, middle_of, playing, report
from bench.loads import IN_FLIGHT
from bench.served import Served, served


async def sides(doors: Doors) -> dict[str, Side]:
    """The loads whose messages are the smallest, so that what carries them counts most."""
    request = playing(middle_of("contigo-alignment"))
    message = pb.PlayRequest(operations=[pb.Operation(apply_moves=request, id=1)])
    data = message.SerializeToString()
    return {
        "ApplyMoves": doors.call("ApplyMoves", request.SerializeToString()),
        f"Play, {IN_FLIGHT} streams": await doors.play(data, 1, COALESCED),
        "Play, one stream": await doors.play(data, 1, IN_FLIGHT * COALESCED, streams=1),
    }


async def compare(service: Served, default: Served) -> list[Row]:
    """All rows, measured."""
    async with (
        aio.insecure_channel(service.grpc) as channel,
        aio.insecure_channel(default.grpc) as other,
    ):
        ours, theirs = Server(service.process, channel), Server(default.process, other)
        loads = await sides(Doors(ours, service.rest, theirs))
        beside = await sides(Doors(theirs, default.rest, ours))
        rows = [Row(name, loads[name], "gRPC's pool", beside[name], None) for name in loads]
        for _ in track(range(ROUNDS), "Polling", console=Console(stderr=True)):
            for row in rows:
                await row.measure()
    return rows


def main() -> int:
    """Measure and print."""
    with served() as service, served(experiments="") as default:
        rows = uvloop.run(compare(service, default))
    Console(width=None if sys.stdout.isatty() else 140).print(report(rows))
    return 0


if __name__ == "__main__":
    sys.exit(main())
