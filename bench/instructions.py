"""How many instructions the core's hot functions and one call of each transport take.

Callgrind counts them: unlike times, counts hardly depend on what else the machine does. Every row
runs a number of times and then twice as often; the difference has neither the start nor the loop's
surroundings. `make bench-instructions` prints the counts next to those of bench/instructions.json,
and fails if one has grown; `ARGS=--write` replaces that file.
"""

from __future__ import annotations

import http.client
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import click
import grpc
from rich.console import Console
from rich.progress import track
from rich.table import Table
from tablier.v1 import game_service_pb2 as pb

from bench.record import machine
from bench.transports import BATCHED, COALESCED, SERVICE, as_json, middle_of, playing

FILE = Path(__file__).with_name("instructions.json")
# A row fails if it takes this many times as many instructions as it did. Those of the core repeat
# exactly; how often the threads of a server wake up for a call does not.
CORE_LIMIT, CALL_LIMIT = 1.02, 1.15
# The work of a row of `bench.build_worker` is repeated often enough to be seen.
CORE_TIMES, CALL_TIMES = 4, 200
WARM_UP_CALLS = 20
# Of all rows of `bench.build_worker`, those that calls and searches spend their time in.
HOT = re.compile(r": (random play|list moves|apply|tokens|worlds|advice)$")
GAME = "contigo-alignment"
TOTAL = re.compile(r"^(?:totals|summary): (\d+)", re.MULTILINE)


class Counted(NamedTuple):
    """A row: how many instructions it takes now, and how many it may."""

    name: str
    now: int
    before: int | None
    limit: float

    @property
    def ratio(self) -> float:
        """The growth since the file was written."""
        return self.now / self.before if self.before else 1.0

    @property
    def grown(self) -> bool:
        """Whether it takes too many more."""
        return self.ratio > self.limit


class Counter:
    """A process under callgrind, which counts only while it is told to."""

    def __init__(self, process: subprocess.Popen[str], folder: Path) -> None:
        self.process = process
        self._folder = folder
        self._dumps = 0

    def count(self, work: Callable[[], object]) -> int:
        """The instructions of the process while some work is done."""
        self._control("-z")
        self._control("-i", "on")
        work()
        self._control("-i", "off")
        self._control("-d")
        self._dumps += 1
        dump = self._folder / f"out.{self._dumps}"
        totals = TOTAL.findall(dump.read_text())
        return int(totals[-1])

    def per_run(self, work: Callable[[int], object], times: int) -> int:
        """The instructions of one run."""
        once, twice = (self.count(lambda n=n: work(n)) for n in (times, 2 * times))  # type: ignore[misc]
        return round((twice - once) / times)

    def _control(self, *arguments: str) -> None:
        program = ["callgrind_control", *arguments, str(self.process.pid)]
        subprocess.run(program, check=True, capture_output=True)


@contextmanager
def under_callgrind(*program: str) -> Iterator[Counter]:
    """A Python program under callgrind, with pipes for its input and output."""
    with TemporaryDirectory() as folder:
        process = subprocess.Popen(
            [
                *("valgrind", "--tool=callgrind", "--instr-atstart=no", "-q"),
                f"--callgrind-out-file={folder}/out",
                *(sys.executable, *program),
            ],
            env={
                **os.environ,
                "PYTHONHASHSEED": "0",
                "TABLIER_GRPC_PORT": "0",
                "TABLIER_HTTP_PORT": "0",
            },
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        try:
            yield Counter(process, Path(folder))
        finally:
            process.terminate()
            process.communicate()


def core_rows(wanted: re.Pattern[str]) -> dict[str, int]:
    """The instructions of the core's hot functions."""
    with under_callgrind(str(Path(__file__).with_name("build_worker.py"))) as counter:
        process = counter.process
        assert process.stdin is not None
        assert process.stdout is not None
        names = json.loads(process.stdout.readline())

        def run(name: str, times: int) -> None:
            assert process.stdin is not None
            assert process.stdout is not None
            process.stdin.write(json.dumps([name, times]) + "\n")
            process.stdin.flush()
            process.stdout.readline()

        found = {}
        chosen = [name for name in names if HOT.search(name) and wanted.search(name)]
        for name in track(chosen, "Core", console=Console(stderr=True)):
            # Caches fill.
            run(name, 1)
            found[name] = counter.per_run(lambda times, name=name: run(name, times), CORE_TIMES)  # type: ignore[misc]
        return found


def call_rows(wanted: re.Pattern[str]) -> dict[str, int]:
    """The instructions of a server for one `ApplyMoves` through each transport."""
    request = playing(middle_of(GAME))
    operation = pb.Operation(apply_moves=request, id=1)
    data = {
        "ApplyMoves": request.SerializeToString(),
        "Batch": pb.BatchRequest(operations=[operation] * BATCHED).SerializeToString(),
        "Play": pb.PlayRequest(operations=[operation] * COALESCED).SerializeToString(),
    }
    with under_callgrind("-m", "tablier_cli", "serve") as counter:
        assert counter.process.stdout is not None
        addresses = [counter.process.stdout.readline().split()[-1] for _ in range(2)]
        with grpc.insecure_channel(addresses[0]) as channel:
            ways = calls(channel, addresses[1], data, as_json(request))
            chosen = {name: way for name, way in ways.items() if wanted.search(name)}
            found = {}
            for name, way in track(chosen.items(), "Calls", console=Console(stderr=True)):
                way(WARM_UP_CALLS)
                found[name] = counter.per_run(way, CALL_TIMES)
    return found


def calls(
    channel: grpc.Channel, rest: str, data: dict[str, bytes], body: bytes
) -> dict[str, Callable[[int], object]]:
    """Ways to make calls one after the other."""

    def unary(name: str) -> Callable[[int], object]:
        call: Any = channel.unary_unary(SERVICE + name, None, None)
        return lambda times: [call(data[name]) for _ in range(times)]

    def streamed(times: int) -> None:
        play: Any = channel.stream_stream(f"{SERVICE}Play", None, None)
        for _ in play(iter([data["Play"]] * times)):
            pass

    connection = http.client.HTTPConnection(rest.rpartition("/")[2])

    def over_rest(times: int) -> None:
        for _ in range(times):
            connection.request("POST", "/v1/states:applyMoves", body, JSON)
            connection.getresponse().read()

    return {
        "ApplyMoves, gRPC": unary("ApplyMoves"),
        f"ApplyMoves, Batch of {BATCHED}": unary("Batch"),
        f"ApplyMoves, Play, {COALESCED} per message": streamed,
        "ApplyMoves, REST": over_rest,
    }


JSON = {"content-type": "application/json"}


def compared(found: dict[str, int], before: dict[str, int]) -> list[Counted]:
    """The counts next to those of the file."""
    return [
        Counted(name, count, before.get(name), CALL_LIMIT if "ApplyMoves" in name else CORE_LIMIT)
        for name, count in found.items()
    ]


def report(rows: list[Counted]) -> Table:
    """The counts, in thousands."""
    table = Table("", title=f"Instructions, in thousands; {machine()}")
    for title in ("before", "now", "ratio", "at most", ""):
        table.add_column(title, justify="right")
    for row in rows:
        table.add_row(
            row.name,
            "–" if row.before is None else f"{row.before / 1000:,.1f}",
            f"{row.now / 1000:,.1f}",
            f"{row.ratio:.3f}",
            f"{row.limit:g}",
            "GROWN" if row.grown else "ok",
        )
    return table


@click.command()
@click.option("--write", is_flag=True, help="Replace the counts in bench/instructions.json.")
@click.option("--rows", default="", help="Only rows that match this regular expression.")
def main(write: bool, rows: str) -> None:
    """Count instructions; exits with 1 if a row needs more than it did."""
    if shutil.which("valgrind") is None:
        raise click.ClickException("valgrind is missing: apt-get install valgrind")
    wanted = re.compile(rows)
    found = {**core_rows(wanted), **call_rows(wanted)}
    before = json.loads(FILE.read_text()) if FILE.exists() else {}
    result = compared(found, before)
    Console(width=None if sys.stdout.isatty() else 120).print(report(result))
    if write:
        FILE.write_text(json.dumps({**before, **found}, indent=1) + "\n")
    sys.exit(any(row.grown for row in result) and not write)


if __name__ == "__main__":
    main()
