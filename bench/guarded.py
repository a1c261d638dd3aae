"""What it costs to know every caller and to log every call: `python -m bench.guarded`.

The service asks for API keys, counts and bills each call against quotas, and writes a line of log
for it. It is measured as in `bench.doors`, beside an echo that asks nobody and writes nothing.
"""

from __future__ import annotations

import sys
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory

import uvloop
from grpc import aio
from rich.console import Console
from rich.progress import track
from tablier_core.registry import GAMES

from bench import echo
from bench.doors import ROUNDS, SERVICE, Row, Side, listing, middle_of, playing, report
from bench.loads import unary
from bench.served import ECHO, Served, served

KEY = "tablier_a-key-of-the-usual-length-for-the-benchmark"
CALLERS = f"""
[[callers]]
name = "bench"
roles = ["host"]
key_sha256 = ["{sha256(KEY.encode()).hexdigest()}"]
calls_per_second = 1e9
cpu_ms_per_second = 1e9
"""
METADATA = (("authorization", f"Bearer {KEY}"),)
REQUIRED = 0.6


async def compare(service: Served, bare: Served) -> list[Row]:
    """Both unary calls, for every game, measured."""
    async with aio.insecure_channel(service.grpc) as channel, aio.insecure_channel(bare.grpc) as to:
        rows = []
        for name in GAMES:
            position = middle_of(name)
            for call, request in (
                ("EnumerateMoves", listing(position)),
                ("ApplyMoves", playing(position)),
            ):
                path, data = SERVICE + call, request.SerializeToString()
                answer = await channel.unary_unary(path, None, None)(data, metadata=METADATA)
                ours = unary(channel, path, data, metadata=METADATA)
                # The echo's callers send the same headers: it is the server that is measured.
                theirs = unary(to, f"{echo.UNARY}{len(answer)}", data, metadata=METADATA)
                rows.append(
                    Row(
                        f"{call}, {name}, with keys and a log line a call",
                        Side(service.process, ours),
                        "echo",
                        Side(bare.process, theirs),
                        REQUIRED,
                    )
                )
        for _ in track(range(ROUNDS), "Guarded", console=Console(stderr=True)):
            for row in rows:
                await row.measure()
    return rows


def main() -> int:
    """Measure, print, and return 0 if every ratio is what it must be."""
    with TemporaryDirectory() as folder:
        callers = Path(folder) / "callers.toml"
        callers.write_text(CALLERS)
        with (
            served(callers_file=str(callers), log_calls="true") as service,
            served(ECHO) as bare,
        ):
            rows = uvloop.run(compare(service, bare))
    Console(width=None if sys.stdout.isatty() else 180).print(report(rows))
    return 0 if all(row.reached for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
