"""Files that are read again when they change, and what happens when they cannot be used."""

from __future__ import annotations

from pathlib import Path

import pytest
import structlog
from structlog.testing import LogCapture
from tablier_service.files import WatchedFiles


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
    with pytest.raises(FileNotFoundError):
        watched.add(tmp_path / "none", lambda content: None)
