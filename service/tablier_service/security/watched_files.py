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

    Polling the modification time needs no signal, works in every worker, and notices how Kubernetes
    updates mounted secrets (it swaps a link). If a changed file cannot be used, that is logged and
    the previous content stays in use: a typo must not stop a running service.
    """

    def __init__(self, logger: Logger) -> None:
        self._logger = logger
        self._files: list[tuple[Path, Callable[[bytes], None]]] = []
        self._seen: dict[Path, Stamp | None] = {}

    def add(self, path: Path, load: Callable[[bytes], None]) -> None:
        """Load a file and watch it; raises OSError if it cannot be used."""
        self._seen[path] = stamp_of(path)
        with naming(path):
            load(path.read_bytes())
        self._files.append((path, load))

    def check(self) -> None:
        """Load the files that have changed."""
        changed = set()
        for path in {path for path, _ in self._files}:
            stamp = stamp_of(path)
            if stamp != self._seen[path]:
                self._seen[path] = stamp
                changed.add(path)
        for path, load in self._files:
            if path in changed:
                try:
                    load(path.read_bytes())
                except (OSError, ValueError) as error:
                    # Only the type: the message may quote the file, which holds secrets.
                    self._logger.error("file rejected", path=str(path), error=type(error).__name__)
                else:
                    self._logger.info("file reloaded", path=str(path))

    async def keep_checking(self, seconds: float) -> None:
        """Check at this interval until cancelled."""
        while True:
            await asyncio.sleep(seconds)
            self.check()


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
