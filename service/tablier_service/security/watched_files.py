"""Files that operators change while the service runs: keys, callers, certificates."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from tablier_service.observability.logs import Logger

Stamp = tuple[int, int, int]


class WatchedFiles:
    """Loads files, and loads them again when they have changed.

    Polling the modification time works in every worker, and notices how Kubernetes updates mounted
    secrets (it swaps a link). If a changed file cannot be used, that is logged and the previous
    content stays in use: a typo must not stop a running service.
    """

    def __init__(self, logger: Logger) -> None:
        self._logger = logger
        self._files: list[tuple[Path, Callable[[bytes], None]]] = []
        self._seen: dict[Path, Stamp | None] = {}
        # Files that could not be read, and why.
        self._unread: dict[Path, str] = {}

    def add(self, path: Path, load: Callable[[bytes], None]) -> None:
        """Load a file and watch it; raises OSError if it cannot be used."""
        self._seen[path] = stamp_of(path)
        with naming(path):
            load(path.read_bytes())
        self._files.append((path, load))

    def check(self) -> None:
        """Load the files that have changed, and those that could not be read."""
        changed = set(self._unread)
        for path in {path for path, _ in self._files}:
            stamp = stamp_of(path)
            if stamp != self._seen[path]:
                self._seen[path] = stamp
                self._unread.pop(path, None)
                changed.add(path)
        self._load(changed)

    def reload(self) -> None:
        """Load all files."""
        self._seen = {path: stamp_of(path) for path in self._seen}
        self._unread.clear()
        self._load(set(self._seen))

    def _load(self, wanted: set[Path]) -> None:
        for path, load in self._files:
            if path in wanted:
                try:
                    load(path.read_bytes())
                except Exception as error:
                    self._reject(path, error)
                else:
                    self._unread.pop(path, None)
                    self._logger.info("file reloaded", path=str(path))

    def _reject(self, path: Path, error: Exception) -> None:
        """Log why a file is not used: once, although one that cannot be read is tried again."""
        kind = type(error).__name__
        # Only the type: the message may quote the file, which holds secrets.
        if self._unread.get(path) != kind:
            self._logger.error("file rejected", path=str(path), error=kind)
        # Perhaps there are too many open files for the moment; the file is fine.
        if isinstance(error, OSError):
            self._unread[path] = kind

    async def keep_checking(self, seconds: float, reload: asyncio.Event) -> None:
        """Check at this interval, and reload when the event is set, until cancelled."""
        while True:
            try:
                async with asyncio.timeout(seconds):
                    await reload.wait()
            except TimeoutError:
                self.check()
            else:
                reload.clear()
                self.reload()


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """Turn every error about a file into an OSError that names the file."""
    try:
        yield
    except (OSError, ValueError) as error:
        reason = (error.strerror if isinstance(error, OSError) else None) or str(error)
        raise OSError(f"{path} cannot be used: {reason}") from None


def stamp_of(path: Path) -> Stamp | None:
    """Values that differ when a file has changed; None if it does not exist."""
    try:
        stat = path.stat()
    except OSError:
        return None
    return stat.st_mtime_ns, stat.st_size, stat.st_ino
