"""Quotas: how many calls, how much CPU time and how many simultaneous searches a caller gets."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Lock
from time import monotonic, thread_time
from typing import ParamSpec, TypeVar

from pydantic import BaseModel, ConfigDict, Field

from tablier_service.errors import QuotaExceeded

P = ParamSpec("P")
T = TypeVar("T")

# What must be left in the buckets for a call to be admitted: one call, and no debt of CPU time.
LEAST_CALLS, LEAST_CPU = 1.0, 0.0


class Allowance(BaseModel):
    """What a caller may ask of the whole service; 0 means unlimited."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    calls_per_second: float = Field(0.0, ge=0)
    # Calls that may come at once after a pause; 0 means those of one second.
    burst: float = Field(0.0, ge=0)
    cpu_ms_per_second: float = Field(0.0, ge=0)
    # CPU time that may be used at once after a pause; 0 means that of one second.
    cpu_burst_ms: float = Field(0.0, ge=0)
    searches: int = Field(0, ge=0)


class Bucket:
    """A token bucket. It fills at a rate up to a maximum, and may be overdrawn once.

    So a call whose cost is known only afterwards, or exceeds the maximum, needs no special case.
    """

    __slots__ = ("_filled", "_maximum", "_rate", "level")

    def __init__(self, rate: float, maximum: float, now: float) -> None:
        self._rate = rate
        self._maximum = maximum
        self._filled = now
        self.level = maximum

    def wait(self, least: float, now: float) -> float:
        """Seconds until the bucket holds at least this much; 0 if it does now."""
        level = self.level + (now - self._filled) * self._rate
        # Cheaper than `min` and `max`, for every call of an authenticated caller.
        if level > self._maximum:
            level = self._maximum
        self.level = level
        self._filled = now
        return (least - level) / self._rate if level < least else 0.0


class Quotas:
    """The allowance of one caller in this process, one of `share` processes that serve its calls.

    `meter` is called with the CPU seconds of every bill.
    """

    def __init__(
        self,
        given: Allowance,
        share: int = 1,
        meter: Callable[[float], object] = float,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        def make_bucket(rate: float, burst: float, least: float) -> Bucket | None:
            maximum = max((burst or rate) / share, least)
            return Bucket(rate / share, maximum, clock()) if rate else None

        self._clock = clock
        # None if there is no limit.
        self.calls = make_bucket(given.calls_per_second, given.burst, LEAST_CALLS)
        self.cpu = make_bucket(given.cpu_ms_per_second, given.cpu_burst_ms, LEAST_CPU)
        # Searches are rounded up: with less than one per process, some callers could never search.
        self._searches = -(-given.searches // share) if given.searches else 0
        # Only the event loop counts searches.
        self._searching = 0
        self._meter = meter
        # For the buckets: calls come on the event loop and on the polling thread of gRPC, and
        # searches bill on threads of their own.
        self._lock = Lock()

    def admit(self) -> None:
        """Count a call; raises QuotaExceeded if there is no quota left for it."""
        calls, cpu = self.calls, self.cpu
        if calls is None and cpu is None:
            return
        now = self._clock()
        with self._lock:
            if cpu is not None:
                wait = cpu.wait(LEAST_CPU, now)
                if wait:
                    raise QuotaExceeded.of("cpu", wait)
            if calls is not None:
                wait = calls.wait(LEAST_CALLS, now)
                if wait:
                    raise QuotaExceeded.of("calls", wait)
                calls.level -= 1

    def count(self, calls: int) -> None:
        """Count further calls of the same request."""
        if self.calls is not None:
            with self._lock:
                self.calls.level -= calls

    def bill(self, seconds: float) -> None:
        """Charge CPU time."""
        self._meter(seconds)
        if self.cpu is not None:
            with self._lock:
                self.cpu.level -= seconds * 1000

    @contextmanager
    def searching(self) -> Iterator[None]:
        """Hold one of the caller's search slots; raises QuotaExceeded if all are in use."""
        if self._searches and self._searching >= self._searches:
            raise QuotaExceeded.of("searches", 0.1)
        self._searching += 1
        try:
            yield
        finally:
            self._searching -= 1

    def metered(self, work: Callable[P, T]) -> Callable[P, T]:
        """Wrap work so that it bills the CPU time of its thread."""

        def measured(*args: P.args, **kwargs: P.kwargs) -> T:
            begun = thread_time()
            try:
                return work(*args, **kwargs)
            finally:
                self.bill(thread_time() - begun)

        return measured
