"""The signals of a process, and how it ends: in bounded time, whatever hangs."""

from __future__ import annotations

import asyncio
import faulthandler
import os
import signal
import threading
from collections.abc import Callable
from contextlib import suppress

from tablier_service.observability.logs import STDERR
from tablier_service.observability.metrics import Metrics
from tablier_service.settings import Settings

SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
STDIN = 0
# Ends a process that hangs, which then reports where each of its threads is.
HANG_SIGNAL = signal.SIGPROF
# How often the event loop shows that it runs.
PULSE_SECONDS = 1.0
# How much longer than its calls a process that stops may take.
MARGIN_SECONDS = 10.0


def longest_stop(settings: Settings) -> float:
    """How long a process that stops may take before it is ended, in seconds."""
    # HTTP has the delay a second time, to close connections, and at least a second for its calls.
    return 2 * settings.drain_delay_seconds + max(1.0, settings.drain_seconds) + MARGIN_SECONDS


def watch_signals(stop: asyncio.Event, reload: asyncio.Event, seconds: float) -> None:
    """Set an event when a signal comes; a process that still runs `seconds` after a stop is ended.

    A thread waits for the signals, so that they also end a process whose event loop hangs.
    """
    loop = asyncio.get_running_loop()
    # Threads inherit this, so that no other one gets the signals.
    signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
    asks_to_stop = reader_of_signals()

    def wait() -> None:
        # The loop may be closed already.
        with suppress(RuntimeError):
            while not asks_to_stop(signal.sigwait(SIGNALS)):
                loop.call_soon_threadsafe(reload.set)
            end_within(seconds)
            loop.call_soon_threadsafe(stop.set)

    threading.Thread(target=wait, name="signals", daemon=True).start()


def reader_of_signals() -> Callable[[int], bool]:
    """Return a function for signals: whether one asks to stop, and not to reload files.

    SIGHUP reloads, unless it comes because the terminal was closed that the service was started in.
    """
    in_terminal = os.isatty(STDIN)

    def asks_to_stop(number: int) -> bool:
        return number != signal.SIGHUP or (in_terminal and not os.isatty(STDIN))

    return asks_to_stop


def end_within(seconds: float) -> None:
    """End this process after a time, and report where it hung. This needs no lock of Python's."""
    faulthandler.dump_traceback_later(seconds, exit=True, file=STDERR)


def report_hangs() -> None:
    """Let the signal for processes that hang report where they do, before it ends them."""
    faulthandler.register(HANG_SIGNAL, file=STDERR, all_threads=True, chain=True)


def show_pulse(metrics: Metrics, cpu_seconds: float | None) -> None:
    """Show regularly that the event loop runs, for the supervisor.

    Without a supervisor, this process ends if it uses `cpu_seconds` of CPU time while the loop does
    not run. It is CPU time because a process may be suspended for any time.
    """
    loop = asyncio.get_running_loop()
    pulse = metrics.watch()

    def beat() -> None:
        pulse.inc()
        if cpu_seconds is not None:
            signal.setitimer(signal.ITIMER_PROF, cpu_seconds)
        loop.call_later(PULSE_SECONDS, beat)

    beat()
