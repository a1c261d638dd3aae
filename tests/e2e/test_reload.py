"""SIGHUP reloads files: it neither stops a service nor disturbs its calls."""

from __future__ import annotations

import os
import pty
import signal
from hashlib import sha256
from pathlib import Path

import httpx
import pytest
from tablier_client import Client
from tablier_service.process import stopping

from tests.live_server import TIMEOUT_SECONDS, LiveServer, running, wait_until


def write_caller(file: Path, key: str) -> None:
    """Replace the callers file by one with this key."""
    digest = sha256(key.encode()).hexdigest()
    new = file.with_suffix(".new")
    new.write_text(f'[[callers]]\nname = "lobby"\nroles = ["host"]\nkey_sha256 = ["{digest}"]\n')
    new.rename(file)


def accepts(server: LiveServer, key: str) -> bool:
    """Whether new connections with a key, which reach all workers, are accepted."""
    headers = {"x-api-key": key}
    url = f"{server.rest_url}/v1/games"
    # Reading certificates would take longer than the request.
    answers = (
        httpx.get(url, headers=headers, verify=False, timeout=TIMEOUT_SECONDS) for _ in range(8)
    )
    return all(answer.status_code == 200 for answer in answers)


@pytest.mark.parametrize("workers", [1, 2])
def test_sighup_reloads_files_and_loses_no_connection(workers: int, tmp_path: Path) -> None:
    callers, log = tmp_path / "callers.toml", tmp_path / "log"
    write_caller(callers, "old")
    # Without the signal, the change would not be noticed.
    with running(log, workers=workers, callers_file=callers, reload_seconds=3600) as server:
        with Client(server.grpc_address, api_key="old") as client:
            state = client.start("contrast")
            write_caller(callers, "new")
            assert accepts(server, "old")
            server.process.send_signal(signal.SIGHUP)
            wait_until(lambda: accepts(server, "new"), "the new key is known")
            write_caller(callers, "old")
            server.process.send_signal(signal.SIGHUP)
            wait_until(lambda: accepts(server, "old"), "the old key is known again")
            assert state.count_moves() > 0
        assert log.read_text().count("file reloaded") == 2 * workers
        assert "ended" not in log.read_text()


def test_sighup_stops_a_service_whose_terminal_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    master, terminal = pty.openpty()
    try:
        monkeypatch.setattr(stopping, "STDIN", terminal)
        asks_to_stop = stopping.reader_of_signals()
        assert not asks_to_stop(signal.SIGHUP)
        assert asks_to_stop(signal.SIGTERM)
        os.close(master)
        assert asks_to_stop(signal.SIGHUP)
    finally:
        os.close(terminal)
