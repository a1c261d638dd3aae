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
from time import monotonic, sleep

import uvloop

from tablier_service.observability.logs import Logger, count_dropped_lines
from tablier_service.observability.metrics import Metrics, SharedNumbers
from tablier_service.observability.processes import own_cores
from tablier_service.process.app import announce, serve, warn_if_exposed
from tablier_service.process.stopping import (
    HANG_SIGNAL,
    PULSE_SECONDS,
    SIGNALS,
    longest_stop,
    reader_of_signals,
)
from tablier_service.settings import Settings

FORK = get_context("fork")
# A worker that lived for less than this is replaced after a pause, which doubles each time.
SHORT_LIFE_SECONDS = 10.0
FIRST_PAUSE, LONGEST_PAUSE = 0.1, 10.0
# How much longer than a worker itself the supervisor waits for a worker to stop.
EXTRA_STOP_SECONDS = 5.0


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


class SteadyClock:
    """Counts the time in which this process runs, in seconds.

    It advances by two seconds at most from one reading to the next. If the machine or all processes
    were suspended, or did not get any CPU time, no worker is to blame.
    """

    def __init__(self) -> None:
        self._last = monotonic()
        self.now = 0.0

    def read(self) -> float:
        """The time now. It must be read every second."""
        now = monotonic()
        self.now += min(now - self._last, 2 * PULSE_SECONDS)
        self._last = now
        return self.now


class Worker:
    """One of the workers, and the process that it currently is."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.process: ForkProcess | None = None
        # Receives one message when the process serves; closed when the process ends.
        self.ready: connection.Connection | None = None
        self.began = 0.0
        # The pulses of its threads, when each of them changed, and when it was asked to end because
        # they did not.
        self.pulses: list[float] = []
        self.changed: list[float] = []
        self.asked_to_end: float | None = None
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
        count_dropped_lines(self._metrics.log_lines_dropped.inc)
        self._clock = SteadyClock()
        self._asks_to_stop = reader_of_signals()
        # Signals that have arrived: to stop, or to let the workers reload their files.
        self._signalled = self._reload = False
        self._stopping = False
        # When to kill the workers that have not stopped.
        self._kill_at = 0.0
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
        while any(worker.process for worker in self._workers) or not self._stopping:
            try:
                self._supervise()
            except Exception as error:
                # Whatever it is, the workers still need a supervisor.
                self._logger.error("error of the supervisor", exc_info=error)
                sleep(PULSE_SECONDS)
        self._logger.info("all workers have stopped")
        if self._failed:
            raise OSError("a worker failed; see the log")

    def _supervise(self) -> None:
        """Do what is due, then wait for the next event."""
        now = self._clock.read()
        if self._signalled and not self._stopping:
            self._stop()
        if self._reload:
            self._reload = False
            self._signal_workers(signal.SIGHUP)
        for worker in self._workers:
            self._check(worker, now)
        if any(worker.process for worker in self._workers) or not self._stopping:
            self._wait()

    def _on_signal(self, number: int, frame: object) -> None:
        if self._asks_to_stop(number):
            self._signalled = True
        else:
            self._reload = True

    def _signal_workers(self, number: int) -> None:
        for worker in self._workers:
            if worker.process and worker.process.pid and worker.process.exitcode is None:
                os.kill(worker.process.pid, number)

    def _stop(self) -> None:
        self._stopping = True
        self._kill_at = self._clock.now + longest_stop(self._settings) + EXTRA_STOP_SECONDS
        self._signal_workers(signal.SIGTERM)

    def _start(self, worker: Worker, now: float) -> None:
        with ExitStack() as undo:
            ready, notify = FORK.Pipe(duplex=False)
            undo.callback(ready.close)
            process = FORK.Process(target=self._work, args=(worker.number, notify))
            # Signals that arrive between the fork and the handlers of the worker wait for those.
            signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
            try:
                process.start()
            finally:
                signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)
                notify.close()
            undo.pop_all()
        worker.process, worker.ready, worker.began = process, ready, monotonic()
        worker.pulses = self._metrics.pulses(worker.number)
        worker.changed = [now] * len(worker.pulses)
        worker.asked_to_end = None

    def _work(self, number: int, notify: connection.Connection) -> None:
        """Run a worker, in its own process. Signals are blocked, and `serve` waits for them."""
        signal.set_wakeup_fd(-1)
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
        """Wait until a signal comes, a worker serves or ends, or it is time for the next check."""
        events: list[object] = [self._signals]
        events += [worker.process.sentinel for worker in self._workers if worker.process]
        events += [worker.ready for worker in self._workers if worker.ready]
        due = [worker.due - monotonic() for worker in self._workers if not worker.process]
        pause = min([PULSE_SECONDS, *due]) if not self._stopping else PULSE_SECONDS
        if self._signals in connection.wait(events, max(0.0, pause)):  # type: ignore[arg-type]
            self._signals.recv(64)

    def _check(self, worker: Worker, now: float) -> None:
        process = worker.process
        ended = process is not None and process.exitcode is not None
        # In this order, so that a worker that served and ended is known to have served.
        if worker.ready and worker.ready.poll():
            self._on_ready(worker, worker.ready)
        if process and ended:
            self._on_end(worker, process)
        elif process:
            self._check_pulses(worker, process, now)
        if not (worker.process or self._stopping) and monotonic() >= worker.due:
            self._replace(worker, now)

    def _replace(self, worker: Worker, now: float) -> None:
        try:
            self._start(worker, now)
        except OSError as error:
            # Too many processes or open files, or too little memory.
            self._logger.error("worker cannot be started", worker=worker.number, error=str(error))
            self._pause(worker)
            self._give_up_without(worker)
        else:
            if worker.number in self._served:
                self._metrics.restarts.inc()

    def _check_pulses(self, worker: Worker, process: ForkProcess, now: float) -> None:
        """End a worker that hangs, or that has not stopped in time."""
        before, worker.pulses = worker.pulses, self._metrics.pulses(worker.number)
        for place, (old, new) in enumerate(zip(before, worker.pulses, strict=True)):
            # The event loop is watched even before its first pulse.
            if new != old or (new == 0 and place > 0):
                worker.changed[place] = now
        if worker.asked_to_end is not None:
            # The first signal may have no effect, for example on a process that is stopped.
            if now >= worker.asked_to_end + PULSE_SECONDS:
                process.kill()
            return
        silent = now - min(worker.changed)
        if silent >= self._settings.watchdog_seconds:
            event = "worker hangs"
        elif self._stopping and now >= self._kill_at:
            event = "worker does not stop"
        else:
            return
        worker.asked_to_end = now
        self._metrics.hung.inc()
        self._logger.error(event, worker=worker.number, silent_seconds=round(silent, 1))
        assert process.pid is not None
        os.kill(process.pid, HANG_SIGNAL)

    def _on_ready(self, worker: Worker, ready: connection.Connection) -> None:
        """Note that a worker serves, or has ended before it did."""
        # A worker that is killed may have sent a part of its message.
        with suppress(EOFError, OSError):
            ready.recv()
            self._served.add(worker.number)
        ready.close()
        worker.ready = None
        if len(self._served) == len(self._workers) and not self._announced:
            self._announced = True
            ports = self._settings.grpc_port, self._settings.http_port
            announce(self._settings, self._logger, *ports)

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
        if self._give_up_without(worker):
            return
        pause = 0.0
        if lived < SHORT_LIFE_SECONDS:
            pause = self._pause(worker)
        else:
            worker.due, worker.pause = 0.0, FIRST_PAUSE
        self._logger.error(
            "worker ended",
            worker=worker.number,
            exit_code=code,
            lived_seconds=round(lived, 1),
            next_in_seconds=pause,
        )

    def _pause(self, worker: Worker) -> float:
        """Pause before the next process of a worker, twice as long each time; returns seconds."""
        worker.pause = min(LONGEST_PAUSE, worker.pause * 2)
        worker.due = monotonic() + worker.pause
        return worker.pause

    def _give_up_without(self, worker: Worker) -> bool:
        """Stop the service if a worker has never served; returns whether it has not."""
        if worker.number in self._served:
            return False
        # Whatever kept it from serving would keep the next one from serving too.
        self._failed = True
        self._stop()
        return True


def run(settings: Settings, logger: Logger) -> None:
    """Serve with several workers until SIGTERM or SIGINT."""
    warn_if_exposed(settings, logger)
    with ExitStack() as stack:
        Supervisor(settings, logger, stack).run()
