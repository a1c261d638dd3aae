"""Limits on calls: how many are in progress at once, and their deadlines."""

from __future__ import annotations

from tablier_service.errors import DeadlinePassed, InvalidField, Overloaded
from tablier_service.observability.metrics import Metrics

# The units of a grpc-timeout header, in seconds.
UNITS = {b"H": 3600.0, b"M": 60.0, b"S": 1.0, b"m": 1e-3, b"u": 1e-6, b"n": 1e-9}


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
            raise Overloaded("", f"{self._maximum} calls are in progress, which is the limit")

    def __enter__(self) -> None:
        self.check()
        self._in_progress += 1

    def __exit__(self, *_: object) -> None:
        self._in_progress -= 1


def check_deadline(seconds_left: float) -> None:
    """Raise DeadlinePassed for a call that nobody waits for."""
    if seconds_left <= 0:
        raise DeadlinePassed("", "the deadline passed before the call began")


def read_timeout(header: bytes) -> float:
    """Parse a grpc-timeout header: up to eight digits and a unit, e.g. `250m`."""
    digits, unit = header[:-1], header[-1:]
    if not (digits.isdigit() and len(digits) <= 8 and unit in UNITS):
        raise InvalidField("", "grpc-timeout must be up to 8 digits and one of H, M, S, m, u, n")
    return int(digits) * UNITS[unit]
