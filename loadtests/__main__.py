"""Start a server, load it and print the results: `python -m loadtests [--seconds N]`."""

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
@click.option("--seconds", default=60, show_default=True, help="Duration of the load.")
def main(seconds: int) -> None:
    """Load a new server on free loopback ports; exits with 1 if a threshold is exceeded."""
    server = subprocess.Popen(
        [sys.executable, "-m", "tablier_cli", "serve"],
        env={**os.environ, "TABLIER_GRPC_PORT": "0", "TABLIER_HTTP_PORT": "0"},
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert server.stdout is not None
        addresses = dict(server.stdout.readline().split(maxsplit=1) for _ in range(2))
        with MemoryWatch(server.pid, seconds) as memory:
            finished = subprocess.run(
                [
                    *(sys.executable, "-m", "locust", "--headless", "--only-summary"),
                    *("--run-time", str(seconds)),
                    *("--locustfile", str(Path(__file__).with_name("locustfile.py"))),
                ],
                env={
                    **os.environ,
                    "TABLIER_LOAD_GRPC": addresses["gRPC"].strip(),
                    "TABLIER_LOAD_REST": addresses["REST"].strip(),
                },
                check=False,
            )
    finally:
        server.send_signal(signal.SIGTERM)
        stopped = server.wait(timeout=30)
    if stopped != 0:
        raise SystemExit(f"the server exited with {stopped}")
    print("second  resident MB")
    for second, megabytes in memory.samples:
        print(f"{second:6.0f}  {megabytes:11.1f}")
    exceeded = memory.exceeded(tomllib.loads(THRESHOLDS.read_text())["memory"])
    for line in exceeded:
        print(f"threshold exceeded: {line}")
    raise SystemExit(finished.returncode or bool(exceeded))


if __name__ == "__main__":
    main()
