"""Several workers on the same two ports: shared calls, shared counts, stops and replacements."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import grpc
import httpx
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc
from tablier.v1 import game_service_pb2 as pb
from tablier.v1.advisor_service_pb2 import Budget, SuggestMovesRequest
from tablier.v1.advisor_service_pb2_grpc import AdvisorServiceStub
from tablier.v1.game_service_pb2_grpc import GameServiceStub
from tablier_client import Client
from tablier_client.channel import connection
from tablier_core import codec
from tablier_core.registry import GAMES
from tablier_service.process.supervisor import hold

from tests.live_server import LiveServer, start_server, wait_until

REQUEST = pb.GetGameRequest(game="contrast")
LONG = SuggestMovesRequest(
    state=codec.encode(GAMES["contigo-alignment"].start({}, 1)), budget=Budget(milliseconds=50_000)
)
REST_PATH = "/v1/games/contrast"
STARTED = (
    'grpc_server_started_total{grpc_method="GetGame",grpc_service="tablier.v1.GameService",'
    'grpc_type="unary"}'
)


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("workers") / "log"


@pytest.fixture(scope="module")
def server(log: Path) -> Iterator[LiveServer]:
    live = start_server(log=log, TABLIER_WORKERS="2")
    yield live
    assert live.stop() == 0
    live.close()


def workers_of(server: LiveServer) -> list[int]:
    """The processes that the supervisor has forked."""
    process = server.process.pid
    return [int(c) for c in Path(f"/proc/{process}/task/{process}/children").read_text().split()]


def get(server: LiveServer, path: str) -> httpx.Response:
    # Certificates would be read for every client.
    return httpx.get(f"{server.rest_url}{path}", verify=False)


def metrics_of(server: LiveServer) -> dict[str, float]:
    """What /metrics says on a new connection: to whichever worker."""
    text = get(server, "/metrics").text
    rows = [line.rsplit(" ", 1) for line in text.splitlines() if not line.startswith("#")]
    return {name: float(value) for name, value in rows}


def wait_for_replacement(server: LiveServer, gone: int) -> None:
    wait_until(lambda: gone not in workers_of(server), "the worker has ended")
    wait_until(
        lambda: metrics_of(server)["tablier_workers_serving"] == 2, "two workers serve again"
    )


Call = Callable[[], object]
Door = Callable[[LiveServer], AbstractContextManager[Call]]


@contextmanager
def grpc_door(server: LiveServer, options: Sequence[tuple[str, str | int]] = ()) -> Iterator[Call]:
    """Calls on a connection of its own, so that the kernel chooses its worker anew."""
    own = ("grpc.use_local_subchannel_pool", 1)
    with grpc.insecure_channel(server.grpc_address, [own, *options]) as channel:
        yield partial(GameServiceStub(channel).GetGame, REQUEST)


@contextmanager
def retrying_grpc_door(server: LiveServer) -> Iterator[Call]:
    """The same with the options of tablier-client."""
    address = server.grpc_address
    options = connection(
        address, credentials=None, insecure=False, metadata=(), wait_for_ready=False
    ).options
    with grpc_door(server, options) as call:
        yield call


@contextmanager
def rest_door(server: LiveServer) -> Iterator[Call]:
    with httpx.Client(base_url=server.rest_url, timeout=30, verify=False) as client:
        yield lambda: client.get(REST_PATH).raise_for_status()


@contextmanager
def session_door(server: LiveServer) -> Iterator[Call]:
    """Calls in a session of tablier-client."""
    with Client(server.grpc_address) as client, client.session() as session:
        yield lambda: session.submit(client.calls.game("contrast")).result(30)


def call_both(server: LiveServer, times: int) -> None:
    for _ in range(times):
        for door in (grpc_door, rest_door):
            with door(server) as call:
                call()


class Callers:
    """Threads that call in a loop, each its own way, until they are told to stop."""

    def __init__(self, server: LiveServer) -> None:
        self._server = server
        self.made = 0
        self.failures: list[BaseException] = []
        self._lock = threading.Lock()
        self._stop = threading.Event()

    @contextmanager
    def calling(self, *doors: Door) -> Iterator[None]:
        threads = [threading.Thread(target=self._loop, args=(door,)) for door in doors]
        for thread in threads:
            thread.start()
        wait_until(lambda: self.made > 50, "calls are made")
        try:
            yield
        finally:
            self._stop.set()
            for thread in threads:
                thread.join(30)

    def _loop(self, door: Door) -> None:
        with door(self._server) as call:
            while not self._stop.is_set():
                try:
                    call()
                except Exception as error:
                    self.failures.append(error)
                with self._lock:
                    self.made += 1


def test_workers_are_pinned_each_to_a_core_and_the_supervisor_holds_no_grpc_object(server):
    workers = workers_of(server)
    assert len(workers) == 2
    cores = [os.sched_getaffinity(worker) for worker in workers]
    if len(os.sched_getaffinity(0)) >= 2:
        assert sorted(map(len, cores)) == [1, 1]
        assert cores[0] != cores[1]
    # gRPC starts threads with its first object; a fork would not take them along.
    assert len(list(Path(f"/proc/{server.process.pid}/task").iterdir())) == 1


def test_every_worker_tells_of_all_calls_even_after_one_is_killed(server):
    before = metrics_of(server)
    call_both(server, 10)
    # So many new connections reach both workers.
    seen = [metrics_of(server)[STARTED] for _ in range(20)]
    assert seen == [before[STARTED] + 20] * 20
    shares = {name: value for name, value in metrics_of(server).items() if "process_cpu_" in name}
    assert len(shares) == 2
    with grpc.insecure_channel(server.grpc_address) as channel:
        advice = AdvisorServiceStub(channel).SuggestMoves.future(LONG)
        running = "tablier_searches_running"
        wait_until(lambda: metrics_of(server)[running] == 1, "a search runs")
        for victim in workers_of(server):
            os.kill(victim, signal.SIGKILL)
            wait_for_replacement(server, victim)
        assert isinstance(advice.exception(), grpc.RpcError)
    assert metrics_of(server)[running] == 0
    call_both(server, 10)
    seen = [metrics_of(server)[STARTED] for _ in range(20)]
    assert seen == [before[STARTED] + 40] * 20
    restarts = "tablier_worker_restarts_total"
    assert metrics_of(server)[restarts] == before[restarts] + 2


def test_a_worker_that_is_stopped_or_killed_is_replaced_and_calls_go_on(server, log):
    """With SIGTERM no call is lost: over gRPC with the client's retries, over REST without any."""
    callers = Callers(server)
    with callers.calling(*[retrying_grpc_door] * 4, *[session_door] * 4, *[rest_door] * 4):
        for victim in workers_of(server):
            os.kill(victim, signal.SIGTERM)
            wait_for_replacement(server, victim)
        assert callers.failures == []
        victim = workers_of(server)[0]
        os.kill(victim, signal.SIGKILL)
        wait_for_replacement(server, victim)
        before = callers.made
        wait_until(lambda: callers.made > before + 50, "calls go on")
    # At most the call that each of them had under way, and one more try to connect.
    assert len(callers.failures) <= 16
    events = [json.loads(line) for line in log.read_text().splitlines()]
    ended = [entry for entry in events if entry["event"] == "worker ended"]
    assert [entry["exit_code"] for entry in ended[-3:]] == [0, 0, -signal.SIGKILL]


def test_a_service_that_stops_loses_no_call_of_those_who_heed_health(tmp_path):
    server = start_server(log=tmp_path / "log", TABLIER_WORKERS="2", TABLIER_LEAVE_SECONDS="2")
    told = []
    callers = Callers(server)
    with grpc.insecure_channel(server.grpc_address) as channel:
        stub: Any = health_pb2_grpc.HealthStub(channel)
        states = iter(stub.Watch(health_pb2.HealthCheckRequest(service="")))
        assert next(states).status == health_pb2.HealthCheckResponse.SERVING
        with callers.calling(*[grpc_door] * 4, *[rest_door] * 4):
            server.process.send_signal(signal.SIGTERM)
            told.append(next(states).status)
            told.append(get(server, "/readyz").status_code)
            told.append(get(server, "/healthz").status_code)
            before = callers.made
            wait_until(lambda: callers.made > before + 8, "calls are taken after health has turned")
    assert callers.failures == []
    assert told == [health_pb2.HealthCheckResponse.NOT_SERVING, 503, 200]
    assert server.process.wait(30) == 0
    assert server.process.stdout is not None
    assert server.process.stdout.read() == ""
    server.close()


def test_workers_end_with_their_supervisor(tmp_path):
    server = start_server(log=tmp_path / "log", TABLIER_WORKERS="2")
    workers = workers_of(server)
    server.process.kill()
    server.process.wait(30)
    wait_until(
        lambda: not any(Path(f"/proc/{worker}/cmdline").exists() for worker in workers),
        "the workers have ended",
    )
    server.close()


@pytest.mark.parametrize("shared", [False, True])
def test_a_port_of_another_program_is_refused_even_if_it_would_share(shared):
    with socket.create_server(("127.0.0.1", 0), reuse_port=shared) as taken:
        port = taken.getsockname()[1]
        where = f"127.0.0.1:{port} for gRPC"
        with ExitStack() as stack, pytest.raises(OSError, match=where):
            hold(stack, "127.0.0.1", port, "gRPC")


def test_a_port_that_is_held_is_for_workers_only():
    with ExitStack() as stack:
        port = hold(stack, "127.0.0.1", 0, "REST")
        with pytest.raises(OSError, match=str(port)):
            hold(stack, "127.0.0.1", port, "REST")
        with socket.create_server(("127.0.0.1", port), reuse_port=True) as worker:
            assert worker.getsockname()[1] == port


# What a worker does in these supervisors instead of serving.
FAILS = 'raise OSError("no room")'
DIES = "started(0, 0); os._exit(3)"
SCRIPT = """
import os
from tablier_service.process import supervisor
from tablier_service.settings import Settings

async def serve(settings, metrics, started, lifeline, cores):
    {body}

supervisor.serve = serve
supervisor.FIRST_WAIT = 0.01
supervisor.run(Settings(workers=2, grpc_port=0, rest_port=0))
"""


def supervise(body: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", SCRIPT.format(body=body)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_workers_that_cannot_serve_at_all_are_not_replaced():
    with supervise(FAILS) as process:
        out, errors = process.communicate(timeout=60)
    assert process.returncode == 1
    assert out == ""
    assert "no room" in errors


def test_workers_that_die_at_once_are_replaced_ever_more_slowly():
    with supervise(DIES) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        waits: dict[int, list[float]] = {0: [], 1: []}
        while min(map(len, waits.values())) < 4:
            entry = json.loads(process.stderr.readline())
            assert (entry["event"], entry["exit_code"]) == ("worker ended", 3)
            waits[entry["worker"]].append(entry["next_in_seconds"])
        process.terminate()
        process.communicate(timeout=60)
    for found in waits.values():
        assert all(later == 2 * earlier for earlier, later in pairwise(found))
