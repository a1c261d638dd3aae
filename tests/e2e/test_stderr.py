"""With the log format json, every line that a process writes on standard error is JSON."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from tests.certificates import Authority
from tests.live_server import ROOT, TIMEOUT_SECONDS, running, wait_until

SCRIPT = """
import faulthandler, logging, os, subprocess, sys, threading, warnings
from tablier_service.observability.stderr import log_on_stderr

def fail():
    raise RuntimeError("raised on purpose")

def recurse(left):
    if left:
        return again(left - 1)
    raise RecursionError

def again(left):
    return recurse(left)

class Broken:
    def __del__(self):
        fail()

with log_on_stderr("info", "{log_format}") as logger:
    {body}
"""
# What a process does, a part of the line that follows from it, and its exit code.
WRITERS = {
    "our log": ('logger.info("of our own")', '"event":"of our own"', 0),
    "print": ('print("printed", file=sys.stderr)', '"event":"printed"', 0),
    "descriptor": (r'os.write(2, b"one\n\ntwo \xff without an end")', "two � without", 0),
    "long line": ('os.write(2, b"x" * 9_000)', "x" * 2_000, 0),
    "other program": ('subprocess.run(["sh", "-c", "echo elsewhere >&2"])', "elsewhere", 0),
    "grpc": (r'os.write(2, b"W0101 00:00:00.1 7 a.cc:1] odd\n")', '"level":"warning"', 0),
    "logging": ('logging.getLogger("library").warning("%d odd", 3)', '"event":"3 odd"', 0),
    "wrong arguments": ('logging.getLogger("library").error("%d odd", "x")', "%d odd", 0),
    "not Unicode": (r'logger.info("odd", path="\udcff", what=object())', '"what":', 0),
    "recursion": ("sys.setrecursionlimit(10_000); recurse(2_000)", "RecursionError", 1),
    "odd level": ('logging.getLogger("library").log(35, "odd")', '"level":"warning"', 0),
    "warning": ('warnings.warn("deprecated")', "UserWarning: deprecated", 0),
    "thread": (
        "thread = threading.Thread(target=fail); thread.start(); thread.join()",
        '"exception":',
        0,
    ),
    "finalizer": ("Broken()", '"event":"ignored exception"', 0),
    "uncaught": ("fail()", '"error":"raised on purpose"', 1),
    "interrupted": ("raise KeyboardInterrupt", '"exception":', 1),
    "crash": ("faulthandler.enable(); faulthandler._sigsegv()", "Segmentation fault", -11),
}


def entries(log: str) -> list[dict[str, object]]:
    found = [json.loads(line) for line in log.splitlines()]
    assert all({"event", "level", "timestamp"} <= entry.keys() for entry in found)
    return found


def environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": os.pathsep.join((str(ROOT / "service"), *sys.path))}


def write(body: str, log_format: str = "json") -> tuple[int, str]:
    """The exit code and the standard error of a process that does this."""
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT.format(body=body, log_format=log_format)],
        env=environment(),
        stderr=subprocess.PIPE,
        timeout=TIMEOUT_SECONDS,
        check=False,
    )
    return done.returncode, done.stderr.decode()


@pytest.mark.parametrize("writer", WRITERS)
def test_every_line_is_json(writer: str):
    body, expected, status = WRITERS[writer]
    code, log = write(body)
    assert entries(log)
    assert expected in log
    assert code == status


def test_the_format_for_people_is_left_alone():
    code, log = write('print("printed", file=sys.stderr)', "console")
    assert (code, log) == (0, "printed\n")


def test_a_long_traceback_fits_into_a_pipe():
    """Only its innermost frames are logged."""
    _, log = write(WRITERS["recursion"][0])
    assert log.count("in recurse") + log.count("in again") == 20


def test_works_without_standard_error():
    script = SCRIPT.format(body='logger.info("lost"); print("printed")', log_format="json")
    done = subprocess.run(
        ["sh", "-c", 'exec "$@" 2>&-', "sh", sys.executable, "-c", script],
        env=environment(),
        stdout=subprocess.PIPE,
        timeout=TIMEOUT_SECONDS,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, b"printed\n")


@pytest.mark.parametrize("workers", [1, 2])
def test_lines_of_grpc_are_json(
    workers: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GRPC_VERBOSITY", "debug")
    monkeypatch.setenv("GRPC_TRACE", "api,http")
    log = tmp_path / "log"
    certificate, key = Authority(tmp_path).sign("tablier")
    with running(log, workers=workers, tls_cert_file=certificate, tls_key_file=key) as server:
        host, _, port = server.grpc_address.rpartition(":")
        with socket.create_connection((host, int(port)), TIMEOUT_SECONDS) as connection:
            connection.sendall(b"this is not TLS\r\n\r\n")
            connection.recv(100)
        wait_until(lambda: "Handshake failed" in log.read_text(), "gRPC logs the handshake")
    found = entries(log.read_text())
    assert any(entry.get("logger") == "stderr" for entry in found)
    assert any(entry["event"] == "stopped" for entry in found)


def test_an_interrupt_in_the_terminal_leaves_every_line(tmp_path: Path):
    """Ctrl-C reaches all processes of the group."""
    log = tmp_path / "log"
    program = ("-c", "import os; os.setpgid(0, 0); from tablier_cli import main; main(['serve'])")
    with running(log, program=program, workers=2) as server:
        os.killpg(server.process.pid, signal.SIGINT)
        assert server.wait() == 0
    assert [entry["event"] for entry in entries(log.read_text())][-1] == "all workers have stopped"


def failed_start(*flags: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "tablier_cli", "serve", *flags],
        capture_output=True,
        text=True,
        timeout=TIMEOUT_SECONDS,
        check=False,
    )


@pytest.mark.parametrize(
    ("flags", "event", "status"),
    [
        (["--host", "0.0.0.0"], "invalid settings", 2),
        (["--callers-file", "/no/such/file"], "cannot serve", 1),
        (["--callers-file", "/no/such/file", "--workers", "2"], "worker cannot serve", 1),
    ],
)
def test_a_failed_start_is_json(flags: list[str], event: str, status: int):
    done = failed_start("--grpc-port", "0", "--http-port", "0", *flags)
    assert event in [entry["event"] for entry in entries(done.stderr)]
    assert done.returncode == status
    assert done.stdout == ""
    for_people = failed_start("--log-format", "console", *flags)
    assert not for_people.stderr.startswith("{")
    assert for_people.returncode == status
