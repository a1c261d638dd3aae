"""The locustfile: users, and the objectives that decide whether the run passes."""

from __future__ import annotations

import os
from typing import Any

from locust import events
from locust.env import Environment
from locust.runners import WorkerRunner

from loadtests.objectives import Check, Objectives
from loadtests.users import SCENARIO, GrpcUser, RestUser

__all__ = ["GrpcUser", "RestUser"]

GrpcUser.address = os.environ["TABLIER_LOAD_GRPC"]
RestUser.host = os.environ["TABLIER_LOAD_REST"]


def checks(environment: Environment) -> list[Check]:
    """What the run is judged by. Users that wait for answers say nothing about latency under load,
    so only failures count: wrong answers, errors and rejected calls.
    """
    total = environment.stats.total
    allowed = Objectives(SCENARIO).every["error_rate"]
    failures = total.num_failures / max(1, total.num_requests)
    return [Check("failures", failures, allowed), Check("no calls", total.num_requests == 0, 0)]


@events.quitting.add_listener
def judge(environment: Environment, **_: Any) -> None:
    """Fail the run if an objective broke; in a distributed run, only the master decides."""
    if isinstance(environment.runner, WorkerRunner):
        return
    found = checks(environment)
    for check in found:
        print(f"{check.what}: {check.measured:g}, {'held' if check.held else 'broken'}")
    environment.process_exit_code = 0 if all(check.held for check in found) else 1
