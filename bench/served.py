"""Servers in other processes."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

SERVICE = ("tablier_cli", "serve")
ECHO = ("bench.echo",)


class Served(NamedTuple):
    """A server process, and its addresses."""

    process: int
    grpc: str
    rest: str


@contextmanager
def served(
    program: tuple[str, ...] = SERVICE, /, *, experiments: str | None = None, **settings: str
) -> Iterator[Served]:
    """A server that prints the address of its gRPC server and of its HTTP server.

    `experiments` are those of gRPC. The server ends with the block.
    """
    of_grpc = {} if experiments is None else {"GRPC_EXPERIMENTS": experiments}
    given = {"grpc_port": "0", "http_port": "0", **settings}
    server = subprocess.Popen(
        [sys.executable, "-m", *program],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env={
            **os.environ,
            **of_grpc,
            **{f"TABLIER_{name.upper()}": text for name, text in given.items()},
        },
    )
    assert server.stdout is not None
    try:
        said = [server.stdout.readline().split()[-1] for _ in range(2)]
        yield Served(server.pid, *said)
    finally:
        server.terminate()
        server.communicate()
