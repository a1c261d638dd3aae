"""The memory of a worker while calls are sent only in part, and afterwards."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from tablier_service.observability.processes import usage_of

from tests.http2 import connected, send_parts
from tests.live_server import running, wait_until

MEGABYTE = 2**20
SIZE = 4 * MEGABYTE


@pytest.mark.parametrize(
    ("path", "accepted"),
    # The messages that one caller may send at the same time, and its Play streams.
    [("/tablier.v1.GameService/Batch", 4), ("/tablier.v1.GameService/Play", 16)],
)
def test_half_sent_calls_hold_little_memory_and_return_it(
    tmp_path: Path, path: str, accepted: int
) -> None:
    with running(tmp_path / "log", grpc_server="direct") as server:

        def megabytes() -> float:
            usage = usage_of(server.process.pid)
            assert usage is not None
            return usage.resident_bytes / MEGABYTE

        async def attack() -> None:
            async with connected(server.grpc_address) as connection:
                await send_parts(connection, path, 40, SIZE)
                # Together, the messages have 160 megabytes.
                assert megabytes() < before + accepted * 4 + 16

        before = megabytes()
        asyncio.run(attack())
        wait_until(lambda: megabytes() < before + 16, "the memory is returned")
