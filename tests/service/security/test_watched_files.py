"""Files that are read again when they change, and what happens when they cannot be used."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
import structlog
from structlog.testing import LogCapture
from tablier_service.observability.metrics import Metrics
from tablier_service.process.app import choose_tokens, open_gate
from tablier_service.security.tls import Certificates
from tablier_service.security.watched_files import WatchedFiles
from tablier_service.settings import Settings


@pytest.fixture
def logged() -> LogCapture:
    return LogCapture()


@pytest.fixture
def watched(logged: LogCapture) -> WatchedFiles:
    # With a level of its own, whatever the tests before have configured.
    everything = structlog.make_filtering_bound_logger(0)
    logger = structlog.wrap_logger(
        structlog.ReturnLogger(), processors=[logged], wrapper_class=everything
    )
    return WatchedFiles(logger)


def replace(path: Path, content: str) -> None:
    """Put a new file in the place of one, as editors and Kubernetes do."""
    new = path.with_suffix(".new")
    new.write_text(content)
    new.rename(path)


def test_a_file_is_read_when_added_and_when_it_changes(tmp_path: Path, watched: WatchedFiles):
    path = tmp_path / "keys"
    path.write_text("1")
    read: list[bytes] = []
    watched.add(path, read.append)
    watched.look()
    assert read == [b"1"]
    replace(path, "2")
    watched.look()
    watched.look()
    assert read == [b"1", b"2"]


def test_a_file_that_cannot_be_used_changes_nothing_and_is_not_quoted(
    tmp_path: Path, watched: WatchedFiles, logged: LogCapture
):
    path = tmp_path / "keys"
    path.write_text("1")
    read: list[int] = []
    watched.add(path, lambda content: read.append(int(content)))
    replace(path, "secret")
    watched.look()
    path.unlink()
    watched.look()
    replace(path, "3")
    watched.look()
    assert read == [1, 3]
    events = [entry["event"] for entry in logged.entries]
    assert events == ["file not used", "file not used", "file read again"]
    assert "secret" not in str(logged.entries)


def test_a_file_that_is_not_there_is_an_error_at_the_start(tmp_path: Path, watched: WatchedFiles):
    with pytest.raises(OSError, match="none cannot be used: No such file"):
        watched.add(tmp_path / "none", lambda content: None)


def tokens(path: Path, watched: WatchedFiles) -> None:
    choose_tokens(Settings(seal_keys_file=path), watched, Metrics())


def callers(path: Path, watched: WatchedFiles) -> None:
    open_gate(Settings(callers_file=path), watched, Metrics())


def jwks(path: Path, watched: WatchedFiles) -> None:
    settings = Settings(jwks_file=path, jwt_audience="tablier", jwt_issuer="https://here.example")
    open_gate(settings, watched, Metrics())


def certificate(path: Path, watched: WatchedFiles) -> None:
    Certificates.of(Settings(tls_cert_file=path, tls_key_file=path), watched)


@pytest.mark.parametrize("use", [tokens, callers, jwks, certificate])
@pytest.mark.parametrize(
    "content", [b"", b"secret", b"\xff", b"[[callers]]\nname = 'secret'\n", None]
)
def test_a_file_that_cannot_be_used_at_the_start_is_named(
    use: Callable[[Path, WatchedFiles], None],
    content: bytes | None,
    tmp_path: Path,
    watched: WatchedFiles,
):
    path = tmp_path / "given"
    if content is not None:
        path.write_bytes(content)
    if (use, content) == (callers, b""):
        # Nobody may call: a sound file.
        use(path, watched)
        return
    with pytest.raises(OSError, match=r"given cannot be used: .") as failure:
        use(path, watched)
    assert "secret" not in str(failure.value)
