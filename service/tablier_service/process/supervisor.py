"""Several worker processes on the same two ports, and the supervisor that replaces them.

The workers are forked from a process that has imported everything but has not created any gRPC
object, which would not survive a fork. Every worker has its own listening socket on the same port
(SO_REUSEPORT), and the kernel distributes connections among them.
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

from tablier_service.observability.logs import Logger
from tablier_service.observability.metrics import Metrics, SharedNumbers
from tablier_service.observability.processes import own_cores
from tablier_service.process.app import announce, serve
from tablier_service.settings import Settings

FORK = get_context("fork")
SIGNALS = (signal.SIGTERM, signal.SIGINT)
# A worker that lived for less than this is replaced after a pause, which doubles each time.
SHORT_LIFE_SECONDS = 10.0
FIRST_PAUSE, LONGEST_PAUSE = 0.1, 10.0


def reserve_port(stack: ExitStack, host: str, port: int, protocol: str) -> int:
    """Reserve a port, so that only our workers can listen on it, and return its number.

    The socket is bound without SO_REUSEPORT, which fails if another program has the port, even if
    that program would share it. Only afterwards it is opened to our own workers.
    """
    held = stack.enter_context(socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET))
    held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        held.bind((host, port))
    except OSError as error:
        where = f"{host}:{port}"
        raise OSError(f"cannot listen on {where} for {protocol}: {error.strerror}") from None
    held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 0)
    held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    number: int = held.getsockname()[1]
    return number


class Worker:
    """One of the workers, and the process that it currently is."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.process: ForkProcess | None = None
        # Receives one message when the process serves; closed when the process ends.
        self.ready: connection.Connection | None = None
        self.began = 0.0
        # When to start the next process, and how long to pause after another short life.
        self.due = 0.0
        self.pause = FIRST_PAUSE


class Supervisor:
    """Keeps the workers running until it receives a signal."""

    def __init__(self, settings: Settings, logger: Logger, stack: ExitStack) -> None:
        host = settings.host
        ports = {
            "grpc_port": reserve_port(stack, host, settings.grpc_port, "gRPC"),
            "http_port": reserve_port(stack, host, settings.http_port, "HTTP"),
        }
        self._settings = settings.model_copy(update=ports)
        self._logger = logger
        self._shared = SharedNumbers(settings.workers + 1)
        # The last row belongs to the supervisor.
        self._metrics = Metrics(self._shared, settings.workers)
        self._workers = [Worker(number) for number in range(settings.workers)]
        self._signalled = False
        self._stopping = False
        # The numbers of the workers that have served.
        self._served: set[int] = set()
        self._announced = False
        self._failed = False
        # Nothing is ever written to this pipe. It closes when this process ends in any way, and
        # its workers notice.
        self._lifeline, self._life = os.pipe()
        # Signals arrive on this socket too, which wakes the loop below.
        self._signals, wake = socket.socketpair()
        for end in (self._signals, wake):
            end.setblocking(False)
            stack.enter_context(end)
        signal.set_wakeup_fd(wake.fileno(), warn_on_full_buffer=False)
        for number in SIGNALS:
            signal.signal(number, self._on_signal)

    def run(self) -> None:
        """Start all workers, replace those that end, and return when a signal has stopped all."""
        # Objects made so far are never freed. Without collections, their pages stay shared.
        gc.freeze()
        for worker in self._workers:
            self._start(worker)
        while any(worker.process for worker in self._workers) or not self._stopping:
            self._wait()
            if self._signalled and not self._stopping:
                self._stop()
            for worker in self._workers:
                self._check(worker)
        self._logger.info("all workers have stopped")
        if self._failed:
            raise OSError("a worker could not serve; see the log")

    def _on_signal(self, number: int, frame: object) -> None:
        self._signalled = True

    def _stop(self) -> None:
        self._stopping = True
        for worker in self._workers:
            if worker.process:
                worker.process.terminate()

    def _start(self, worker: Worker) -> None:
        ready, notify = FORK.Pipe(duplex=False)
        process = FORK.Process(target=self._work, args=(worker.number, notify))
        # Signals that arrive between the fork and the handlers of the worker wait for those.
        signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
        process.start()
        worker.process, worker.ready, worker.began = process, ready, monotonic()
        signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)
        notify.close()

    def _work(self, number: int, notify: connection.Connection) -> None:
        """Run a worker, in its own process."""
        for name in SIGNALS:
            signal.signal(name, signal.SIG_DFL)
        signal.set_wakeup_fd(-1)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)
        os.close(self._life)
        cores = own_cores()
        # A worker that moves between cores serves a third fewer calls.
        if len(self._workers) <= len(cores):
            os.sched_setaffinity(0, {cores[number]})
        metrics = Metrics(self._shared, number)

        def started(*ports: int) -> None:
            notify.send(ports)
            notify.close()

        try:
            uvloop.run(serve(self._settings, self._logger, metrics, started, self._lifeline, cores))
        except OSError as error:
            self._logger.error("worker cannot serve", worker=number, error=str(error))
            sys.exit(1)
        except Exception as error:
            # Otherwise multiprocessing would print it.
            self._logger.critical(
                "uncaught exception", worker=number, error=str(error), exc_info=error
            )
            sys.exit(1)

    def _wait(self) -> None:
        """Wait until a signal comes, a worker serves or ends, or a new one is due."""
        events: list[object] = [self._signals]
        events += [worker.process.sentinel for worker in self._workers if worker.process]
        events += [worker.ready for worker in self._workers if worker.ready]
        due = [worker.due for worker in self._workers if not worker.process]
        pause = max(0.0, min(due) - monotonic()) if due and not self._stopping else None
        if self._signals in connection.wait(events, pause):  # type: ignore[arg-type]
            self._signals.recv(64)

    def _check(self, worker: Worker) -> None:
        process = worker.process
        ended = process is not None and process.exitcode is not None
        # In this order, so that a worker that served and ended is known to have served.
        if worker.ready and worker.ready.poll():
            self._on_ready(worker, worker.ready)
        if process and ended:
            self._on_end(worker, process)
        if not (worker.process or self._stopping) and monotonic() >= worker.due:
            self._metrics.restarts.inc()
            self._start(worker)

    def _on_ready(self, worker: Worker, ready: connection.Connection) -> None:
        """Note that a worker serves, or has ended before it did."""
        with suppress(EOFError):
            ready.recv()
            self._served.add(worker.number)
        ready.close()
        worker.ready = None
        if len(self._served) == len(self._workers) and not self._announced:
            self._announced = True
            announce(self._settings, self._settings.grpc_port, self._settings.http_port)

    def _on_end(self, worker: Worker, process: ForkProcess) -> None:
        """Note the end of a worker; it is replaced unless the service stops."""
        code, lived = process.exitcode, monotonic() - worker.began
        process.join()
        process.close()
        worker.process = None
        self._metrics.forget(worker.number)
        if self._stopping:
            # A worker that had no signal handler yet is ended by the signal itself.
            self._failed |= code not in (0, -signal.SIGTERM)
            return
        if worker.number not in self._served:
            # Whatever kept it from serving would keep the next one from serving too.
            self._failed = True
            self._stop()
            return
        short = lived < SHORT_LIFE_SECONDS
        worker.pause = min(LONGEST_PAUSE, worker.pause * 2) if short else FIRST_PAUSE
        pause = worker.pause if short else 0.0
        worker.due = monotonic() + pause
        self._logger.error(
            "worker ended",
            worker=worker.number,
            exit_code=code,
            lived_seconds=round(lived, 1),
            next_in_seconds=pause,
        )


def run(settings: Settings, logger: Logger) -> None:
    """Serve with several workers until SIGTERM or SIGINT."""
    with ExitStack() as stack:
        Supervisor(settings, logger, stack).run()
