"""A single process that hangs still ends: on SIGTERM, or because it only burns CPU time."""

from __future__ import annotations

import signal
from pathlib import Path

import httpx
import pytest

from tests.live_server import TIMEOUT_SECONDS, LiveServer, running, wait_until

# A service in which a call hangs, in one of several ways.
PROGRAM = """
import re, sys, threading, time
from tablier_service.calls.use_cases import UseCases
from tablier_service.process import stopping

original = UseCases.game

def find(self, name):
    if name != "chess":
        return original(self, name)
    print("hanging", file=sys.stderr)
    {hang}

UseCases.game = find
stopping.MARGIN_SECONDS = 1
from tablier_cli import main
main(["serve"])
"""
HANGS = {
    "waits": "lock = threading.Lock(); lock.acquire(); lock.acquire()",
    "sleeps": "time.sleep(10_000)",
    "computes": "\n    while True: pass",
}
# Code that never lets another thread run Python.
HOLDS_THE_LOCK = "re.match('(a+)+$', 'a' * 60 + 'b')"


def hang(server: LiveServer, log: Path) -> None:
    """Make a call that never ends."""
    timeout = httpx.Timeout(TIMEOUT_SECONDS, read=0.1)
    with pytest.raises(httpx.TransportError):
        httpx.get(f"{server.rest_url}/v1/games/chess", timeout=timeout)
    wait_until(lambda: "hanging" in log.read_text(), "the call hangs")


def program(hang: str) -> tuple[str, str]:
    return "-c", PROGRAM.format(hang=hang)


@pytest.mark.parametrize("kind", HANGS)
def test_a_signal_ends_a_process_that_hangs(kind: str, tmp_path: Path) -> None:
    log = tmp_path / "log"
    with running(log, program=program(HANGS[kind]), drain_seconds=0) as server:
        hang(server, log)
        server.signal_stop()
        assert server.process.wait(TIMEOUT_SECONDS) == 1
    # It reports where.
    assert "in find" in log.read_text()


def test_a_process_that_only_burns_cpu_time_ends_itself(tmp_path: Path) -> None:
    log = tmp_path / "log"
    with running(log, program=program(HOLDS_THE_LOCK), watchdog_seconds=1) as server:
        hang(server, log)
        assert server.process.wait(TIMEOUT_SECONDS) == -signal.SIGPROF
    assert "in find" in log.read_text()
