"""The memory of a worker while calls are sent only in part, and afterwards."""

from __future__ import annotations

from pathlib import Path

import pytest
from tablier_service.observability.processes import usage_of

from tests.http2 import Http2Connection, connected, message_of
from tests.live_server import running, wait_until

MEGABYTE = 2**20
SIZE = 4 * MEGABYTE


def send_parts(connection: Http2Connection, path: str, calls: int) -> None:
    """Send as much of some large messages as the server accepts, but not all of one."""
    message = message_of(SIZE)[:-1]
    sent = {connection.open_call(path): 0 for _ in range(calls)}
    while True:
        progress = 0
        for stream, begin in sent.items():
            progress += (more := connection.send(stream, message[begin:]))
            sent[stream] += more
        if not progress and not connection.receive(0.5):
            return


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

        before = megabytes()
        with connected(server.grpc_address) as connection:
            send_parts(connection, path, 40)
            # Together, the messages have 160 megabytes.
            assert megabytes() < before + accepted * 4 + 16
        wait_until(lambda: megabytes() < before + 16, "the memory is returned")
