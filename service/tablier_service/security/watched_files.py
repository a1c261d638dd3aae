"""Files that operators change while the service runs: keys, callers, certificates."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from tablier_service.observability.logs import Logger

Stamp = tuple[int, int, int]


class WatchedFiles:
    """Reads files at once, and again when they have changed.

    Looking at a file's stamp every so often needs no signal, works in every worker alike, and sees
    what Kubernetes does to mounted secrets (it swaps a link). A file that cannot be used is logged,
    and what was read before stays in force: a slip of the pen must not stop a running service.
    """

    def __init__(self, logger: Logger) -> None:
        self._logger = logger
        self._files: list[tuple[Path, Callable[[bytes], None]]] = []
        self._seen: dict[Path, Stamp | None] = {}

    def add(self, path: Path, load: Callable[[bytes], None]) -> None:
        """Read a file and keep watching it; raises OSError if it cannot be used."""
        self._seen[path] = stamp_of(path)
        with naming(path):
            load(path.read_bytes())
        self._files.append((path, load))

    def look(self) -> None:
        """Read again what has changed."""
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
                    # Only the kind: the text of an error may quote the file, and it holds secrets.
                    self._logger.error("file not used", path=str(path), error=type(error).__name__)
                else:
                    self._logger.info("file read again", path=str(path))

    async def keep_looking(self, seconds: float) -> None:
        """Look every so often, until cancelled."""
        while True:
            await asyncio.sleep(seconds)
            self.look()


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """Whatever is wrong with a file as an OSError that says which file it is."""
    try:
        yield
    except (OSError, ValueError) as error:
        reason = (error.strerror if isinstance(error, OSError) else None) or str(error)
        raise OSError(f"{path} cannot be used: {reason}") from None


def stamp_of(path: Path) -> Stamp | None:
    """What changes with a file; None if it is not there."""
    try:
        stat = path.stat()
    except OSError:
        return None
    return stat.st_mtime_ns, stat.st_size, stat.st_ino
