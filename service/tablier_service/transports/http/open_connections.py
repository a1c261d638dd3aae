"""How many connections may be open: in total, and per address of the other end."""

from __future__ import annotations

from collections import Counter
from typing import Protocol

# The spare connections, per address and in total.
SPARE_PER_ADDRESS = 16
SPARE = 64


class Closable(Protocol):
    """A connection."""

    def abort(self) -> None:
        """End it at once."""


class OpenConnections:
    """Counts the open connections of this worker. A connection that enters must leave.

    Beyond the limits, a few connections are spare: they may ask for health. If there are too many
    of those, a new one takes the place of the oldest, so that silent ones are not in its way.
    """

    def __init__(self, maximum: int, per_address: int) -> None:
        self._maximum = maximum
        self._per_address = per_address
        self._admitted: dict[Closable, str] = {}
        self._by_address: Counter[str] = Counter()
        # In the order in which they came.
        self._spare: dict[Closable, str] = {}

    @property
    def full(self) -> bool:
        """Whether nobody can open another connection to make calls."""
        return len(self._admitted) >= self._maximum

    def enter(self, connection: Closable, address: str) -> bool:
        """Count a connection; returns whether it may make calls."""
        if not self.full and self._by_address[address] < self._per_address:
            self._admitted[connection] = address
            self._by_address[address] += 1
            return True
        own = [each for each, where in self._spare.items() if where == address]
        oldest = None
        if len(own) >= SPARE_PER_ADDRESS:
            oldest = own[0]
        elif len(self._spare) >= SPARE:
            oldest = next(iter(self._spare))
        if oldest is not None:
            del self._spare[oldest]
            oldest.abort()
        self._spare[connection] = address
        return False

    def leave(self, connection: Closable) -> None:
        """Forget a connection, if it is counted."""
        self._spare.pop(connection, None)
        address = self._admitted.pop(connection, None)
        if address is not None:
            self._by_address[address] -= 1
            if not self._by_address[address]:
                del self._by_address[address]
