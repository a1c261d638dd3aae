"""Prometheus metrics, under the names that gRPC dashboards know, for all workers at once.

Every value is a number in memory that the workers share, with one row per worker. Any worker can
add the rows up, and counts survive the worker that made them. Counting is one addition to such a
number, which costs a fraction of a counter of the Prometheus client; that library writes the text.
"""

from __future__ import annotations

import mmap
import threading
from collections.abc import Iterator
from itertools import accumulate
from time import monotonic
from typing import NamedTuple

from google.protobuf.descriptor import MethodDescriptor
from google.rpc import code_pb2
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
    Metric,
)
from prometheus_client.registry import Collector

from tablier_service.observability.processes import usage_of

# Cheap calls take well under a millisecond, so the default buckets would show nothing.
SECONDS = (0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.5, 1, 5)
LABELS = ("grpc_type", "grpc_service", "grpc_method")
OK = "OK"
# Why calls are rejected before they run: too many calls at once, a full search queue, too many
# searches of one caller, a deadline too close for a search, missing or invalid credentials, an
# exhausted quota.
REJECTIONS = ("calls", "search_queue", "search_share", "deadline", "unauthenticated", "quota")
# Numbers per row; unused ones cost no memory.
ROW = 8192
NUMBER = 8
# How many threads of a worker can be watched.
PULSES = 4

Label = tuple[str, ...]
Kind = type[CounterMetricFamily] | type[GaugeMetricFamily] | type[HistogramMetricFamily]


class SharedNumbers:
    """Memory that a process shares with the processes it forks: one row of numbers for each."""

    def __init__(self, rows: int) -> None:
        numbers = memoryview(mmap.mmap(-1, rows * ROW * NUMBER)).cast("d")
        self.rows = [numbers[row * ROW : (row + 1) * ROW] for row in range(rows)]


class Value:
    """A number of this process, which several threads add to."""

    __slots__ = ("_at", "_lock", "_row")

    def __init__(self, row: memoryview[float], at: int, lock: threading.Lock) -> None:
        self._row = row
        self._at = at
        self._lock = lock

    def inc(self, amount: float = 1.0) -> None:
        """Add to it."""
        with self._lock:
            self._row[self._at] += amount

    def set(self, value: float) -> None:
        """Replace it."""
        self._row[self._at] = value


class Family(NamedTuple):
    """A metric: its name, its description, and where its values are in every row."""

    name: str
    text: str
    labels: Label
    kind: Kind
    places: dict[Label, int]


class Metrics(Collector):
    """The metrics of the service. `row` belongs to this process; all rows have the same layout."""

    def __init__(self, shared: SharedNumbers | None = None, row: int = 0) -> None:
        # For all numbers of this process.
        self.lock = threading.Lock()
        self._rows = (shared or SharedNumbers(1)).rows
        self.row = self._rows[row]
        self._used = 0
        self._families: dict[str, Family] = {}
        self._gauges: list[int] = []
        counter, gauge = CounterMetricFamily, GaugeMetricFamily
        self.started = self._family("grpc_server_started", "Calls started.", LABELS, counter)
        self.handled = self._family(
            "grpc_server_handled", "Calls handled, by outcome.", (*LABELS, "grpc_code"), counter
        )
        self.seconds = self._family(
            "grpc_server_handling_seconds",
            "Time from the bytes of a request to the bytes of its answer.",
            LABELS,
            HistogramMetricFamily,
        )
        # For streams only: a unary call has one message each way, which `handled` counts.
        self.received = self._family(
            "grpc_server_msg_received", "Messages received on streams.", LABELS, counter
        )
        self.sent = self._family(
            "grpc_server_msg_sent", "Messages sent on streams.", LABELS, counter
        )
        rejected = self._family(
            "tablier_rejected_calls", "Calls rejected before they ran.", ("reason",), counter
        )
        self.rejected = {reason: self.value(rejected, reason) for reason in REJECTIONS}
        self.serving = self._single("tablier_workers_serving", "Workers that accept calls.", gauge)
        self.restarts = self._single("tablier_worker_restarts", "Workers replaced.", counter)
        self.hung = self._single("tablier_hung_workers", "Workers that hung.", counter)
        self.log_lines_dropped = self._single(
            "tablier_log_lines_dropped", "Log lines that could not be written.", counter
        )
        self.queued = self._single("tablier_search_queue_depth", "Searches that wait.", gauge)
        self.running = self._single("tablier_searches_running", "Searches in progress.", gauge)
        self.iterations = self._single("tablier_search_iterations", "Iterations made.", counter)
        self.seal_failures = self._single(
            "tablier_seal_failures", "Sealed tokens that could not be opened.", counter
        )
        self.billed_seconds = self._single(
            "tablier_billed_cpu_seconds", "CPU time billed to callers.", counter
        )
        # Not exposed as they are: when the oldest waiting search came, the process of a row, and
        # the pulses of its threads.
        self.waiting_since = Value(self.row, self._take(1, passing=True), self.lock)
        self.process = Value(self.row, self._take(1, passing=True), self.lock)
        self._pulses = self._take(PULSES, passing=True)
        self._watched = 0
        self._registry = CollectorRegistry()
        self._registry.register(self)

    def _take(self, numbers: int, *, passing: bool) -> int:
        """Reserve room in every row. `passing` values end with their process, counts do not."""
        at = self._used
        self._used += numbers
        if self._used > ROW:
            raise ValueError("more metrics than a row has room for")
        if passing:
            self._gauges.extend(range(at, self._used))
        return at

    def _family(self, name: str, text: str, labels: Label, kind: Kind) -> Family:
        family = Family(name, text, labels, kind, {})
        self._families[name] = family
        return family

    def _single(self, name: str, text: str, kind: Kind) -> Value:
        return self.value(self._family(name, text, (), kind))

    def value(self, family: Family, *labels: str) -> Value:
        """The value of a counter or gauge with these labels; it is exposed from now on."""
        if labels not in family.places:
            passing = family.kind is GaugeMetricFamily
            family.places[labels] = self._take(1, passing=passing)
        return Value(self.row, family.places[labels], self.lock)

    def durations(self, family: Family, *labels: str) -> int:
        """Where the durations with these labels are: one number per bucket, then the sum."""
        if labels not in family.places:
            family.places[labels] = self._take(len(SECONDS) + 2, passing=False)
        return family.places[labels]

    def forget(self, row: int) -> None:
        """Reset the gauges of a process that has ended; its counts stay."""
        for at in self._gauges:
            self._rows[row][at] = 0.0

    def watch(self) -> Value:
        """The pulse of a thread of this process, which must `inc` it about once a second.

        From the first time on, the supervisor replaces a worker that stops doing so; `set(0)` ends
        that. The first pulse of a process is that of its event loop, and is always watched.
        """
        if self._watched == PULSES:
            raise ValueError("more threads to watch than a row has room for")
        self._watched += 1
        return Value(self.row, self._pulses + self._watched - 1, self.lock)

    def pulses(self, row: int) -> list[float]:
        """The pulses of a process; 0 for those that nobody watches."""
        return list(self._rows[row][self._pulses : self._pulses + PULSES])

    def total(self, value: Value) -> float:
        """The sum of a value over all workers."""
        return self._sum(value._at)

    def _sum(self, at: int) -> float:
        return sum(row[at] for row in self._rows)

    def collect(self) -> Iterator[Metric]:
        """All metrics, for the registry of the Prometheus client."""
        for family in self._families.values():
            yield self._collected(family)
        yield self._oldest_wait()
        yield from self._processes()

    def _collected(self, family: Family) -> Metric:
        metric = family.kind(family.name, family.text, labels=family.labels)
        for labels, at in family.places.items():
            if isinstance(metric, HistogramMetricFamily):
                counts = accumulate(self._sum(at + bucket) for bucket in range(len(SECONDS) + 1))
                bounds = (*map(str, SECONDS), "+Inf")
                buckets = list(zip(bounds, counts, strict=True))
                metric.add_metric(labels, buckets, self._sum(at + len(SECONDS) + 1))
                continue
            value = self._sum(at)
            # Most status codes never occur.
            if value or family is not self.handled or labels[-1] == OK:
                metric.add_metric(labels, value)
        return metric

    def _oldest_wait(self) -> Metric:
        began = [row[self.waiting_since._at] for row in self._rows]
        waits = [monotonic() - since for since in began if since]
        return GaugeMetricFamily(
            "tablier_search_oldest_wait_seconds",
            "How long the search at the head of the queue has waited.",
            value=max(waits, default=0.0),
        )

    def _processes(self) -> Iterator[Metric]:
        memory = GaugeMetricFamily(
            "process_resident_memory_bytes", "Resident memory of a worker.", labels=("worker",)
        )
        cpu = CounterMetricFamily(
            "process_cpu_seconds", "CPU time of a worker.", labels=("worker",)
        )
        for number, row in enumerate(self._rows):
            process = int(row[self.process._at])
            usage = usage_of(process) if process else None
            if usage:
                memory.add_metric((str(number),), usage.resident_bytes)
                cpu.add_metric((str(number),), usage.cpu_seconds)
        yield from (memory, cpu)

    def exposition(self) -> bytes:
        """All values in the text format of Prometheus."""
        return generate_latest(self._registry)


class CallMetrics:
    """The metrics of one method, with labels looked up once: a lookup costs more than a count."""

    def __init__(self, metrics: Metrics, method: MethodDescriptor) -> None:
        labels = (grpc_type(method), method.containing_service.full_name, method.name)
        self.started = metrics.value(metrics.started, *labels)
        self._row = metrics.row
        self._lock = metrics.lock
        self._seconds = metrics.durations(metrics.seconds, *labels)
        # Reserve all of them now: later, workers would choose different places for them.
        self._handled: dict[int, Value] = {
            code: metrics.value(metrics.handled, *labels, code_name(code))
            for code in code_pb2.Code.values()
        }
        self._succeeded = metrics.handled.places[*labels, OK]
        if labels[0] != "unary":
            self.received = metrics.value(metrics.received, *labels)
            self.sent = metrics.value(metrics.sent, *labels)

    def succeeded(self, seconds: float) -> None:
        """Count a call that succeeded, and how long it took."""
        row = self._row
        total = self._seconds + len(SECONDS) + 1
        at = self._seconds
        # Nearly all calls are in the first buckets, so this is faster than a bisection.
        for bound in SECONDS:
            if seconds <= bound:
                break
            at += 1
        with self._lock:
            row[self._succeeded] += 1.0
            row[total] += seconds
            row[at] += 1.0

    def failed(self, code: int) -> None:
        """Count a call that failed."""
        self._handled[code].inc()


def grpc_type(method: MethodDescriptor) -> str:
    """The kind of a method in metrics."""
    if method.client_streaming:
        return "bidi_stream" if method.server_streaming else "client_stream"
    return "server_stream" if method.server_streaming else "unary"


def code_name(code: int) -> str:
    """A gRPC code in metrics, e.g. `InvalidArgument`."""
    if code == code_pb2.OK:
        return OK
    return code_pb2.Code.DESCRIPTOR.values_by_number[code].name.title().replace("_", "")
