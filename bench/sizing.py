"""The sizing table of docs/operations.md: `python -m bench.sizing` prints it as Markdown.

With `--write` it replaces the one on the page. What is counted is the CPU time of the server alone,
over the mid-game states of all games in equal shares of time: it says how many calls a core
carries whatever the callers cost, and whether they share the machine or not.
"""

from __future__ import annotations

import statistics
import sys
from pathlib import Path
from typing import Any

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

from bench.core import machine
from bench.doors import BATCHED, COALESCED, SERVICE, Side, cpu_seconds, middle_of
from bench.loads import rest, stream, unary
from bench.served import Served, served

PAGE = Path(__file__).parents[1] / "docs" / "operations.md"
BEGIN, END = "<!-- sizing: begin -->\n", "<!-- sizing: end -->\n"
ROUNDS = 5
# Of every game; half a second settles what an iteration costs.
SEARCH_MILLISECONDS = 500
SEARCHES = 3
WAYS = ("gRPC", f"`Batch` of {BATCHED}", f"`Play`, {COALESCED} a message", "REST")


def requests_about(position: Position) -> dict[str, tuple[str, Any]]:
    """The calls that are measured: the operation's field, and the request."""
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


async def sides(channel: aio.Channel, service: Served, call: str, position: Position) -> list[Side]:
    """One call about one position, each of the ways."""
    field, request = requests_about(position)[call]
    operation = pb.Operation(id=1, **{field: request})
    batch = pb.BatchRequest(operations=[operation] * BATCHED).SerializeToString()
    many = pb.PlayRequest(operations=[operation] * COALESCED).SerializeToString()
    play: Any = channel.stream_stream(f"{SERVICE}Play", None, None)
    size = sum([len(part) async for part in play(iter([many]))])
    body = MessageToJson(request, indent=None).encode()
    loads = (
        unary(channel, SERVICE + call, request.SerializeToString()),
        unary(channel, f"{SERVICE}Batch", batch, BATCHED),
        stream(channel, f"{SERVICE}Play", many, size, COALESCED, 1),
        rest(service.rest, f"/v1/states:{ROUTES[call]}", body),
    )
    return [Side(service.process, load) for load in loads]


async def measure_calls(channel: aio.Channel, service: Served) -> dict[str, list[list[Side]]]:
    """By call and game, what each way did."""
    measured = {
        call: [await sides(channel, service, call, middle_of(game)) for game in GAMES]
        for call in ROUTES
    }
    for _ in track(range(ROUNDS), "Calls", console=Console(stderr=True)):
        for games in measured.values():
            for ways in games:
                for side in ways:
                    await side.measure()
    return measured


async def measure_searches(channel: aio.Channel, service: Served) -> dict[str, float]:
    """Iterations in a second of a core's time, by game."""
    advise: Any = channel.unary_unary("/tablier.v1.AdvisorService/SuggestMoves", None, None)
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
            before = cpu_seconds(service.process)
            answer = await advise(request.SerializeToString())
            spent = cpu_seconds(service.process) - before
            made = advisor_service_pb2.SuggestMovesResponse.FromString(answer).iterations
            rates.append(made / spent if spent else 0.0)
        found[game] = statistics.median(rates)
    return found


def calls_a_core(games: list[list[Side]], way: int) -> float:
    """Calls for a second of CPU time, over all games."""
    sides_of_way = [ways[way] for ways in games]
    seconds = sum(side.cpu_seconds for side in sides_of_way)
    return sum(side.operations for side in sides_of_way) / seconds


def rounded(value: float) -> str:
    """Two digits: more would not be the same tomorrow."""
    return f"{float(f'{value:.1e}'):,.0f}"


def page(
    measured: dict[str, list[list[Side]]], searches: dict[str, float], megabytes: float
) -> str:
    """All of it as Markdown."""
    lines = [
        f"Calls that a core carries in a second, by the server's CPU time; {machine()}:",
        "",
        f"| call | {' | '.join(WAYS)} |",
        f"|---|{'---:|' * len(WAYS)}",
    ]
    for call, games in measured.items():
        figures = (rounded(calls_a_core(games, way)) for way in range(len(WAYS)))
        lines.append(f"| `{call}` | {' | '.join(figures)} |")
    lines += [
        "",
        f"A worker had {megabytes:.0f} MB after that. Iterations of searches in a core's second,",
        "none where a game's engine answers without a search:",
        "",
        f"| {' | '.join(searches)} |",
        f"|{'---:|' * len(searches)}",
        f"| {' | '.join(rounded(rate) for rate in searches.values())} |",
    ]
    return "\n".join(lines) + "\n"


async def measure(service: Served) -> str:
    """The table of a service of its own."""
    options = [("grpc.max_receive_message_length", 2**26)]
    async with aio.insecure_channel(service.grpc, options) as channel:
        measured = await measure_calls(channel, service)
        usage = usage_of(service.process)
        assert usage is not None
        searches = await measure_searches(channel, service)
    return page(measured, searches, usage.resident_bytes / 2**20)


def main() -> None:
    """Measure, and print the table or put it on the page."""
    with served() as service:
        text = uvloop.run(measure(service))
    if "--write" in sys.argv[1:]:
        before, rest_of_page = PAGE.read_text().split(BEGIN)
        PAGE.write_text(before + BEGIN + text + END + rest_of_page.split(END)[1])
    else:
        sys.stdout.write(text)


if __name__ == "__main__":
    main()
