"""Starts a server, loads it, prints a table and stops: `python -m loadtests [--seconds N]`."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tomllib
from pathlib import Path

import click

from loadtests.memory import MemoryWatch

THRESHOLDS = Path(__file__).with_name("thresholds.toml")


@click.command()
@click.option("--seconds", default=60, show_default=True, help="How long to load the server.")
def main(seconds: int) -> None:
    """Load a server of its own on free loopback ports; exit 1 if a threshold is broken."""
    server = subprocess.Popen(
        [sys.executable, "-m", "tablier_cli", "serve"],
        env={**os.environ, "TABLIER_GRPC_PORT": "0", "TABLIER_REST_PORT": "0"},
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert server.stdout is not None
        said = dict(server.stdout.readline().split(maxsplit=1) for _ in range(2))
        with MemoryWatch(server.pid, seconds) as memory:
            finished = subprocess.run(
                [
                    *(sys.executable, "-m", "locust", "--headless", "--only-summary"),
                    *("--run-time", str(seconds)),
                    *("--locustfile", str(Path(__file__).with_name("locustfile.py"))),
                ],
                env={
                    **os.environ,
                    "TABLIER_LOAD_GRPC": said["gRPC"].strip(),
                    "TABLIER_LOAD_REST": said["REST"].strip(),
                },
                check=False,
            )
    finally:
        server.send_signal(signal.SIGTERM)
        stopped = server.wait(timeout=30)
    if stopped != 0:
        raise SystemExit(f"the server ended with {stopped}")
    print("second  resident MB")
    for second, megabytes in memory.samples:
        print(f"{second:6.0f}  {megabytes:11.1f}")
    broken = memory.broken(tomllib.loads(THRESHOLDS.read_text())["memory"])
    for line in broken:
        print(f"threshold broken: {line}")
    raise SystemExit(finished.returncode or bool(broken))


if __name__ == "__main__":
    main()
