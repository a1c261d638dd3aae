"""The service with authentication: `python -m bench.secured`.

It requires API keys, checks quotas and bills every call. Unary calls, which are also logged, are
compared with an echo that does none of that, as in `bench.transports`. REST is compared with unary
calls with the same key, both without a log.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory

import uvloop
from grpc import aio
from rich.console import Console
from rich.progress import track
from tablier_core.registry import GAMES

from bench import echo
from bench.loads import rest, unary
from bench.served import ECHO, Served, served
from bench.transports import (
    ROUNDS,
    SERVICE,
    Row,
    Side,
    as_json,
    listing,
    middle_of,
    playing,
    report,
)

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
# Unary calls compared with an echo, and REST compared with unary calls.
UNARY, REST = 0.6, 3.0


@contextmanager
def secured(log_calls: bool = False) -> Iterator[Served]:
    """A service that requires the key."""
    with TemporaryDirectory() as folder:
        callers = Path(folder) / "callers.toml"
        callers.write_text(CALLERS)
        with served(callers_file=str(callers), log_calls=str(log_calls)) as service:
            yield service


async def unary_rows(channel: aio.Channel, logging: Served, bare: Served) -> list[Row]:
    """Both unary calls of every game, compared with an echo."""
    to = aio.insecure_channel(bare.grpc)
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
            # The clients of the echo send the same headers, because the server is measured.
            theirs = unary(to, f"{echo.UNARY}{len(answer)}", data, metadata=METADATA)
            rows.append(
                Row(
                    f"{call}, {name}, with a key and a log line per call",
                    Side(logging.process, ours),
                    "echo",
                    Side(bare.process, theirs),
                    UNARY,
                )
            )
    return rows


def rest_rows(channel: aio.Channel, service: Served) -> list[Row]:
    """REST with a key, compared with unary calls with the same key."""
    request = playing(middle_of("contigo-alignment"))
    over_rest = rest(service.rest, "/v1/states:applyMoves", as_json(request), METADATA)
    over_grpc = unary(
        channel, f"{SERVICE}ApplyMoves", request.SerializeToString(), metadata=METADATA
    )
    return [
        Row(
            "REST ApplyMoves with a key",
            Side(service.process, over_rest),
            "unary with a key",
            Side(service.process, over_grpc),
            REST,
            by_cpu=True,
        )
    ]


async def compare(service: Served, logging: Served, bare: Served) -> list[Row]:
    """Measure all rows."""
    async with (
        aio.insecure_channel(service.grpc) as channel,
        aio.insecure_channel(logging.grpc) as to_logging,
    ):
        rows = [*await unary_rows(to_logging, logging, bare), *rest_rows(channel, service)]
        for _ in track(range(ROUNDS), "Secured", console=Console(stderr=True)):
            for row in rows:
                await row.measure()
    return rows


def main() -> int:
    """Measure, print, and return 0 if every required ratio was reached."""
    with secured() as service, secured(log_calls=True) as logging, served(ECHO) as bare:
        rows = uvloop.run(compare(service, logging, bare))
    Console(width=None if sys.stdout.isatty() else 190).print(report(rows))
    return 0 if all(row.reached for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
