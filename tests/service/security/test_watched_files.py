"""Files that are loaded again when they change, and errors in them."""

from __future__ import annotations

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
