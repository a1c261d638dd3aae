"""Limits on calls: how many are in progress at once, and their deadlines."""

from __future__ import annotations

from tablier_service.errors import DeadlinePassed, Overloaded
from tablier_service.observability.metrics import Metrics


class CallLimit:
    """Limits the calls in progress in this process. A call that waits enters it as a context."""

    def __init__(self, maximum: int, metrics: Metrics) -> None:
        self._maximum = maximum
        self._in_progress = 0
        self._rejected = metrics.rejected["calls"]

    def check(self) -> None:
        """Raise Overloaded at the limit. That is enough for a call that does not wait."""
        if self._in_progress >= self._maximum:
            self._rejected.inc()
            raise Overloaded("", f"too many calls are in progress; the limit is {self._maximum}")

    def __enter__(self) -> None:
        self.check()
        self._in_progress += 1

    def __exit__(self, *_: object) -> None:
        self._in_progress -= 1


def check_deadline(seconds_left: float) -> None:
    """Raise DeadlinePassed for a call that nobody waits for."""
    if seconds_left <= 0:
        raise DeadlinePassed("", "the deadline passed before the call began")
