"""What a run costs: the server's CPU time, memory, file descriptors, threads and event-loop lag."""

from __future__ import annotations

import http.client
import os
import ssl
import statistics
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

from tablier_service.observability.processes import TICK

from campaigns.attacks.processes import cpu_seconds, largest, service_processes

# How often the server is asked for its health: such a request waits for the event loop, no more.
PROBE_SECONDS = 0.1
SAMPLES_PER_RUN = 120
SHORTEST_INTERVAL = 0.5


class Sample(NamedTuple):
    """The server and the machine at one moment of a run."""

    second: float
    # Cores that were busy since the last sample: with the server, and with everything else but the
    # generators.
    server_cores: float
    other_cores: float
    # The largest process.
    megabytes: float
    descriptors: int
    threads: int
    # Milliseconds until /healthz answered: the median and the longest since the last sample.
    loop_ms: float
    longest_loop_ms: float


def machine_seconds() -> float:
    """The CPU time that everything on this machine has used."""
    fields = [int(each) for each in Path("/proc/stat").read_text().split("\n")[0].split()[1:9]]
    idle, waiting = fields[3], fields[4]
    return (sum(fields) - idle - waiting) * TICK


def count_open(processes: set[int]) -> tuple[int, int]:
    """The open file descriptors and the threads of processes, all together."""
    descriptors = threads = 0
    for process in processes:
        with suppress(OSError):
            descriptors += sum(1 for _ in Path(f"/proc/{process}/fd").iterdir())
            threads += sum(1 for _ in Path(f"/proc/{process}/task").iterdir())
    return descriptors, threads


class Watch:
    """Context manager that samples a server, until the end of the block.

    A remote service (`server` is None) can only be asked for its health.
    """

    def __init__(
        self,
        server: int | None,
        generators: list[int],
        rest: str,
        tls: ssl.SSLContext | None,
        seconds: float,
    ) -> None:
        self._server = server
        self._generators = generators
        self._rest = urlsplit(rest)
        self._tls = tls
        self._interval = max(SHORTEST_INTERVAL, seconds / SAMPLES_PER_RUN)
        self._over = threading.Event()
        self._threads = [threading.Thread(target=each) for each in (self._probe, self._look)]
        self._probes: list[float] = []
        self.samples: list[Sample] = []

    def __enter__(self) -> Watch:
        self._begun = time.monotonic()
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        for thread in self._threads:
            thread.join()

    def server_seconds(self) -> float:
        """The CPU time of the server so far; 0 for a remote one."""
        return cpu_seconds([self._server]) if self._server is not None else 0.0

    def _probe(self) -> None:
        if self._tls is None:
            connection = http.client.HTTPConnection(self._rest.netloc, timeout=10)
        else:
            connection = http.client.HTTPSConnection(
                self._rest.netloc, timeout=10, context=self._tls
            )
        while not self._over.wait(PROBE_SECONDS):
            begun = time.perf_counter()
            try:
                connection.request("GET", "/healthz")
                connection.getresponse().read()
            except (OSError, http.client.HTTPException):
                connection.close()
            self._probes.append((time.perf_counter() - begun) * 1000)

    def _look(self) -> None:
        last, server, machine = time.monotonic(), self.server_seconds(), machine_seconds()
        own = self._own_seconds()
        while not self._over.wait(self._interval):
            now, server_now, machine_now = (
                time.monotonic(),
                self.server_seconds(),
                machine_seconds(),
            )
            own_now, passed = self._own_seconds(), now - last
            of_server = (server_now - server) / passed
            others = (machine_now - machine - (own_now - own)) / passed - of_server
            probes, self._probes = self._probes or [0.0], []
            descriptors, threads, megabytes = 0, 0, 0.0
            if self._server is not None:
                descriptors, threads = count_open(service_processes(self._server))
                megabytes = largest([self._server], "VmRSS")
            self.samples.append(
                Sample(
                    now - self._begun,
                    of_server,
                    max(0.0, others),
                    megabytes,
                    descriptors,
                    threads,
                    statistics.median(probes),
                    max(probes),
                )
            )
            last, server, machine, own = now, server_now, machine_now, own_now

    def _own_seconds(self) -> float:
        """The CPU time of the generators and of this process."""
        return cpu_seconds_of([*self._generators, os.getpid()])


def cpu_seconds_of(processes: list[int]) -> float:
    """The CPU time of single processes."""
    total = 0.0
    for process in processes:
        with suppress(OSError):
            total += time.clock_gettime((~process << 3) | 2)
    return total


class Slope(NamedTuple):
    """How fast something grows, per minute, with its 95% interval."""

    per_minute: float
    low: float
    high: float


def slope(points: list[tuple[float, float]]) -> Slope:
    """The slope of a line through points of (second, value), by least squares.

    The median of the slopes between distant points would need no normal errors, but memory grows
    in steps, which only the mean sees.
    """
    if len(points) < 3:
        return Slope(0.0, 0.0, 0.0)
    seconds, values = zip(*points, strict=True)
    middle = statistics.fmean(seconds)
    spread = sum((each - middle) ** 2 for each in seconds)
    line = statistics.linear_regression(seconds, values)
    left = sum((y - line.slope * x - line.intercept) ** 2 for x, y in points)
    error = (left / (len(points) - 2) / spread) ** 0.5
    per_minute, width = line.slope * 60, 1.96 * error * 60
    return Slope(per_minute, per_minute - width, per_minute + width)
