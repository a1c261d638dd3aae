"""Quotas: how many calls, how much CPU time and how many simultaneous searches a caller gets."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from threading import Lock
from time import monotonic, thread_time
from typing import ParamSpec, TypeVar

from pydantic import BaseModel, ConfigDict, Field

from tablier_service.errors import QuotaExceeded

P = ParamSpec("P")
T = TypeVar("T")

# What must be left in a bucket for a call to be admitted: one call, or no debt of CPU time.
LEAST = {"calls": 1.0, "cpu": 0.0}


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

    def __init__(self, rate: float, maximum: float, clock: Callable[[], float] = monotonic) -> None:
        self._rate = rate
        self._maximum = maximum
        self._clock = clock
        self._level = maximum
        self._filled = clock()

    def wait(self, least: float) -> float:
        """Seconds until the bucket holds at least this much; 0 if it does now."""
        now = self._clock()
        level = self._level + (now - self._filled) * self._rate
        # Cheaper than `min` and `max`, for every call of an authenticated caller.
        if level > self._maximum:
            level = self._maximum
        self._level = level
        self._filled = now
        return (least - level) / self._rate if level < least else 0.0

    def spend(self, amount: float) -> None:
        """Take an amount out."""
        self._level -= amount


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
        self._buckets: dict[str, Bucket] = {}
        for name, rate, burst in (
            ("calls", given.calls_per_second, given.burst),
            ("cpu", given.cpu_ms_per_second, given.cpu_burst_ms),
        ):
            if rate:
                maximum = max((burst or rate) / share, LEAST[name])
                self._buckets[name] = Bucket(rate / share, maximum, clock)
        # Searches are rounded up: with less than one per process, some callers could never search.
        self._searches = -(-given.searches // share) if given.searches else 0
        # Only the event loop counts searches.
        self._searching = 0
        self._meter = meter
        # For the buckets: calls come on the event loop and on the polling thread of gRPC.
        self._lock = Lock()

    def admit(self) -> None:
        """Count a call; raises QuotaExceeded if there is no quota left for it."""
        with self._lock:
            for name, bucket in self._buckets.items():
                wait = bucket.wait(LEAST[name])
                if wait:
                    raise QuotaExceeded.of(name, wait)
            calls = self._buckets.get("calls")
            if calls is not None:
                calls.spend(1)

    def count(self, calls: int) -> None:
        """Count further calls of the same request."""
        bucket = self._buckets.get("calls")
        if bucket is not None:
            with self._lock:
                bucket.spend(calls)

    def bill(self, seconds: float) -> None:
        """Charge CPU time."""
        self._meter(seconds)
        bucket = self._buckets.get("cpu")
        if bucket is not None:
            with self._lock:
                bucket.spend(seconds * 1000)

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
        """Wrap work so that it bills the CPU time of its thread, on this event loop."""
        loop = asyncio.get_running_loop()

        def measured(*args: P.args, **kwargs: P.kwargs) -> T:
            begun = thread_time()
            try:
                return work(*args, **kwargs)
            finally:
                # The event loop of a service that has stopped is closed.
                with suppress(RuntimeError):
                    loop.call_soon_threadsafe(self.bill, thread_time() - begun)

        return measured
