"""Copies lines from standard input to standard output, in the format of the log.

This runs as a process of its own, and so it also gets the last words of a service that crashes.
It imports little: it takes a tenth of a worker's memory. It never stops reading: what cannot be
written is dropped, so that writers never wait for long.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable
from datetime import UTC, datetime

from tablier_service.observability.lines import LineOutput

STDOUT = 1
# Longer lines are cut into several. An entry then usually fits into a pipe that is ready.
MAX_LINE = 2048
# How long to wait for a reader that is slow. Writers wait too, if they have filled the pipe.
PATIENCE_SECONDS = 1.0
# The lines of gRPC's own code begin with a severity, a time and a thread.
SEVERITY = re.compile(r"([IWEF])\d{4} \d\d:\d\d:")
LEVELS = {"I": "info", "W": "warning", "E": "error", "F": "critical"}


def json_entry(line: str) -> str:
    """A line as a JSON entry of the log."""
    known = SEVERITY.match(line)
    fields = {
        "event": line,
        "logger": "stderr",
        "level": LEVELS[known[1]] if known else "error",
        "timestamp": datetime.now(UTC).isoformat().replace("+00:00", "Z"),
    }
    return json.dumps(fields, ensure_ascii=False, separators=(",", ":"))


# For people, lines stay as they are.
ENTRIES: dict[str, Callable[[str], str]] = {"json": json_entry, "console": str}


class Copier:
    """Writes lines, and reports how many it had to drop once it can write again."""

    def __init__(self, entry: Callable[[str], str]) -> None:
        self._entry = entry
        self._output = LineOutput(STDOUT)
        self._dropped = 0

    def copy(self, text: str) -> None:
        """Write a line, or count it as dropped. Only the first of those is waited for."""
        if self._dropped and self._write(f"{self._dropped} lines of standard error dropped"):
            self._dropped = 0
        if self._write(text):
            return
        if not self._dropped:
            self._output.wait(PATIENCE_SECONDS)
            if self._write(text):
                return
        self._dropped += 1

    def _write(self, text: str) -> bool:
        return self._output.write(self._entry(text).encode())


def main() -> None:
    """Copy until the last writer has closed the pipe."""
    copier = Copier(ENTRIES[sys.argv[-1]])
    for line in iter(lambda: sys.stdin.buffer.readline(MAX_LINE), b""):
        text = line.decode(errors="replace").rstrip("\r\n")
        if text.strip():
            copier.copy(text)
