"""A service that other machines reach without a proxy says once that this is dangerous."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.certificates import Authority
from tests.live_server import running

WARNING = "gRPC is exposed without a proxy"


@pytest.mark.parametrize(
    ("workers", "behind_proxy", "warnings"), [(1, False, 1), (2, False, 1), (2, True, 0)]
)
def test_warns_without_a_proxy(
    workers: int, behind_proxy: bool, warnings: int, tmp_path: Path
) -> None:
    log = tmp_path / "log"
    certificate, key = Authority(tmp_path).sign("tablier")
    callers = tmp_path / "callers.toml"
    callers.write_text("")
    with running(
        log,
        host="0.0.0.0",
        workers=workers,
        tls_cert_file=certificate,
        tls_key_file=key,
        callers_file=callers,
        tokens="plain",
        behind_proxy=behind_proxy,
    ):
        entries = [json.loads(line) for line in log.read_text().splitlines()]
    found = [entry for entry in entries if entry["event"].startswith(WARNING)]
    assert [entry["level"] for entry in found] == ["warning"] * warnings
    assert all("docs/operations.md" in entry["event"] for entry in found)
