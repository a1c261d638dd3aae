"""How much a caller may ask for: calls, CPU time, and searches at the same time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from time import monotonic, thread_time
from typing import ParamSpec, TypeVar

from pydantic import BaseModel, ConfigDict, Field

from tablier_service.errors import QuotaExceeded

P = ParamSpec("P")
T = TypeVar("T")


# What has to be left of a quota for a call: a whole call, or just no debt of CPU milliseconds.
LEAST = {"calls": 1.0, "cpu": 0.0}


class Allowance(BaseModel):
    """What a caller may ask of the whole service; 0 is no limit."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    calls_per_second: float = Field(0.0, ge=0)
    # How many calls may come at once after a pause; 0: those of one second.
    burst: float = Field(0.0, ge=0)
    cpu_ms_per_second: float = Field(0.0, ge=0)
    # As for calls.
    cpu_burst_ms: float = Field(0.0, ge=0)
    searches: int = Field(0, ge=0)


class Bucket:
    """Fills at a rate, up to a most. It may be overdrawn once, and then has to fill again.

    So a call whose price is known only afterwards, or is more than the most, needs no rule of its
    own.
    """

    def __init__(self, rate: float, most: float, clock: Callable[[], float] = monotonic) -> None:
        self._rate = rate
        self._most = most
        self._clock = clock
        self._level = most
        self._filled = clock()

    def wait(self, least: float) -> float:
        """Seconds until there is as much in it; 0 if there is."""
        now = self._clock()
        self._level = min(self._most, self._level + (now - self._filled) * self._rate)
        self._filled = now
        return max(0.0, (least - self._level) / self._rate)

    def spend(self, amount: float) -> None:
        """Take something out."""
        self._level -= amount


class Quotas:
    """One caller's allowance in this process, which is one of `share` that its calls spread over.

    `meter` is told of all CPU time that is billed, in seconds.
    """

    def __init__(
        self,
        given: Allowance,
        share: int = 1,
        meter: Callable[[float], object] = float,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self._buckets: dict[str, Bucket] = {}
        for name, rate, most in (
            ("calls", given.calls_per_second, given.burst),
            ("cpu", given.cpu_ms_per_second, given.cpu_burst_ms),
        ):
            if rate:
                most = max((most or rate) / share, LEAST[name])
                self._buckets[name] = Bucket(rate / share, most, clock)
        # Searches do not divide: with fewer than one a process, some callers could never think.
        self._searches = -(-given.searches // share) if given.searches else 0
        self._searching = 0
        self._meter = meter

    def admit(self) -> None:
        """Count a call; raises QuotaExceeded if it is one too many."""
        for name, bucket in self._buckets.items():
            wait = bucket.wait(LEAST[name])
            if wait:
                raise QuotaExceeded.of(name, wait)
        self.count(1)

    def count(self, calls: int) -> None:
        """Count more calls that came in one request."""
        if "calls" in self._buckets:
            self._buckets["calls"].spend(calls)

    def bill(self, seconds: float) -> None:
        """Charge CPU time that was used."""
        self._meter(seconds)
        if "cpu" in self._buckets:
            self._buckets["cpu"].spend(seconds * 1000)

    @contextmanager
    def searching(self) -> Iterator[None]:
        """Hold one of the caller's searches; raises QuotaExceeded if all are under way."""
        if self._searches and self._searching >= self._searches:
            raise QuotaExceeded.of("searches", 0.1)
        self._searching += 1
        try:
            yield
        finally:
            self._searching -= 1

    def metered(self, work: Callable[P, T]) -> Callable[P, T]:
        """Work that bills the CPU time of the thread that it runs in, on this event loop."""
        loop = asyncio.get_running_loop()

        def measured(*args: P.args, **kwargs: P.kwargs) -> T:
            begun = thread_time()
            try:
                return work(*args, **kwargs)
            finally:
                # A service that has stopped bills no more.
                with suppress(RuntimeError):
                    loop.call_soon_threadsafe(self.bill, thread_time() - begun)

        return measured
