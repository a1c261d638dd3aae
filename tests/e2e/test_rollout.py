"""Two services are replaced one by one, as a Deployment does, and no call is lost."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack

import grpc
import httpx
from tablier.v1 import game_service_pb2 as pb
from tablier.v1.game_service_pb2_grpc import GameServiceStub
from tablier_client import Client

from tests.live_server import TIMEOUT_SECONDS, LiveServer, running, wait_until

SERVICES = 2
# Follows the health of the services, without retries.
HEALTH = '{"loadBalancingConfig": [{"round_robin": {}}], "healthCheckConfig": {"serviceName": ""}}'
OPTIONS = [
    ("grpc.service_config", HEALTH),
    ("grpc.enable_retries", 0),
    ("grpc.initial_reconnect_backoff_ms", 100),
    ("grpc.max_reconnect_backoff_ms", 200),
]


def free_ports(count: int) -> list[int]:
    """Ports for services that start later."""
    with ExitStack() as stack:
        found = [stack.enter_context(socket.create_server(("127.0.0.1", 0))) for _ in range(count)]
        return [each.getsockname()[1] for each in found]


def wait_until_ready(server: LiveServer, *, ready: bool) -> None:
    def is_so() -> bool:
        # Reading certificates would take longer than the request.
        answer = httpx.get(f"{server.rest_url}/readyz", verify=False, timeout=TIMEOUT_SECONDS)
        return (answer.status_code == httpx.codes.OK) is ready

    wait_until(is_so, "its readiness is what it should be")


def serving(port: int) -> AbstractContextManager[LiveServer]:
    # Health must reach the callers of a busy machine before the service closes.
    return running(grpc_port=port, drain_delay_seconds=1.5, log_level="error")


class Callers:
    """Threads that call until the end of the block, with and without retries."""

    def __init__(self, address: str) -> None:
        self._stack = ExitStack()
        client = self._stack.enter_context(Client(address, wait_for_ready=True))
        channel = self._stack.enter_context(grpc.insecure_channel(address, OPTIONS))
        stub = GameServiceStub(channel)
        request = pb.GetGameRequest(game="contrast")
        self._over = threading.Event()
        self.made = 0
        self.failures: list[Exception] = []
        calls: list[Callable[[], object]] = [
            lambda: client.game("contrast"),
            lambda: stub.GetGame(request, timeout=TIMEOUT_SECONDS, wait_for_ready=False),
        ]
        stub.GetGame(request, timeout=TIMEOUT_SECONDS, wait_for_ready=True)
        self._threads = [threading.Thread(target=self._call, args=(call,)) for call in calls]

    def __enter__(self) -> Callers:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        for thread in self._threads:
            thread.join()
        self._stack.close()

    def _call(self, call: Callable[[], object]) -> None:
        while not self._over.wait(0.002):
            try:
                call()
            except Exception as error:
                self.failures.append(error)
            self.made += 1

    def make_more(self) -> None:
        """Wait until more calls were made."""
        before = self.made
        wait_until(lambda: self.made >= before + 20, "calls are made")


def test_a_rollout_loses_no_call() -> None:
    ports = free_ports(2 * SERVICES)
    with ExitStack() as stack:
        old = [stack.enter_context(serving(port)) for port in ports[:SERVICES]]
        # A headless Service has the addresses of all pods, in time also those of new ones.
        with Callers("ipv4:" + ",".join(f"127.0.0.1:{port}" for port in ports)) as callers:
            for before, port in zip(old, ports[SERVICES:], strict=True):
                new = stack.enter_context(serving(port))
                wait_until_ready(new, ready=True)
                callers.make_more()
                # A pod stops when another one is ready.
                before.signal_stop()
                wait_until_ready(before, ready=False)
                callers.make_more()
                assert before.wait() == 0
            callers.make_more()
        assert callers.failures == []
