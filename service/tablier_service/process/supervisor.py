"""Several worker processes on the same two ports, and the process that looks after them.

The workers are forked from a process that has imported all that serving needs but has made no
object of gRPC, which would not survive a fork. The kernel shares connections out between them, as
every worker has a listening socket of its own on the same port (SO_REUSEPORT).
"""

from __future__ import annotations

import gc
import os
import signal
import socket
import sys
from contextlib import ExitStack, suppress
from multiprocessing import connection, get_context
from multiprocessing.context import ForkProcess
from time import monotonic

import uvloop

from tablier_service.observability.logs import configure_logs
from tablier_service.observability.metrics import Metrics, SharedNumbers
from tablier_service.observability.processes import own_cores
from tablier_service.process.app import announce, serve
from tablier_service.settings import Settings

FORK = get_context("fork")
SIGNALS = (signal.SIGTERM, signal.SIGINT)
# A worker that lived for less than this died at once: the next one waits, each time twice as long.
SHORT_LIFE = 10.0
FIRST_WAIT, LONGEST_WAIT = 0.1, 10.0


def hold(stack: ExitStack, host: str, port: int, door: str) -> int:
    """Take a port, so that only workers of ours can listen on it, and say its number.

    Bound as if it were to be shared with nobody, so that a port which another program has is
    refused, even if that program would share it; opened to our own workers only afterwards.
    """
    held = stack.enter_context(socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET))
    held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        held.bind((host, port))
    except OSError as error:
        where = f"{host}:{port}"
        raise OSError(f"cannot listen on {where} for {door}: {error.strerror}") from None
    held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 0)
    held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    number: int = held.getsockname()[1]
    return number


class Worker:
    """A place among the workers, and the process that fills it now."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.process: ForkProcess | None = None
        # Says once that the process serves; closed by its end.
        self.ready: connection.Connection | None = None
        self.began = 0.0
        # When to start the next process, and how long to wait after another short life.
        self.due = 0.0
        self.wait = FIRST_WAIT


class Supervisor:
    """Keeps the workers running until it is told to stop."""

    def __init__(self, settings: Settings, stack: ExitStack) -> None:
        host = settings.host
        ports = {
            "grpc_port": hold(stack, host, settings.grpc_port, "gRPC"),
            "rest_port": hold(stack, host, settings.rest_port, "REST"),
        }
        self._settings = settings.model_copy(update=ports)
        self._logger = configure_logs(settings)
        self._shared = SharedNumbers(settings.workers + 1)
        # The last row is the supervisor's own.
        self._metrics = Metrics(self._shared, settings.workers)
        self._workers = [Worker(number) for number in range(settings.workers)]
        self._told_to_stop = False
        self._stopping = False
        # The places that were filled by a worker that served, once or more.
        self._served: set[int] = set()
        self._announced = False
        self._failed = False
        # Workers read from it, and nothing ever comes: it ends with this process, however it ends.
        self._lifeline, self._life = os.pipe()
        # The kernel's signals arrive here too, and so wake the loop below.
        self._signals, wake = socket.socketpair()
        for end in (self._signals, wake):
            end.setblocking(False)
            stack.enter_context(end)
        signal.set_wakeup_fd(wake.fileno(), warn_on_full_buffer=False)
        for number in SIGNALS:
            signal.signal(number, self._hear)

    def run(self) -> None:
        """Start all workers, replace those that die, and return when all have ended as told."""
        # What is here now is never freed: left out of collections, its pages stay shared.
        gc.freeze()
        for worker in self._workers:
            self._start(worker)
        while any(worker.process for worker in self._workers) or not self._stopping:
            self._wait()
            if self._told_to_stop and not self._stopping:
                self._stop()
            for worker in self._workers:
                self._look_after(worker)
        self._logger.info("all workers have stopped")
        if self._failed:
            raise OSError("a worker could not serve; its log says why")

    def _hear(self, number: int, frame: object) -> None:
        self._told_to_stop = True

    def _stop(self) -> None:
        self._stopping = True
        for worker in self._workers:
            if worker.process:
                worker.process.terminate()

    def _start(self, worker: Worker) -> None:
        ready, told = FORK.Pipe(duplex=False)
        process = FORK.Process(target=self._work, args=(worker.number, told))
        # A signal between the fork and the worker's own handlers waits for them.
        signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
        process.start()
        worker.process, worker.ready, worker.began = process, ready, monotonic()
        signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)
        told.close()

    def _work(self, number: int, told: connection.Connection) -> None:
        """The life of a worker, in its own process."""
        for name in SIGNALS:
            signal.signal(name, signal.SIG_DFL)
        signal.set_wakeup_fd(-1)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)
        os.close(self._life)
        cores = own_cores()
        # A worker that moves between cores loses a third of its calls.
        if len(self._workers) <= len(cores):
            os.sched_setaffinity(0, {cores[number]})
        metrics = Metrics(self._shared, number)

        def tell(*ports: int) -> None:
            told.send(ports)
            told.close()

        try:
            uvloop.run(serve(self._settings, metrics, tell, self._lifeline, cores))
        except OSError as error:
            self._logger.error("worker cannot serve", worker=number, error=str(error))
            sys.exit(1)

    def _wait(self) -> None:
        """Until a signal comes, a worker serves or ends, or one is due."""
        heard: list[object] = [self._signals]
        heard += [worker.process.sentinel for worker in self._workers if worker.process]
        heard += [worker.ready for worker in self._workers if worker.ready]
        due = [worker.due for worker in self._workers if not worker.process]
        pause = max(0.0, min(due) - monotonic()) if due and not self._stopping else None
        if self._signals in connection.wait(heard, pause):  # type: ignore[arg-type]
            self._signals.recv(64)

    def _look_after(self, worker: Worker) -> None:
        process = worker.process
        ended = process is not None and process.exitcode is not None
        # Asked for in this order, so that a worker which served and has ended is known to have.
        if worker.ready and worker.ready.poll():
            self._hear_of(worker, worker.ready)
        if process and ended:
            self._ended(worker, process)
        if not (worker.process or self._stopping) and monotonic() >= worker.due:
            self._metrics.restarts.inc()
            self._start(worker)

    def _hear_of(self, worker: Worker, ready: connection.Connection) -> None:
        """A worker serves, or has ended before it did."""
        with suppress(EOFError):
            ready.recv()
            self._served.add(worker.number)
        ready.close()
        worker.ready = None
        if len(self._served) == len(self._workers) and not self._announced:
            self._announced = True
            announce(self._settings, self._settings.grpc_port, self._settings.rest_port)

    def _ended(self, worker: Worker, process: ForkProcess) -> None:
        """Note a worker's end; unless all are to stop, another will take its place."""
        code, lived = process.exitcode, monotonic() - worker.began
        process.join()
        process.close()
        worker.process = None
        self._metrics.forget(worker.number)
        if self._stopping:
            # One that was told before it could listen to signals ends by the signal itself.
            self._failed |= code not in (0, -signal.SIGTERM)
            return
        if worker.number not in self._served:
            # What keeps a first worker from serving keeps the next one too.
            self._failed = True
            self._stop()
            return
        worker.wait = min(LONGEST_WAIT, worker.wait * 2) if lived < SHORT_LIFE else FIRST_WAIT
        pause = worker.wait if lived < SHORT_LIFE else 0.0
        worker.due = monotonic() + pause
        self._logger.error(
            "worker ended",
            worker=worker.number,
            exit_code=code,
            lived_seconds=round(lived, 1),
            next_in_seconds=pause,
        )


def run(settings: Settings) -> None:
    """Serve with several workers until SIGTERM or SIGINT."""
    with ExitStack() as stack:
        Supervisor(settings, stack).run()
