"""Several workers on the same two ports: shared calls and metrics, stops and replacements."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
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
from tablier_core import codec
from tablier_core.registry import GAMES
from tablier_service.process.supervisor import SteadyClock, reserve_port

from tests.live_server import TIMEOUT_SECONDS, LiveServer, running, wait_until

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
    # Long enough for every client of a busy machine to learn that a worker stops.
    with running(log, workers=2, drain_delay_seconds=2) as server:
        yield server


def workers_of(server: LiveServer) -> list[int]:
    """The process ids of the workers."""
    process = server.process.pid
    children = Path(f"/proc/{process}/task/{process}/children").read_text().split()
    return [int(child) for child in children if is_worker(child)]


def is_worker(child: str) -> bool:
    """Whether a child of the supervisor is not the one that copies lines of standard error."""
    try:
        return b"foreign_lines" not in Path(f"/proc/{child}/cmdline").read_bytes()
    except (FileNotFoundError, ProcessLookupError):
        return False


def is_running(process: int) -> bool:
    """Whether a process exists and is not a zombie."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def get(server: LiveServer, path: str) -> httpx.Response:
    # Reading certificates would take longer than the request.
    return httpx.get(f"{server.rest_url}{path}", verify=False, timeout=TIMEOUT_SECONDS)


def wait_for_replacement(server: LiveServer, gone: int) -> None:
    def is_replaced() -> bool:
        workers = workers_of(server)
        return gone not in workers and len(workers) == 2

    # In this order: until the next worker is started, the metrics may still count the old one.
    wait_until(is_replaced, "the worker is replaced")
    wait_until(lambda: server.metrics()["tablier_workers_serving"] == 2, "two workers serve again")


Call = Callable[[], object]
Connect = Callable[[LiveServer], AbstractContextManager[Call]]


@contextmanager
def grpc_client(server: LiveServer) -> Iterator[Call]:
    """Calls on a new connection, for which the kernel chooses a worker."""
    own = ("grpc.use_local_subchannel_pool", 1)
    with grpc.insecure_channel(server.grpc_address, [own]) as channel:
        yield partial(GameServiceStub(channel).GetGame, REQUEST)


@contextmanager
def retrying_grpc_client(server: LiveServer) -> Iterator[Call]:
    """The same with tablier-client, which retries."""
    with Client(server.grpc_address) as client:
        yield lambda: client.game("contrast")


@contextmanager
def http_client(server: LiveServer) -> Iterator[Call]:
    with httpx.Client(base_url=server.rest_url, timeout=TIMEOUT_SECONDS, verify=False) as client:
        yield lambda: client.get(REST_PATH).raise_for_status()


@contextmanager
def session_client(server: LiveServer) -> Iterator[Call]:
    """Calls in a session of tablier-client."""
    with Client(server.grpc_address) as client, client.session() as session:
        yield lambda: session.submit(client.calls.game("contrast")).result(TIMEOUT_SECONDS)


def call_both(server: LiveServer, times: int) -> None:
    for _ in range(times):
        for connect in (grpc_client, http_client):
            with connect(server) as call:
                call()


class Callers:
    """Threads that call in a loop, each with its own kind of client, until they are stopped."""

    def __init__(self, server: LiveServer) -> None:
        self._server = server
        self.made = 0
        self.failures: list[BaseException] = []
        self._lock = threading.Lock()
        self._stop = threading.Event()

    @contextmanager
    def calling(self, *clients: Connect) -> Iterator[None]:
        threads = [threading.Thread(target=self._loop, args=(connect,)) for connect in clients]
        for thread in threads:
            thread.start()
        try:
            wait_until(lambda: self.made > 50, "calls are made")
            yield
        finally:
            self._stop.set()
            for thread in threads:
                thread.join(TIMEOUT_SECONDS)

    def _loop(self, connect: Connect) -> None:
        with connect(self._server) as call:
            while not self._stop.is_set():
                try:
                    call()
                except Exception as error:
                    self.failures.append(error)
                with self._lock:
                    self.made += 1


def test_pins_each_worker_to_a_core(server):
    workers = workers_of(server)
    assert len(workers) == 2
    cores = [os.sched_getaffinity(worker) for worker in workers]
    if len(os.sched_getaffinity(0)) >= 2:
        assert sorted(map(len, cores)) == [1, 1]
        assert cores[0] != cores[1]
    # The supervisor has no gRPC object: gRPC starts threads, which would not survive a fork.
    assert len(list(Path(f"/proc/{server.process.pid}/task").iterdir())) == 1


def test_every_worker_reports_all_calls_even_after_one_is_killed(server):
    before = server.metrics()
    call_both(server, 10)
    # This many new connections reach both workers.
    seen = [server.metrics()[STARTED] for _ in range(20)]
    assert seen == [before[STARTED] + 20] * 20
    shares = {name: value for name, value in server.metrics().items() if "process_cpu_" in name}
    assert len(shares) == 2
    with grpc.insecure_channel(server.grpc_address) as channel:
        advice = AdvisorServiceStub(channel).SuggestMoves.future(LONG)
        running = "tablier_searches_running"
        wait_until(lambda: server.metrics()[running] == 1, "a search runs")
        for victim in workers_of(server):
            os.kill(victim, signal.SIGKILL)
            wait_for_replacement(server, victim)
        assert isinstance(advice.exception(), grpc.RpcError)
    assert server.metrics()[running] == 0
    call_both(server, 10)
    seen = [server.metrics()[STARTED] for _ in range(20)]
    assert seen == [before[STARTED] + 40] * 20
    restarts = "tablier_worker_restarts_total"
    assert server.metrics()[restarts] == before[restarts] + 2


def test_replaces_workers_that_are_stopped_or_killed(server, log):
    """With SIGTERM no call is lost: over gRPC with the retries of the client, over HTTP without."""
    callers = Callers(server)
    with callers.calling(*[retrying_grpc_client] * 4, *[session_client] * 4, *[http_client] * 4):
        for victim in workers_of(server):
            os.kill(victim, signal.SIGTERM)
            wait_for_replacement(server, victim)
        assert callers.failures == []
        victim = workers_of(server)[0]
        os.kill(victim, signal.SIGKILL)
        wait_for_replacement(server, victim)
        before = callers.made
        wait_until(lambda: callers.made > before + 50, "calls go on")
    # At most the call that each had in progress, and one more attempt to connect.
    assert len(callers.failures) <= 16
    events = [json.loads(line) for line in log.read_text().splitlines()]
    ended = [entry for entry in events if entry["event"] == "worker ended"]
    assert [entry["exit_code"] for entry in ended[-3:]] == [0, 0, -signal.SIGKILL]


def test_a_service_that_stops_accepts_calls_after_health_has_changed(tmp_path):
    """Clients that follow health checks or readiness lose no call."""
    serving = health_pb2.HealthCheckResponse.SERVING
    stopping = health_pb2.HealthCheckResponse.NOT_SERVING
    with (
        # Long enough for all calls below on a busy machine.
        running(tmp_path / "log", workers=2, drain_delay_seconds=10) as server,
        grpc.insecure_channel(server.grpc_address) as channel,
    ):
        stub: Any = health_pb2_grpc.HealthStub(channel)
        states = stub.Watch(health_pb2.HealthCheckRequest(service=""))
        assert next(states).status == serving
        callers = Callers(server)
        with callers.calling(*[grpc_client] * 4, *[http_client] * 4):
            server.signal_stop()
            # Health is that of the worker at the other end of the connection. Readiness is that of
            # the service, and changes when the last worker has received the signal.
            assert next(states).status == stopping
            wait_until(lambda: get(server, "/readyz").status_code == 503, "it is not ready")
            assert get(server, "/healthz").status_code == 200
            before = callers.made
            wait_until(lambda: callers.made > before + 8, "calls are still accepted")
        assert callers.failures == []
        # Otherwise the service would wait for this call.
        states.cancel()
        assert server.wait() == 0
        assert server.process.stdout is not None
        # Nothing after the addresses.
        assert server.process.stdout.read().split() == ["Table", f"{server.rest_url}/"]


def test_workers_end_with_their_supervisor(tmp_path):
    with running(tmp_path / "log", workers=2) as server:
        workers = workers_of(server)
        server.process.kill()
        server.wait()
        wait_until(lambda: not any(map(is_running, workers)), "the workers have ended")


@pytest.mark.parametrize("shared", [False, True])
def test_rejects_a_port_of_another_program_even_if_it_would_share(shared):
    with socket.create_server(("127.0.0.1", 0), reuse_port=shared) as taken:
        port = taken.getsockname()[1]
        where = f"127.0.0.1:{port} for gRPC"
        with ExitStack() as stack, pytest.raises(OSError, match=where):
            reserve_port(stack, "127.0.0.1", port, "gRPC")


def test_a_reserved_port_is_only_for_workers():
    with ExitStack() as stack:
        port = reserve_port(stack, "127.0.0.1", 0, "HTTP")
        with pytest.raises(OSError, match=str(port)):
            reserve_port(stack, "127.0.0.1", port, "HTTP")
        with socket.create_server(("127.0.0.1", port), reuse_port=True) as worker:
            assert worker.getsockname()[1] == port


# What the workers of these supervisors do instead of serving.
FAILS = 'raise OSError("no room")'
BREAKS = 'raise RuntimeError("no room")'
DIES = "started(0, 0); os._exit(3)"
HANGS = "started(0, 0); time.sleep(10_000)"
HANGS_AT_START = "time.sleep(10_000)"
# The event loop goes on, but another thread that is watched does not.
THREAD_HANGS = "show_pulse(metrics, None); metrics.watch().inc(); started(0, 0); await forever()"
NEVER_STOPS = "show_pulse(metrics, None); started(0, 0); await forever()"
# Faults of the supervisor itself, with workers that die at once.
NO_ANNOUNCEMENT = """
def announce(*arguments):
    raise RuntimeError
supervisor.announce = announce
"""
NO_FORK = """
fork, forks = os.fork, 0
def failing_fork():
    global forks
    forks += 1
    if forks > 2 and forks % 2:
        raise BlockingIOError
    return fork()
os.fork = failing_fork
"""
SCRIPT = """
import asyncio, os, time
from tablier_service.observability.stderr import log_on_stderr
from tablier_service.process import stopping, supervisor
from tablier_service.process.stopping import show_pulse
from tablier_service.settings import Settings

async def forever():
    await asyncio.Event().wait()

async def serve(settings, logger, metrics, started, lifeline, cores):
    {body}

{fault}
supervisor.serve = serve
supervisor.FIRST_PAUSE = 0.01
stopping.MARGIN_SECONDS = supervisor.EXTRA_STOP_SECONDS = 0.1
settings = Settings(
    workers=2, grpc_port=0, http_port=0, watchdog_seconds={watchdog}, drain_seconds=0
)
with log_on_stderr("info", "json") as logger:
    supervisor.run(settings, logger)
"""


@contextmanager
def supervised(
    body: str, *, fault: str = "", watchdog: int = 600
) -> Iterator[subprocess.Popen[str]]:
    """A supervisor whose workers do this; it is killed at the end of the block."""
    with subprocess.Popen(
        [sys.executable, "-c", SCRIPT.format(body=body, fault=fault, watchdog=watchdog)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        # Ends tests that wait for lines that do not come.
        limit = threading.Timer(TIMEOUT_SECONDS, process.kill)
        limit.start()
        try:
            yield process
        finally:
            limit.cancel()
            process.kill()


@pytest.mark.parametrize(
    ("body", "event"), [(FAILS, "worker cannot serve"), (BREAKS, "uncaught exception")]
)
def test_does_not_replace_workers_that_cannot_serve_at_all(body: str, event: str):
    with supervised(body) as process:
        out, errors = process.communicate(timeout=TIMEOUT_SECONDS)
        assert process.returncode == 1
    assert out == ""
    entries = [json.loads(line) for line in errors.splitlines()]
    assert (event, "no room") in [(entry["event"], entry.get("error")) for entry in entries]


def test_pauses_before_replacing_workers_that_die_at_once():
    """Each time for twice as long."""
    with supervised(DIES) as process:
        assert process.stderr is not None
        pauses: dict[int, list[float]] = {0: [], 1: []}
        while min(map(len, pauses.values())) < 4:
            entry = json.loads(process.stderr.readline())
            assert (entry["event"], entry["exit_code"]) == ("worker ended", 3)
            pauses[entry["worker"]].append(entry["next_in_seconds"])
        process.terminate()
        process.communicate(timeout=TIMEOUT_SECONDS)
    for found in pauses.values():
        assert all(later == 2 * earlier for earlier, later in pairwise(found))


def events(process: subprocess.Popen[str]) -> Iterator[dict[str, Any]]:
    """The entries of a log, as they are written."""
    assert process.stderr is not None
    for line in process.stderr:
        yield json.loads(line)


@pytest.mark.parametrize("body", [HANGS, THREAD_HANGS])
def test_replaces_a_worker_that_hangs(body: str):
    with supervised(body, watchdog=1) as process:
        found = [next(events(process)) for _ in range(8)]
        process.terminate()
        process.communicate(timeout=TIMEOUT_SECONDS)
    for worker in (0, 1):
        told = [entry["event"] for entry in found if entry.get("worker") == worker]
        assert told[:2] == ["worker hangs", "worker ended"]
    codes = {entry["exit_code"] for entry in found if "exit_code" in entry}
    assert codes <= {-signal.SIGPROF, -signal.SIGKILL}


def test_a_worker_that_hangs_before_it_serves_ends_the_service():
    with supervised(HANGS_AT_START, watchdog=1) as process:
        _, errors = process.communicate(timeout=TIMEOUT_SECONDS)
        assert process.returncode == 1
    assert "worker hangs" in [json.loads(line)["event"] for line in errors.splitlines()]


@pytest.mark.parametrize("body", [HANGS, NEVER_STOPS])
def test_a_stop_ends_workers_that_do_not(body: str):
    with supervised(body) as process:
        assert process.stdout is not None
        process.stdout.readline()
        process.terminate()
        _, errors = process.communicate(timeout=TIMEOUT_SECONDS)
        assert process.returncode == 1
    found = [json.loads(line)["event"] for line in errors.splitlines()]
    assert found.count("worker does not stop") == 2


@pytest.mark.parametrize(
    ("fault", "event"),
    [
        (NO_ANNOUNCEMENT, "error of the supervisor"),
        (NO_FORK, "worker cannot be started"),
    ],
    ids=["announcement", "fork"],
)
def test_supervises_whatever_happens(fault: str, event: str):
    with supervised(DIES, fault=fault) as process:
        seen: list[object] = []
        for entry in events(process):
            seen.append(entry["event"])
            if event in seen and seen[seen.index(event) :].count("worker ended") > 2:
                break
        else:
            pytest.fail(f"supervision has ended: {seen}")
        process.terminate()
        process.communicate(timeout=TIMEOUT_SECONDS)


def test_replaces_a_worker_that_is_stopped(tmp_path):
    """It reports what it did, and the metrics count it."""
    with running(tmp_path / "log", workers=2, watchdog_seconds=5) as server:
        victim = workers_of(server)[0]
        os.kill(victim, signal.SIGSTOP)
        wait_until(lambda: not is_running(victim), "the worker has ended")
        wait_for_replacement(server, victim)
        assert server.metrics()["tablier_hung_workers_total"] >= 1


@pytest.mark.slow
def test_replaces_no_worker_after_all_processes_were_suspended(tmp_path):
    """As with Ctrl-Z, or a container that is paused."""
    watchdog_seconds = 4
    with running(tmp_path / "log", workers=2, watchdog_seconds=watchdog_seconds) as server:
        workers = workers_of(server)
        processes = [server.process.pid, *workers]
        for process in processes:
            os.kill(process, signal.SIGSTOP)
        # Only time can pass here: longer than the watchdog allows.
        time.sleep(1.25 * watchdog_seconds)
        for process in reversed(processes):
            os.kill(process, signal.SIGCONT)
        call_both(server, 5)
        # It sleeps whenever it has looked at all workers.
        looked = sleeps_of(server.process.pid)
        wait_until(lambda: sleeps_of(server.process.pid) >= looked + 3, "the supervisor looks")
        assert workers_of(server) == workers


def sleeps_of(process: int) -> int:
    """How often the main thread of a process has waited for something."""
    status = Path(f"/proc/{process}/status").read_text()
    return int(status.partition("\nvoluntary_ctxt_switches:")[2].split()[0])


def test_the_clock_of_the_supervisor_makes_no_jumps(monkeypatch):
    time_now = 100.0
    monkeypatch.setattr("tablier_service.process.supervisor.monotonic", lambda: time_now)
    clock = SteadyClock()
    time_now = 101.5
    assert clock.read() == 1.5
    time_now = 5000.0
    assert clock.read() == 3.5
