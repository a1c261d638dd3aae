"""Real server processes on free ports, for tests that use real sockets."""

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
import httpx
import pytest
from tablier.v1 import game_service_pb2 as pb

ROOT = Path(__file__).parent.parent
PATHS = ("core_ext", "service", "clients/python")
SERVE = ("-m", "tablier_cli", "serve")
# Nothing here takes this long, even on a busy machine: a test that waits longer has failed.
TIMEOUT_SECONDS = 60


@dataclass
class LiveServer:
    """A server process, and where it listens."""

    process: subprocess.Popen[str]
    grpc_address: str
    rest_url: str

    def signal_stop(self) -> None:
        """Ask the process to stop, without waiting for it."""
        self.process.send_signal(signal.SIGTERM)

    def stop(self) -> int:
        """Stop the process, and return its exit code."""
        self.signal_stop()
        return self.wait()

    def wait(self) -> int:
        """Wait for the end of the process, and return its exit code."""
        return self.process.wait(timeout=TIMEOUT_SECONDS)

    def close(self) -> None:
        """Close the pipe to a process that has ended."""
        assert self.process.stdout is not None
        self.process.stdout.close()

    def metrics(self, **headers: str) -> dict[str, float]:
        """The metrics by name and labels, on a new connection: from any of the workers."""
        # Reading certificates would take longer than the request.
        page = httpx.get(
            f"{self.rest_url}/metrics", headers=headers, verify=False, timeout=TIMEOUT_SECONDS
        )
        rows = [line.rsplit(" ", 1) for line in page.text.splitlines() if line[:1] != "#"]
        return {name: float(value) for name, value in rows}

    def wait_for_metric(self, metric: str, least: float, label: str = "") -> None:
        """Wait until a metric, with a label of this value if there is one, has reached a value."""

        def reached() -> bool:
            found = [
                value
                for name, value in self.metrics().items()
                if name.startswith(metric) and (not label or f'"{label}"' in name)
            ]
            return max(found, default=0) >= least

        wait_until(reached, f"{metric} {label} is at least {least}")


def wait_until(holds: Callable[[], bool], what: str) -> None:
    """Wait until a condition holds, for a generous time."""
    end = time.monotonic() + TIMEOUT_SECONDS
    while not holds():
        assert time.monotonic() < end, f"this does not hold: {what}"
        time.sleep(0.01)


def start_server(
    log: Path | int | None = None, program: Sequence[str] = SERVE, **variables: str
) -> LiveServer:
    """Start a server on free ports, and wait until it prints its addresses.

    `log` is a file or a descriptor for its standard error; a descriptor is closed. `variables` are
    environment variables. Tests should use `running`, which also stops the server.
    """
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(str(ROOT / path) for path in PATHS),
        "TABLIER_GRPC_PORT": "0",
        "TABLIER_HTTP_PORT": "0",
        **variables,
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
    if not all(said):
        # A server that fails to start closes its output, which reads as empty lines.
        process.kill()
        process.stdout.close()
        raise AssertionError(f"the server ended with {process.wait(TIMEOUT_SECONDS)}")
    addresses = dict(line.split(maxsplit=1) for line in said)
    return LiveServer(process, addresses["gRPC"].strip(), addresses["REST"].strip())


@contextmanager
def running(
    log: Path | int | None = None, *, program: Sequence[str] = SERVE, **settings: object
) -> Iterator[LiveServer]:
    """A server with these settings. It must stop in order at the end of the block.

    If the block fails, the server is killed, so that it does not disturb other tests.
    """
    variables = {f"TABLIER_{name.upper()}": str(value) for name, value in settings.items()}
    server = start_server(log, program, **variables)
    try:
        yield server
        if server.process.poll() is None:
            assert server.stop() == 0
    finally:
        if server.process.poll() is None:
            server.process.kill()
            server.wait()
        server.close()


@contextmanager
def open_stream(
    stub: Any, metadata: Sequence[tuple[str, str]] = ()
) -> Iterator[tuple[Any, queue.SimpleQueue[Any]]]:
    """A stream of operations that has answered once, and the queue that feeds it; None ends it."""
    requests: queue.SimpleQueue[Any] = queue.SimpleQueue()
    operation = pb.Operation(get_game=pb.GetGameRequest(game="contrast"))
    requests.put(pb.PlayRequest(operations=[operation]))
    answers = stub.Play(iter(requests.get, None), metadata=metadata, timeout=TIMEOUT_SECONDS)
    try:
        assert next(answers).results[0].get_game.game.name == "contrast"
        yield answers, requests
    finally:
        answers.cancel()
        # The thread that reads the queue must end.
        requests.put(None)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests that need a service, which only runs where the core is compiled.

    Tests of clients that call `running` themselves carry the mark.
    """
    for item in items:
        if "live_server" in getattr(item, "fixturenames", ()):
            item.add_marker("service")


@pytest.fixture(scope="session")
def live_server() -> Iterator[LiveServer]:
    with running() as server:
        yield server


@pytest.fixture(scope="session")
def channel(live_server: LiveServer) -> Iterator[grpc.Channel]:
    with grpc.insecure_channel(live_server.grpc_address) as channel:
        yield channel
