"""Watch the memory of a server under load, and compare it with limits."""

from __future__ import annotations

import threading
import time
from typing import Any, NamedTuple

from tablier_service.observability.processes import usage_of

SAMPLES = 20
MEGABYTE = 1024 * 1024


class Sample(NamedTuple):
    """Resident memory at one moment."""

    second: float
    megabytes: float


class MemoryWatch:
    """Context manager that samples the memory of a process at regular intervals."""

    def __init__(self, process: int, seconds: float) -> None:
        self._process = process
        self._interval = seconds / SAMPLES
        self._left = threading.Event()
        self._thread = threading.Thread(target=self._look)
        self.samples: list[Sample] = []

    def __enter__(self) -> MemoryWatch:
        self._begun = time.monotonic()
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._left.set()
        self._thread.join()

    def _look(self) -> None:
        while True:
            usage = usage_of(self._process)
            if usage:
                second = time.monotonic() - self._begun
                self.samples.append(Sample(second, usage.resident_bytes / MEGABYTE))
            if self._left.wait(self._interval):
                return

    def exceeded(self, limits: dict[str, Any]) -> list[str]:
        """Describe the limits that were exceeded."""
        found = []
        most = max(sample.megabytes for sample in self.samples)
        if most > limits["max_mb"]:
            found.append(f"memory: {most:.1f} MB, more than {limits['max_mb']}")
        # Caches and the allocator settle in the first minute; later growth is a leak.
        settled = [s.megabytes for s in self.samples if s.second >= limits["settled_after_seconds"]]
        if settled and settled[-1] - settled[0] > limits["max_growth_mb"]:
            found.append(
                f"memory: grew by {settled[-1] - settled[0]:.1f} MB after "
                f"{limits['settled_after_seconds']} s, more than {limits['max_growth_mb']}"
            )
        return found
