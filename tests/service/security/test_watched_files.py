"""Files that are loaded again when they change, and errors in them."""

from __future__ import annotations

import base64
from collections.abc import Callable
from pathlib import Path

import pytest
import structlog
from structlog.testing import LogCapture
from tablier_core.registry import GAMES
from tablier_service.observability.metrics import Metrics
from tablier_service.security.watched_files import WatchedFiles
from tablier_service.service import make_authentication, make_certificates, make_tokens
from tablier_service.settings import Settings

from tests.certificates import Authority


@pytest.fixture
def logged() -> LogCapture:
    return LogCapture()


@pytest.fixture
def watched(logged: LogCapture) -> WatchedFiles:
    # With its own level, independent of what other tests have configured.
    everything = structlog.make_filtering_bound_logger(0)
    logger = structlog.wrap_logger(
        structlog.ReturnLogger(), processors=[logged], wrapper_class=everything
    )
    return WatchedFiles(logger)


def replace(path: Path, content: str) -> None:
    """Replace a file by a new one, as editors and Kubernetes do."""
    new = path.with_suffix(".new")
    new.write_text(content)
    new.rename(path)


def test_loads_a_file_when_it_is_added_and_when_it_changes(tmp_path: Path, watched: WatchedFiles):
    path = tmp_path / "keys"
    path.write_text("1")
    read: list[bytes] = []
    watched.add(path, read.append)
    watched.check()
    assert read == [b"1"]
    replace(path, "2")
    watched.check()
    watched.check()
    assert read == [b"1", b"2"]


def test_keeps_the_previous_content_if_a_file_cannot_be_used(
    tmp_path: Path, watched: WatchedFiles, logged: LogCapture
):
    path = tmp_path / "keys"
    path.write_text("1")
    read: list[int] = []
    watched.add(path, lambda content: read.append(int(content)))
    replace(path, "secret")
    watched.check()
    path.unlink()
    watched.check()
    replace(path, "3")
    watched.check()
    assert read == [1, 3]
    events = [entry["event"] for entry in logged.entries]
    assert events == ["file rejected", "file rejected", "file reloaded"]
    assert "secret" not in str(logged.entries)


def test_reports_a_missing_file_at_the_start(tmp_path: Path, watched: WatchedFiles):
    with pytest.raises(OSError, match="none cannot be used: No such file"):
        watched.add(tmp_path / "none", lambda content: None)


def tokens(path: Path, watched: WatchedFiles) -> None:
    make_tokens(Settings(seal_keys_file=path), GAMES, watched, Metrics())


def callers(path: Path, watched: WatchedFiles) -> None:
    make_authentication(Settings(callers_file=path), watched, Metrics())


def jwks(path: Path, watched: WatchedFiles) -> None:
    settings = Settings(jwks_file=path, jwt_audience="tablier", jwt_issuer="https://here.example")
    make_authentication(settings, watched, Metrics())


def certificate(path: Path, watched: WatchedFiles) -> None:
    make_certificates(Settings(tls_cert_file=path, tls_key_file=path), watched)


@pytest.mark.parametrize("use", [tokens, callers, jwks, certificate])
@pytest.mark.parametrize(
    "content", [b"", b"secret", b"\xff", b"[[callers]]\nname = 'secret'\n", None]
)
def test_names_a_file_that_cannot_be_used_at_the_start(
    use: Callable[[Path, WatchedFiles], None],
    content: bytes | None,
    tmp_path: Path,
    watched: WatchedFiles,
):
    path = tmp_path / "given"
    if content is not None:
        path.write_bytes(content)
    if (use, content) == (callers, b""):
        # A valid file without callers.
        use(path, watched)
        return
    with pytest.raises(OSError, match=r"given cannot be used: .") as failure:
        use(path, watched)
    assert "secret" not in str(failure.value)


def test_reloads_all_files_on_request(tmp_path: Path, watched: WatchedFiles) -> None:
    path = tmp_path / "keys"
    path.write_text("1")
    read: list[bytes] = []
    watched.add(path, read.append)
    watched.reload()
    watched.check()
    assert read == [b"1", b"1"]


def test_tries_again_to_read_a_file_but_reports_it_once(
    tmp_path: Path, watched: WatchedFiles, logged: LogCapture
) -> None:
    """With too many open files, a file cannot be opened, and does not change afterwards."""
    path = tmp_path / "keys"
    path.write_text("1")
    read: list[bytes] = []
    full = False

    def load(content: bytes) -> None:
        if full:
            raise OSError(24, "Too many open files")
        read.append(content)

    watched.add(path, load)
    replace(path, "2")
    full = True
    watched.check()
    watched.check()
    full = False
    watched.check()
    watched.check()
    assert read == [b"1", b"2"]
    assert [entry["event"] for entry in logged.entries] == ["file rejected", "file reloaded"]


def test_an_unexpected_error_does_not_end_the_watch(
    tmp_path: Path, watched: WatchedFiles, logged: LogCapture
) -> None:
    path = tmp_path / "keys"
    path.write_text("1")
    read: list[bytes] = []

    def load(content: bytes) -> None:
        if content == b"2":
            raise RecursionError
        read.append(content)

    watched.add(path, load)
    replace(path, "2")
    watched.check()
    replace(path, "3")
    watched.check()
    assert read == [b"1", b"3"]
    assert [entry["event"] for entry in logged.entries] == ["file rejected", "file reloaded"]


@pytest.mark.parametrize("use", [tokens, callers, jwks, certificate])
@pytest.mark.parametrize("content", [b"\xff\x00secret", b"secret", b"[" * 5000, b'{"keys": [{}]}'])
def test_garbage_keeps_the_content_with_one_line(
    use: Callable[[Path, WatchedFiles], None],
    content: bytes,
    tmp_path: Path,
    watched: WatchedFiles,
    logged: LogCapture,
) -> None:
    path = tmp_path / "given"
    path.write_bytes(good(use, tmp_path))
    use(path, watched)
    replacement = tmp_path / "next"
    replacement.write_bytes(content)
    replacement.rename(path)
    for _ in range(3):
        watched.check()
    # A certificate and its key are two files, here with the same name.
    assert {entry["event"] for entry in logged.entries} == {"file rejected"}
    assert len(logged.entries) == 1
    assert "secret" not in str(logged.entries)


def good(use: Callable[[Path, WatchedFiles], None], folder: Path) -> bytes:
    """A content that can be used."""
    if use is tokens:
        return b"1:" + base64.b64encode(bytes(range(32)))
    if use is callers:
        return b""
    if use is jwks:
        return b'{"keys": []}'
    chain, key = Authority(folder).sign("here")
    return chain.read_bytes() + key.read_bytes()
