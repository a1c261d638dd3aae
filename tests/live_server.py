"""A real server process on free ports, for the tests that speak to it over real sockets."""

from __future__ import annotations

import os
import queue
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import grpc
import pytest
from tablier.v1 import game_service_pb2 as pb

ROOT = Path(__file__).parent.parent
PATHS = ("core_ext", "service", "clients/python")


@dataclass
class LiveServer:
    """Where a server process listens."""

    process: subprocess.Popen[str]
    grpc_address: str
    rest_url: str

    def close(self) -> None:
        """Forget what it said; it has stopped."""
        assert self.process.stdout is not None
        self.process.stdout.close()

    def stop(self) -> int:
        """Ask it to stop, and give its exit code."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(timeout=30)


def wait_until(holds: Callable[[], bool], what: str) -> None:
    """Look again and again until something is so."""
    end = time.monotonic() + 30
    while not holds():
        assert time.monotonic() < end, f"still not: {what}"
        time.sleep(0.01)


SERVE = ("-m", "tablier_cli", "serve")


def start_server(
    log: Path | None = None, program: Sequence[str] = SERVE, **settings: str
) -> LiveServer:
    """Start `tablier serve` on free ports and wait until it says where it is."""
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(str(ROOT / path) for path in PATHS),
        "TABLIER_GRPC_PORT": "0",
        "TABLIER_REST_PORT": "0",
        **settings,
    }
    with open(log, "w") if log else nullcontext() as errors:  # noqa: PTH123
        process = subprocess.Popen(
            [sys.executable, *program],
            env=environment,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
        )
    assert process.stdout is not None
    said = [process.stdout.readline() for _ in range(2)]
    # A server that fails to start closes its output, which reads as empty lines.
    assert all(said), f"the server ended with {process.wait(timeout=30)}"
    doors = dict(line.split(maxsplit=1) for line in said)
    return LiveServer(process, doors["gRPC"].strip(), doors["REST"].strip())


@contextmanager
def running(log: Path | None = None, **settings: object) -> Iterator[LiveServer]:
    """A server with these settings, which stops in order when the block ends."""
    given = {f"TABLIER_{name.upper()}": str(value) for name, value in settings.items()}
    server = start_server(log, **given)
    try:
        yield server
    finally:
        assert server.stop() == 0
        server.close()


def keep_open(
    stub: Any, metadata: Sequence[tuple[str, str]] = ()
) -> tuple[Any, queue.SimpleQueue[Any]]:
    """A stream of operations that has answered once, and the queue that feeds it; None ends it.

    It ends by itself after half a minute, so that nobody waits for ever.
    """
    requests: queue.SimpleQueue[Any] = queue.SimpleQueue()
    operation = pb.Operation(get_game=pb.GetGameRequest(game="contrast"))
    requests.put(pb.PlayRequest(operations=[operation]))
    answers = stub.Play(iter(requests.get, None), metadata=metadata, timeout=30)
    assert next(answers).results[0].get_game.game.name == "contrast"
    return answers, requests


@pytest.fixture(scope="session")
def live_server() -> Iterator[LiveServer]:
    server = start_server()
    yield server
    assert server.stop() == 0
    server.close()


@pytest.fixture(scope="session")
def channel(live_server: LiveServer) -> Iterator[grpc.Channel]:
    with grpc.insecure_channel(live_server.grpc_address) as channel:
        yield channel
