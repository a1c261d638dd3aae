"""The processes of a service, and their memory."""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from tablier_service.observability.processes import own_cores, usage_of

# A core for clients and attackers, and one for services; the same if there is only one.
CLIENTS, SERVICES = own_cores()[0], own_cores()[-1]


def service_processes(service: int) -> set[int]:
    """The process of a service and its workers, but not those that only copy its log."""
    parents: dict[int, int] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with suppress(OSError):
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
                if fields[0] not in "ZX" and b"tablier_cli" in (entry / "cmdline").read_bytes():
                    parents[int(entry.name)] = int(fields[1])
    found = {service} & parents.keys()
    while more := {child for child, parent in parents.items() if parent in found} - found:
        found |= more
    return found


def megabytes(process: int, field: str) -> float:
    """The memory that a process has (VmRSS) or had at most (VmHWM); 0 if it has ended."""
    with suppress(OSError):
        status = Path(f"/proc/{process}/status").read_text()
        if match := re.search(rf"{field}:\s+(\d+) kB", status):
            return int(match[1]) / 1024
    return 0.0


def largest(services: list[int], field: str) -> float:
    """The memory of the largest process of some services."""
    processes = {process for service in services for process in service_processes(service)}
    return max((megabytes(process, field) for process in processes), default=0.0)


def cpu_seconds(services: list[int]) -> float:
    """The CPU time that services have used."""
    processes = {process for service in services for process in service_processes(service)}
    return sum(usage.cpu_seconds for usage in map(usage_of, processes) if usage)


class MemoryWatch:
    """Context manager that notes the most memory that a worker ever had.

    The system notes the peak of every process. This looks again and again, because a worker may be
    replaced.
    """

    def __init__(self, services: list[int]) -> None:
        self._services = services
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._look)
        self.peak = 0.0

    def __enter__(self) -> MemoryWatch:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()
        self._note()

    def _look(self) -> None:
        while not self._over.wait(0.5):
            self._note()

    def _note(self) -> None:
        self.peak = max(self.peak, largest(self._services, "VmHWM"))


@contextmanager
def on_core(core: int) -> Iterator[None]:
    """Start processes of this block on a core: they inherit it from this thread."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {core})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)
