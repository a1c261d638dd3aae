"""Limits on calls: how much they hold at the same time, and their deadlines."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

from tablier_service.errors import DeadlinePassed, Overloaded
from tablier_service.observability.metrics import Value

NO_LIMIT = 1 << 30
# The key under which everything is counted.
TOTAL = ("", "")


class Limit:
    """Limits how much of something is held in this process: in total, per account, per address.

    The account is the caller or, without authentication, the connection. So nobody can take
    everything. What is held may be calls that wait, streams, searches or bytes.
    """

    def __init__(
        self,
        what: str,
        rejected: Value,
        *,
        total: int = NO_LIMIT,
        per_account: int = NO_LIMIT,
        per_address: int = NO_LIMIT,
    ) -> None:
        self._what = what
        self._limits = {"": total, "caller": per_account, "address": per_address}
        # What is held in total, by each account, and from each address.
        self._held: dict[tuple[str, str], int] = {}
        self._lock = Lock()
        # Counts the calls that found no place.
        self._rejected = rejected

    @property
    def full(self) -> bool:
        """Whether the next one would be rejected, even that of a new caller."""
        return self.total >= self._limits[""]

    @property
    def total(self) -> int:
        """How much is held."""
        return self._held.get(TOTAL, 0)

    def take(
        self, account: str, address: str = "", amount: int = 1, *, retry_seconds: float = 0.0
    ) -> None:
        """Hold some; raises Overloaded at a limit, with the time to wait before a retry.

        An authenticated caller has no `address`: a proxy may send the calls of everybody from the
        same one. The first amount is always granted: other limits apply to a single request.
        """
        if not amount:
            return
        keys = _keys(account, address)
        with self._lock:
            self._check(keys, amount, retry_seconds)
            for key in keys:
                self._held[key] = self._held.get(key, 0) + amount

    def check(self, account: str, amount: int) -> None:
        """Raise Overloaded if `amount` could not be held now: before work that would be lost."""
        # Without the lock: nothing is changed, and it may be too late a moment afterwards anyway.
        self._check(_keys(account, ""), amount, 0.0)

    def _check(self, keys: tuple[tuple[str, str], ...], amount: int, retry_seconds: float) -> None:
        for key in keys:
            held, limit = self._held.get(key, 0), self._limits[key[0]]
            if held and held + amount > limit:
                self._rejected.inc()
                whose = f" of this {key[0]}" if key[0] else ""
                message = f"too many {self._what}{whose} at the same time; the limit is {limit}"
                raise Overloaded("", message, retry_seconds=retry_seconds)

    def give_back(self, account: str, address: str = "", amount: int = 1) -> None:
        """Hold less."""
        with self._lock:
            for key in _keys(account, address):
                left = self._held[key] - amount
                if left:
                    self._held[key] = left
                else:
                    del self._held[key]

    @contextmanager
    def place(
        self, account: str, address: str = "", *, retry_seconds: float = 0.0
    ) -> Iterator[None]:
        """Hold one; raises Overloaded at a limit."""
        self.take(account, address, retry_seconds=retry_seconds)
        try:
            yield
        finally:
            self.give_back(account, address)


def _keys(account: str, address: str) -> tuple[tuple[str, str], ...]:
    """What counts for a call. Its account comes first: that is what the caller can change."""
    if address:
        return ("caller", account), ("address", address), TOTAL
    return ("caller", account), TOTAL


def check_deadline(seconds_left: float) -> None:
    """Raise DeadlinePassed for a call that nobody waits for."""
    if seconds_left <= 0:
        raise DeadlinePassed("", "the deadline passed before the call began")
