"""How much may be under way at once, over both doors, and for how long callers wait."""

from __future__ import annotations

from tablier_service.errors import DeadlinePassed, InvalidField, Overloaded
from tablier_service.observability.metrics import Metrics

# The units of a grpc-timeout, in seconds.
UNITS = {b"H": 3600.0, b"M": 60.0, b"S": 1.0, b"m": 1e-3, b"u": 1e-6, b"n": 1e-9}


class CallLimit:
    """The calls under way in this process: one counts while the context that it enters lasts."""

    def __init__(self, most: int, metrics: Metrics) -> None:
        self._most = most
        self._now = 0
        self._sheds = metrics.sheds["calls"]

    @property
    def full(self) -> bool:
        """Whether no more may begin."""
        return self._now >= self._most

    def check(self) -> None:
        """Refuse to begin one more; enough for a call that ends before another can begin."""
        if self._now >= self._most:
            self._sheds.inc()
            raise Overloaded("", f"{self._most} calls are under way, and no more may be")

    def __enter__(self) -> None:
        self.check()
        self._now += 1

    def __exit__(self, *_: object) -> None:
        self._now -= 1


def check_deadline(seconds_left: float | None) -> None:
    """Refuse a call that nobody waits for."""
    if seconds_left is not None and seconds_left <= 0:
        raise DeadlinePassed("", "the deadline had passed before the call was looked at")


def read_timeout(header: bytes) -> float:
    """Seconds from gRPC's form of a timeout: up to eight digits and a unit, as in `250m`."""
    digits, unit = header[:-1], header[-1:]
    if not (digits.isdigit() and len(digits) <= 8 and unit in UNITS):
        raise InvalidField("", "grpc-timeout must be up to 8 digits and one of H, M, S, m, u, n")
    return int(digits) * UNITS[unit]
