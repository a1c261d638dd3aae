"""Numbers of checked inputs that campaigns add up over many runs."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

FILE = Path(__file__).parent.parent / "build" / "totals.json"


class Totals:
    """How many inputs of each kind were checked, in a file that campaigns add to."""

    def __init__(self, file: Path = FILE) -> None:
        self._file = file
        self.counts: Counter[str] = Counter()
        if file.exists():
            self.counts.update(json.loads(file.read_text()))

    def add(self, kind: str, count: int) -> None:
        """Add to a total, and write all of them."""
        self.counts[kind] += count
        self._file.parent.mkdir(parents=True, exist_ok=True)
        new = self._file.with_suffix(".new")
        new.write_text(json.dumps(self.counts, indent=2, sort_keys=True) + "\n")
        new.rename(self._file)
