"""Compare this build with another one: `make bench-builds OLD=path/to/another/checkout`.

Both checkouts must be built. Every row runs in both builds in short slices that take turns, and
counts CPU time: of a worker process for the core, of the server for calls. The table shows new time
by old time with its 95% interval; a row fails when the upper end is above the limit.
"""

from __future__ import annotations

import base64
import json
import os
import random
import re
import statistics
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from math import exp, log
from pathlib import Path

import click
import uvloop
from grpc import aio
from rich.console import Console
from rich.progress import track
from rich.table import Table
from tablier.v1 import advisor_service_pb2, game_pb2
from tablier.v1 import game_service_pb2 as pb
from tablier_core import codec
from tablier_core.position import Position
from tablier_core.registry import GAMES

from bench.build_worker import UNRELATED, unrelated
from bench.loads import Load, rest, stream, unary

ROOT = Path(__file__).parents[1]
SOURCES = ("core_ext", "service", "clients/python")
LIMIT = 1.05
# Short slices, because the speed of a shared machine changes from one moment to the next.
SLICE_SECONDS = 0.01
CALL_SECONDS = 0.1
# Processes of one build differ by a few per cent (where memory happens to lie), so every row is
# measured in several pairs of them.
PAIRS = 5
BATCHED = 64
SERVICE = "/tablier.v1.GameService/"
ADVISOR = "/tablier.v1.AdvisorService/"


@dataclass
class Row:
    """A measurement: CPU seconds per unit of work in each build, slice by slice."""

    name: str
    old: list[float] = field(default_factory=list)
    new: list[float] = field(default_factory=list)

    def interval(self) -> tuple[float, float, float]:
        """New by old: the median of all slices, with its 95% interval by bootstrap."""
        ratios = [log(new / old) for old, new in zip(self.old, self.new, strict=True)]
        chance = random.Random(1)
        medians = sorted(
            statistics.median(chance.choices(ratios, k=len(ratios))) for _ in range(2000)
        )
        return exp(statistics.median(ratios)), exp(medians[49]), exp(medians[1949])


def environment(checkout: Path) -> dict[str, str]:
    """An environment in which that checkout's packages are imported."""
    paths = [str(checkout / source) for source in SOURCES]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(paths), "PYTHONHASHSEED": "0"}


# ---- The core ------------------------------------------------------------------------------------


class Worker:
    """A process that runs rows of the core in one build."""

    def __init__(self, checkout: Path) -> None:
        self.process = subprocess.Popen(
            [sys.executable, str(ROOT / "bench" / "build_worker.py")],
            env=environment(checkout),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.rows: list[str] = json.loads(self._read())

    def _read(self) -> str:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if not line:
            raise SystemExit("a worker ended early")
        return line

    def measure(self, row: str, times: int) -> float:
        """CPU seconds of a row."""
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps([row, times]) + "\n")
        self.process.stdin.flush()
        return float(self._read())

    def close(self) -> None:
        """End the process."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait()


def times_for(worker: Worker, row: str) -> int:
    """How often a row must run to fill a slice."""
    times = 1
    while (spent := worker.measure(row, times)) < SLICE_SECONDS / 4:
        times *= 4
    return max(1, round(times * SLICE_SECONDS / spent))


def compare_cores(old: Path, rounds: int, wanted: re.Pattern[str]) -> list[Row]:
    """The rows of the core."""
    rows: dict[str, Row] = {}
    for pair in range(PAIRS):
        workers = Worker(old), Worker(ROOT)
        names = [name for name in workers[1].rows if wanted.search(name)]
        title = f"core, {pair + 1} of {PAIRS}"
        for name in track(names, title, console=Console(stderr=True)):
            row = rows.setdefault(name, Row(name))
            times = times_for(workers[0], name)
            for turn in range(rounds):
                sides = [(workers[0], row.old), (workers[1], row.new)]
                for worker, found in reversed(sides) if turn % 2 else sides:
                    found.append(worker.measure(name, times) / times)
        for worker in workers:
            worker.close()
    return list(rows.values())


# ---- Calls ---------------------------------------------------------------------------------------


@dataclass
class Server:
    """A server process of one build."""

    pid: int
    grpc: str
    rest: str

    def cpu_seconds(self) -> float:
        """CPU time of all its threads so far, in nanosecond resolution."""
        tasks = Path(f"/proc/{self.pid}/task").iterdir()
        return sum(int((task / "schedstat").read_text().split()[0]) for task in tasks) / 1e9

    def memory(self) -> float:
        """Resident memory in MiB."""
        status = Path(f"/proc/{self.pid}/status").read_text()
        return int(re.findall(r"VmRSS:\s+(\d+)", status)[0]) / 1024


@contextmanager
def serving(checkout: Path) -> Iterator[Server]:
    """A server of one build with default settings on free ports."""
    has_cli = (checkout / "service" / "tablier_cli").exists()
    module = "tablier_cli" if has_cli else "tablier_service.cli"
    # Before there was `tablier_cli`, the HTTP port was called the REST port.
    ports = {f"TABLIER_{name}_PORT": "0" for name in ("GRPC", "HTTP" if has_cli else "REST")}
    process = subprocess.Popen(
        [sys.executable, "-m", module, "serve"],
        env={**environment(checkout), **ports},
        cwd=checkout,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert process.stdout is not None
    try:
        addresses = [process.stdout.readline().split()[-1] for _ in range(2)]
        yield Server(process.pid, *addresses)
    finally:
        process.terminate()
        process.wait()


def middle_of(name: str) -> Position:
    """The position in the middle of a random game."""
    chance = random.Random(1)
    line = [GAMES[name].start({}, 1)]
    while not line[-1].over:
        seat = chance.choice(line[-1].actors)
        line.append(line[-1].apply(seat, chance.choice(line[-1].moves(seat))))
    return line[len(line) // 2]


Loads = dict[str, Callable[[Server, aio.Channel], Awaitable[Load]]]


def loads() -> Loads:
    """The calls that are measured, each as a way to load a server."""
    table: Loads = {}

    def add_unary(name: str, path: str, data: bytes, operations: int = 1) -> None:
        async def make(_: Server, channel: aio.Channel) -> Load:
            return unary(channel, path, data, operations)

        table[name] = make

    def add_rest(name: str, path: str, body: bytes) -> None:
        async def make(server: Server, _: aio.Channel) -> Load:
            return rest(server.rest, path, body)

        table[name] = make

    for name in GAMES:
        position = middle_of(name)
        token, seat = codec.encode(position), position.actors[0]
        notation = position.notations(seat)[0]
        move = game_pb2.Move(seat=seat, notation=notation)
        apply = pb.ApplyMovesRequest(state=token, moves=[move])
        listing = pb.EnumerateMovesRequest(state=token)
        view = pb.DescribeStateRequest(state=token, seat=seat)
        add_unary(f"gRPC ApplyMoves, {name}", SERVICE + "ApplyMoves", apply.SerializeToString())
        add_unary(
            f"gRPC EnumerateMoves, {name}", SERVICE + "EnumerateMoves", listing.SerializeToString()
        )
        add_unary(
            f"gRPC DescribeState, {name}", SERVICE + "DescribeState", view.SerializeToString()
        )
        views = pb.BatchRequest(operations=[pb.Operation(describe_state=view)] * BATCHED)
        add_unary(
            f"DescribeState in a batch, {name}",
            SERVICE + "Batch",
            views.SerializeToString(),
            BATCHED,
        )
        for viewer, who in ((0, "seat 0"), (1, "seat 1"), (-1, "the referee")):
            pictures = [
                pb.Operation(
                    render_state=pb.RenderStateRequest(state=codec.encode(at), seat=viewer)
                )
                for at in unrelated(name, {})[:: UNRELATED // BATCHED]
            ]
            add_unary(
                f"RenderState of {who} in a batch, {name}",
                SERVICE + "Batch",
                pb.BatchRequest(operations=pictures).SerializeToString(),
                BATCHED,
            )
        state = token_text(token)
        add_rest(
            f"REST ApplyMoves, {name}",
            "/v1/states:applyMoves",
            json.dumps({"state": state, "moves": [{"seat": seat, "notation": notation}]}).encode(),
        )
        add_rest(
            f"REST DescribeState, {name}",
            "/v1/states:describe",
            json.dumps({"state": state, "seat": seat}).encode(),
        )
        suggest = advisor_service_pb2.SuggestMovesRequest(state=token, seat=seat, seed=1)
        suggest.budget.iterations = 100
        add_unary(
            f"gRPC SuggestMoves, {name}", ADVISOR + "SuggestMoves", suggest.SerializeToString()
        )
        if name == "contigo-alignment":
            operation = pb.Operation(apply_moves=apply, id=1)
            batch = pb.BatchRequest(operations=[operation] * BATCHED).SerializeToString()
            add_unary(f"gRPC Batch of {BATCHED}", SERVICE + "Batch", batch)
            table["gRPC Play"] = playing(pb.PlayRequest(operations=[operation]).SerializeToString())
    return table


def playing(data: bytes) -> Callable[[Server, aio.Channel], Awaitable[Load]]:
    """Streams of operations, one per message."""

    async def make(_: Server, channel: aio.Channel) -> Load:
        call = channel.stream_stream(SERVICE + "Play", None, None)
        answer = b"".join([part async for part in call(iter([data]))])
        return stream(channel, SERVICE + "Play", data, len(answer), 1, 8)

    return make


def token_text(token: bytes) -> str:
    """A token as JSON carries it."""
    return base64.urlsafe_b64encode(token).decode()


async def compare_calls(
    servers: list[Server], rounds: int, wanted: re.Pattern[str], rows: dict[str, Row]
) -> None:
    """Add measurements to the rows of calls."""
    async with (
        aio.insecure_channel(servers[0].grpc) as old,
        aio.insecure_channel(servers[1].grpc) as new,
    ):
        named = [(name, make) for name, make in loads().items() if wanted.search(name)]
        for name, make in track(named, "calls", console=Console(stderr=True)):
            row = rows.setdefault(name, Row(name))
            sides = [
                (servers[0], await make(servers[0], old), row.old),
                (servers[1], await make(servers[1], new), row.new),
            ]
            for turn in range(-1, rounds):
                for server, load, found in reversed(sides) if turn % 2 else sides:
                    before, operations = server.cpu_seconds(), 0
                    # On a busy machine, a slice can pass without an answer.
                    while not operations:
                        operations = (await load(CALL_SECONDS)).operations
                    if turn >= 0:
                        found.append((server.cpu_seconds() - before) / operations)


# ---- The report ----------------------------------------------------------------------------------


def report(rows: list[Row]) -> Table:
    """Times, ratios and verdicts."""
    table = Table("row", title="CPU time, new by old")
    for title in ("old, µs", "new, µs", "new / old", "95% interval", ""):
        table.add_column(title, justify="right")
    for row in rows:
        middle, low, high = row.interval()
        table.add_row(
            row.name,
            f"{statistics.median(row.old) * 1e6:,.1f}",
            f"{statistics.median(row.new) * 1e6:,.1f}",
            f"{middle:.3f}",
            f"{low:.3f}-{high:.3f}",
            "ok" if high <= LIMIT else "SLOWER",
        )
    return table


@click.command()
@click.option("--old", type=click.Path(path_type=Path, exists=True), required=True)
@click.option("--rounds", default=41, show_default=True, help="Slices of a row per process.")
@click.option("--rows", default="", help="Only rows that match this regular expression.")
def main(old: Path, rounds: int, rows: str) -> None:
    """Compare the core and the calls of this build with those of the checkout OLD."""
    wanted = re.compile(rows)
    found = compare_cores(old.resolve(), rounds, wanted)
    calls: dict[str, Row] = {}
    for _ in range(PAIRS):
        with ExitStack() as stack:
            servers = [stack.enter_context(serving(each)) for each in (old.resolve(), ROOT)]
            started = [server.memory() for server in servers]
            uvloop.run(compare_calls(servers, rounds, wanted, calls))
            loaded = [server.memory() for server in servers]
    found += calls.values()
    console = Console(width=None if sys.stdout.isatty() else 160)
    console.print(report(found))
    for when, (before, after) in (("started", started), ("after the load", loaded)):
        console.print(f"Worker memory {when}: {before:.1f} MiB old, {after:.1f} MiB new")
    slower = [row.name for row in found if row.interval()[2] > LIMIT]
    console.print(f"{len(found)} rows, {len(slower)} above {LIMIT:g}")
    sys.exit(bool(slower))


if __name__ == "__main__":
    main()
