"""What the system tells about processes: the cores they may use, and what they have used."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

PAGE = os.sysconf("SC_PAGE_SIZE")
TICK = 1 / os.sysconf("SC_CLK_TCK")


class Usage(NamedTuple):
    """What a process has, and has used since it began."""

    resident_bytes: int
    cpu_seconds: float


def usage_of(process: int) -> Usage | None:
    """What a process uses; None if it has ended."""
    try:
        text = Path(f"/proc/{process}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return None
    # The name comes second, in parentheses, and may have spaces and parentheses itself.
    fields = text.rpartition(")")[2].split()
    user, system, pages = (int(fields[place]) for place in (11, 12, 21))
    return Usage(pages * PAGE, (user + system) * TICK)


def own_cores() -> list[int]:
    """The cores that this process may run on."""
    return sorted(os.sched_getaffinity(0))
