"""A real server process on free ports, for the tests that speak to it over real sockets."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import grpc
import pytest

ROOT = Path(__file__).parent.parent
PATHS = ("core_ext", "service", "clients/python")


@dataclass
class LiveServer:
    """Where a server process listens."""

    process: subprocess.Popen[str]
    grpc_address: str
    rest_url: str

    def stop(self) -> int:
        """Ask it to stop, and give its exit code."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(timeout=30)


def start_server(**settings: str) -> LiveServer:
    """Start `tablier serve` on free ports and wait until it says where it is."""
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(str(ROOT / path) for path in PATHS),
        "TABLIER_GRPC_PORT": "0",
        "TABLIER_REST_PORT": "0",
        **settings,
    }
    process = subprocess.Popen(
        [sys.executable, "-m", "tablier_service.cli", "serve"],
        env=environment,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    said = dict(process.stdout.readline().split(maxsplit=1) for _ in range(2))
    return LiveServer(process, said["gRPC"].strip(), said["REST"].strip())


@pytest.fixture(scope="session")
def live_server() -> Iterator[LiveServer]:
    server = start_server()
    yield server
    assert server.stop() == 0
    assert server.process.stdout is not None
    server.process.stdout.close()


@pytest.fixture(scope="session")
def channel(live_server: LiveServer) -> Iterator[grpc.Channel]:
    with grpc.insecure_channel(live_server.grpc_address) as channel:
        yield channel
