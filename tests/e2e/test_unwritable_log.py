"""A log or an output that cannot be written delays no call, fails none, and ends no process."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import grpc
import httpx
import pytest
from tablier.v1 import game_service_pb2 as pb
from tablier.v1.game_service_pb2_grpc import GameServiceStub

from tests.e2e.test_workers import wait_for_replacement, workers_of
from tests.live_server import SERVE, TIMEOUT_SECONDS, LiveServer, running, wait_until

# More failed calls than a pipe has room for lines.
CALLS = 400
DROPPED = "tablier_log_lines_dropped_total"


@contextmanager
def unwritable(kind: str) -> Iterator[int]:
    """A descriptor that takes no lines."""
    if kind == "full disk":
        yield os.open("/dev/full", os.O_WRONLY)
        return
    read, write = os.pipe()
    if kind == "closed pipe":
        os.close(read)
        yield write
        return
    # Filled through another open file, because this one must stay blocking.
    filling = os.open(f"/proc/self/fd/{write}", os.O_WRONLY | os.O_NONBLOCK)
    with suppress(BlockingIOError):
        while True:
            os.write(filling, b"x" * 4096)
    os.close(filling)
    yield write
    os.close(read)


def fail_calls(server: LiveServer) -> None:
    """Make calls that fail, over both transports; all must get their own error."""
    with grpc.insecure_channel(server.grpc_address) as channel:
        stub = GameServiceStub(channel)
        for _ in range(CALLS):
            with pytest.raises(grpc.RpcError) as failure:
                stub.GetGame(pb.GetGameRequest(game="chess"), timeout=TIMEOUT_SECONDS)
            assert failure.value.code() == grpc.StatusCode.NOT_FOUND
    with httpx.Client(base_url=server.rest_url, timeout=TIMEOUT_SECONDS, verify=False) as client:
        assert {client.get("/v1/games/chess").status_code for _ in range(100)} == {404}


@pytest.mark.parametrize(
    ("kind", "log_format", "workers"),
    [
        ("full disk", "json", 1),
        ("full disk", "console", 2),
        ("closed pipe", "console", 1),
        ("closed pipe", "json", 2),
        ("unread pipe", "json", 1),
        ("unread pipe", "json", 2),
        ("unread pipe", "console", 1),
    ],
)
def test_serves_and_stops_without_a_log(
    kind: str, log_format: str, workers: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    # gRPC's own code writes much more than the log.
    monkeypatch.setenv("GRPC_VERBOSITY", "debug")
    monkeypatch.setenv("GRPC_TRACE", "http")
    with (
        unwritable(kind) as log,
        running(log, log_format=log_format, workers=workers, log_calls=True) as server,
    ):
        fail_calls(server)
        assert server.metrics()[DROPPED] >= CALLS
        if workers > 1:
            victim = workers_of(server)[0]
            os.kill(victim, signal.SIGKILL)
            wait_for_replacement(server, victim)
        assert server.stop() == 0


def test_the_metric_counts_nothing_else(live_server: LiveServer) -> None:
    httpx.get(f"{live_server.rest_url}/v1/games/chess")
    assert live_server.metrics()[DROPPED] == 0


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("kind", ["full disk", "closed pipe", "unread pipe", "none"])
def test_serves_without_standard_output(kind: str, workers: int, tmp_path: Path) -> None:
    """The log then has the addresses."""
    log = tmp_path / "log"
    flags = ["--grpc-port", "0", "--http-port", "0", "--workers", str(workers)]
    command = [sys.executable, *SERVE, *flags]
    if kind == "none":
        command = ["sh", "-c", 'exec "$@" >&-', "sh", *command]
    with unwritable(kind if kind != "none" else "full disk") as output, log.open("w") as errors:
        process = subprocess.Popen(command, stdout=output, stderr=errors)
        os.close(output)
        try:
            wait_until(lambda: "standard output cannot" in log.read_text(), "the log says so")
            entries = [json.loads(line) for line in log.read_text().splitlines()]
            (found,) = (entry["addresses"] for entry in entries if "addresses" in entry)
            url = found[1].split()[1]
            assert httpx.get(f"{url}/readyz", timeout=TIMEOUT_SECONDS).status_code == 200
            process.terminate()
            assert process.wait(TIMEOUT_SECONDS) == 0
        finally:
            process.kill()
            process.wait()
