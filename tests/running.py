"""A service in a process of its own, as its users run it."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def running_server() -> Iterator[str]:
    """The gRPC address of a service of this build; it must stop in good order afterwards."""
    command = [sys.executable, "-m", "tablier_service", "serve", "--grpc-port=0", "--rest-port=0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        doors = (line.split() for line in server.stdout)
        try:
            yield next(where for door, where in doors if door == "gRPC")
        finally:
            server.terminate()
        assert server.wait(timeout=30) == 0
