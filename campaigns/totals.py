"""Numbers of checked inputs that campaigns add up over many runs."""

from __future__ import annotations

import fcntl
import json
from collections import Counter
from pathlib import Path

FILE = Path(__file__).parent.parent / "build" / "totals.json"


class Totals:
    """How many inputs of each kind were checked, in a file that campaigns add to."""

    def __init__(self, file: Path = FILE) -> None:
        self._file = file
        self.counts = self._read()

    def _read(self) -> Counter[str]:
        return Counter(json.loads(self._file.read_text()) if self._file.exists() else {})

    def add(self, kind: str, count: int) -> None:
        """Add to a total, and write all of them. Several campaigns may do so at the same time."""
        self._file.parent.mkdir(parents=True, exist_ok=True)
        with self._file.with_suffix(".lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            self.counts = self._read()
            self.counts[kind] += count
            new = self._file.with_suffix(".new")
            new.write_text(json.dumps(self.counts, indent=2, sort_keys=True) + "\n")
            new.rename(self._file)
