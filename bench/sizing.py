"""The sizing table of docs/operations.md: `python -m bench.sizing` prints it as Markdown.

With `--write` it replaces the one on the page. Only the CPU time of the server counts, over the
mid-game states of all games in equal shares of time. So the table says how many calls a core can
serve, whatever the clients cost and wherever they run.
"""

from __future__ import annotations

import argparse
import statistics
import sys
from typing import Any, NamedTuple

import uvloop
from google.protobuf.json_format import MessageToJson
from grpc import aio
from rich.console import Console
from rich.progress import track
from tablier.v1 import advisor_service_pb2, game_pb2
from tablier.v1 import game_service_pb2 as pb
from tablier_core import codec
from tablier_core.position import Position
from tablier_core.registry import GAMES
from tablier_service.observability.processes import usage_of

from bench.loads import rest, stream, unary
from bench.record import machine, put_on_page
from bench.secured import METADATA, secured
from bench.served import Served, served
from bench.transports import BATCHED, COALESCED, SERVICE, Side, cpu_seconds, middle_of

ROUNDS = 5
# For every game; half a second is enough to measure the cost of an iteration.
SEARCH_MILLISECONDS = 500
SEARCHES = 3
WAYS = (
    "gRPC",
    f"`Batch` of {BATCHED}",
    f"`Play`, {COALESCED} per message",
    "REST",
    "gRPC with an API key",
    "REST with an API key",
)


class Target(NamedTuple):
    """A service, and a channel to it."""

    service: Served
    channel: aio.Channel


def requests_about(position: Position) -> dict[str, tuple[str, Any]]:
    """The calls that are measured: the field of the operation, and the request."""
    state, seat = codec.encode(position), position.actors[0]
    move = game_pb2.Move(seat=seat, notation=position.notations(seat)[0])
    return {
        "EnumerateMoves": ("enumerate_moves", pb.EnumerateMovesRequest(state=state)),
        "ApplyMoves": ("apply_moves", pb.ApplyMovesRequest(state=state, moves=[move])),
        "DescribeState": ("describe_state", pb.DescribeStateRequest(state=state, seat=seat)),
        "RenderState": ("render_state", pb.RenderStateRequest(state=state, seat=seat)),
    }


ROUTES = {
    "EnumerateMoves": "enumerateMoves",
    "ApplyMoves": "applyMoves",
    "DescribeState": "describe",
    "RenderState": "render",
}


async def sides(open_: Target, keyed: Target, call: str, position: Position) -> list[Side]:
    """One call about one position in each of the ways."""
    field, request = requests_about(position)[call]
    operation = pb.Operation(id=1, **{field: request})
    batch = pb.BatchRequest(operations=[operation] * BATCHED).SerializeToString()
    many = pb.PlayRequest(operations=[operation] * COALESCED).SerializeToString()
    play: Any = open_.channel.stream_stream(f"{SERVICE}Play", None, None)
    size = sum([len(part) async for part in play(iter([many]))])
    data, body = request.SerializeToString(), MessageToJson(request, indent=None).encode()
    path, route = SERVICE + call, f"/v1/states:{ROUTES[call]}"
    process, secured_process = open_.service.process, keyed.service.process
    return [
        Side(process, unary(open_.channel, path, data)),
        Side(process, unary(open_.channel, f"{SERVICE}Batch", batch, BATCHED)),
        Side(process, stream(open_.channel, f"{SERVICE}Play", many, size, COALESCED, 1)),
        Side(process, rest(open_.service.rest, route, body)),
        Side(secured_process, unary(keyed.channel, path, data, metadata=METADATA)),
        Side(secured_process, rest(keyed.service.rest, route, body, METADATA)),
    ]


async def measure_calls(open_: Target, keyed: Target) -> dict[str, list[list[Side]]]:
    """The measured sides of every way, by call and game."""
    measured = {
        call: [await sides(open_, keyed, call, middle_of(game)) for game in GAMES]
        for call in ROUTES
    }
    for _ in track(range(ROUNDS), "Calls", console=Console(stderr=True)):
        for games in measured.values():
            for ways in games:
                for side in ways:
                    await side.measure()
    return measured


async def measure_searches(target: Target) -> dict[str, float]:
    """Iterations per second of CPU time, by game."""
    process = target.service.process
    advise: Any = target.channel.unary_unary("/tablier.v1.AdvisorService/SuggestMoves", None, None)
    found = {}
    for game in track(GAMES, "Searches", console=Console(stderr=True)):
        position = middle_of(game)
        rates = []
        for seed in range(SEARCHES):
            request = advisor_service_pb2.SuggestMovesRequest(
                state=codec.encode(position),
                seat=position.actors[0],
                budget=advisor_service_pb2.Budget(milliseconds=SEARCH_MILLISECONDS),
                seed=seed,
            )
            before = cpu_seconds(process)
            answer = await advise(request.SerializeToString())
            spent = cpu_seconds(process) - before
            made = advisor_service_pb2.SuggestMovesResponse.FromString(answer).iterations
            rates.append(made / spent if spent else 0.0)
        found[game] = statistics.median(rates)
    return found


def calls_a_core(games: list[list[Side]], way: int) -> float:
    """Calls per second of CPU time, over all games."""
    sides_of_way = [ways[way] for ways in games]
    seconds = sum(side.cpu_seconds for side in sides_of_way)
    return sum(side.operations for side in sides_of_way) / seconds


def rounded(value: float) -> str:
    """Round to two digits, because the next run would differ in the third."""
    return f"{float(f'{value:.1e}'):,.0f}"


def page(
    measured: dict[str, list[list[Side]]], searches: dict[str, float], megabytes: float
) -> str:
    """Write the tables as Markdown."""
    lines = [
        f"Calls per second that one core can serve, by the CPU time of the server; {machine()}:",
        "",
        f"| call | {' | '.join(WAYS)} |",
        f"|---|{'---:|' * len(WAYS)}",
    ]
    for call, games in measured.items():
        figures = (rounded(calls_a_core(games, way)) for way in range(len(WAYS)))
        lines.append(f"| `{call}` | {' | '.join(figures)} |")
    lines += [
        "",
        f"Afterwards, a worker had {megabytes:.0f} MB. Search iterations per second of one core,",
        "or 0 if the engine of the game answers without a search:",
        "",
        f"| {' | '.join(searches)} |",
        f"|{'---:|' * len(searches)}",
        f"| {' | '.join(rounded(rate) for rate in searches.values())} |",
    ]
    return "\n".join(lines) + "\n"


async def measure(service: Served, with_keys: Served) -> str:
    """Measure a service, and one with authentication."""
    options = [("grpc.max_receive_message_length", 2**26)]
    async with (
        aio.insecure_channel(service.grpc, options) as channel,
        aio.insecure_channel(with_keys.grpc, options) as secured_channel,
    ):
        open_ = Target(service, channel)
        measured = await measure_calls(open_, Target(with_keys, secured_channel))
        usage = usage_of(service.process)
        assert usage is not None
        searches = await measure_searches(open_)
    return page(measured, searches, usage.resident_bytes / 2**20)


def main() -> None:
    """Measure, and print the table or put it on the page."""
    parser = argparse.ArgumentParser(description="Measure the figures of docs/operations.md.")
    parser.add_argument("--write", action="store_true", help="put them on the page")
    write = parser.parse_args().write
    with served() as service, secured() as with_keys:
        text = uvloop.run(measure(service, with_keys))
    if write:
        put_on_page("sizing", text)
    else:
        sys.stdout.write(text)


if __name__ == "__main__":
    main()
