"""What the operating system reports about processes: memory, CPU time and cores."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

PAGE = os.sysconf("SC_PAGE_SIZE")
TICK = 1 / os.sysconf("SC_CLK_TCK")


class Usage(NamedTuple):
    """The memory that a process has, and the CPU time that it has used."""

    resident_bytes: int
    cpu_seconds: float


def usage_of(process: int) -> Usage | None:
    """The usage of a process; None if it has ended."""
    try:
        text = Path(f"/proc/{process}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return None
    # The second field, the name in parentheses, may itself contain spaces and parentheses.
    fields = text.rpartition(")")[2].split()
    user, system, pages = (int(fields[place]) for place in (11, 12, 21))
    return Usage(pages * PAGE, (user + system) * TICK)


def own_cores() -> list[int]:
    """The cores that this process may run on."""
    return sorted(os.sched_getaffinity(0))
