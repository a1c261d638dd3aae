"""Limits on calls: how many wait at the same time, and their deadlines."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

from tablier_service.errors import DeadlinePassed, Overloaded
from tablier_service.observability.metrics import Metrics


class CallLimit:
    """Limits the calls that wait, in this process: per caller, per address, and in total.

    A call that is answered at once needs no place, so calls that wait cannot keep it out.
    """

    def __init__(
        self, what: str, total: int, per_caller: int, per_address: int, metrics: Metrics
    ) -> None:
        self._what = what
        self._limits = {"": total, "caller": per_caller, "address": per_address}
        # The places that are held: in total, by each caller, and from each address.
        self._held: dict[tuple[str, str], int] = {}
        self._lock = Lock()
        self._rejected = metrics.rejected["calls"]

    @property
    def full(self) -> bool:
        """Whether the next call would be rejected, even that of a new caller."""
        return self._held.get(("", ""), 0) >= self._limits[""]

    @contextmanager
    def place(self, account: str, address: str = "") -> Iterator[None]:
        """Hold a place while a call waits; raises Overloaded at a limit.

        `account` is whom the call counts for. An authenticated caller has no `address`: a proxy
        may send the calls of everybody from the same one.
        """
        keys = [("", ""), ("caller", account)]
        if address:
            keys.append(("address", address))
        with self._lock:
            for key in keys:
                limit = self._limits[key[0]]
                if self._held.get(key, 0) >= limit:
                    self._rejected.inc()
                    whose = f" of this {key[0]}" if key[0] else ""
                    raise Overloaded(
                        "", f"too many {self._what}{whose} at the same time; the limit is {limit}"
                    )
            for key in keys:
                self._held[key] = self._held.get(key, 0) + 1
        try:
            yield
        finally:
            with self._lock:
                for key in keys:
                    left = self._held[key] - 1
                    if left:
                        self._held[key] = left
                    else:
                        del self._held[key]


def check_deadline(seconds_left: float) -> None:
    """Raise DeadlinePassed for a call that nobody waits for."""
    if seconds_left <= 0:
        raise DeadlinePassed("", "the deadline passed before the call began")
