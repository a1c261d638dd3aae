"""Locust users on a new server, in one process or in several: `python -m loadtests users`."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import click

from bench.served import served
from loadtests.requests import needs_grpc

LOCUSTFILE = Path(__file__).with_name("locustfile.py")


def swarm(grpc: str, rest: str, scenario: str, users: int, seconds: int, workers: int) -> int:
    """Load a service with locust; returns its exit code.

    With workers, users are divided among as many processes, which a master coordinates.
    """
    environment = {
        **os.environ,
        "TABLIER_LOAD_GRPC": grpc,
        "TABLIER_LOAD_REST": rest,
        "TABLIER_LOAD_SCENARIO": scenario,
    }
    shared = ["--locustfile", str(LOCUSTFILE), "--headless", "--only-summary"]
    shared += ["--users", str(users), "--spawn-rate", "100", "--run-time", str(seconds)]
    if needs_grpc(scenario):
        shared += ["GrpcUser"]
    if workers:
        shared += ["--processes", str(workers)]
    command = [sys.executable, "-m", "locust", *shared]
    return subprocess.run(command, env=environment, check=False).returncode


@click.command()
@click.option("--scenario", default="mixed", show_default=True, help="What users do.")
@click.option("--seconds", default=60, show_default=True, help="Duration.")
@click.option("--users", "count", default=16, show_default=True, help="Number of users.")
@click.option("--host", default="", help="A service that runs: HOST:PORT,http://HOST:PORT.")
@click.option("--workers", default=0, help="Worker processes of a distributed run; 0 for none.")
def users(scenario: str, seconds: int, count: int, host: str, workers: int) -> None:
    """Load a server with locust users; exits with 1 if an answer was wrong or missing.

    A service that runs already must have plain tokens and no authentication.
    """
    if host:
        grpc, _, rest = host.partition(",")
        sys.exit(swarm(grpc, rest, scenario, count, seconds, workers))
    with served() as service:
        sys.exit(swarm(service.grpc, service.rest, scenario, count, seconds, workers))
