"""The locustfile: users, shape, and thresholds that decide whether the run passes."""

from __future__ import annotations

import os
import tomllib
from pathlib import Path
from typing import Any

from locust import events
from locust.env import Environment
from locust.runners import WorkerRunner

from loadtests.shapes import Day
from loadtests.users import GrpcUser, RestUser

__all__ = ["Day", "GrpcUser", "RestUser"]

GrpcUser.address = os.environ["TABLIER_LOAD_GRPC"]
RestUser.host = os.environ["TABLIER_LOAD_REST"]

THRESHOLDS = Path(__file__).with_name("thresholds.toml")


def exceeded(environment: Environment, thresholds: dict[str, Any]) -> list[str]:
    """Describe the thresholds that the run exceeded."""
    found = []
    for transport, limits in thresholds.items():
        entries = [
            entry
            for (_, kind), entry in environment.stats.entries.items()
            if (kind == "gRPC") == (transport == "grpc")
        ]
        calls = sum(entry.num_requests for entry in entries)
        failures = sum(entry.num_failures for entry in entries)
        if calls < limits["min_calls"]:
            found.append(f"{transport}: {calls} calls, fewer than {limits['min_calls']}")
        if failures > limits["max_failures"]:
            found.append(f"{transport}: {failures} failed, more than {limits['max_failures']}")
        for entry in entries:
            slow = entry.get_response_time_percentile(0.95)
            if slow > limits["p95_ms"]:
                found.append(f"{transport} {entry.name}: p95 {slow:.0f} ms > {limits['p95_ms']} ms")
    return found


@events.quitting.add_listener
def judge(environment: Environment, **_: Any) -> None:
    """Fail the run if a threshold is exceeded; in a distributed run, only the master decides."""
    if isinstance(environment.runner, WorkerRunner):
        return
    found = exceeded(environment, tomllib.loads(THRESHOLDS.read_text())["transports"])
    for line in found:
        print(f"threshold exceeded: {line}")
    environment.process_exit_code = 1 if found else 0
