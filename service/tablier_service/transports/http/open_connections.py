"""How many connections may be open: in total, and per address of the other end."""

from __future__ import annotations

from collections import Counter
from enum import Enum


class Standing(Enum):
    """What a connection may do."""

    ADMITTED = "make calls"
    # Beyond the limits, a few connections may each ask once for a page about health.
    SPARE = "ask for health"
    REFUSED = "nothing"


# The spare connections, per address and in total.
SPARE_PER_ADDRESS = 4
SPARE = 64


class OpenConnections:
    """Counts the open connections of this worker. A connection that enters must leave."""

    def __init__(self, maximum: int, per_address: int) -> None:
        # By standing: the limits, and how many there are, in total and by address.
        self._limits = {
            Standing.ADMITTED: (maximum, per_address),
            Standing.SPARE: (SPARE, SPARE_PER_ADDRESS),
        }
        self._totals: Counter[Standing] = Counter()
        self._by_address: Counter[tuple[Standing, str]] = Counter()

    @property
    def full(self) -> bool:
        """Whether nobody can open another connection to make calls."""
        return self._totals[Standing.ADMITTED] >= self._limits[Standing.ADMITTED][0]

    def enter(self, address: str) -> Standing:
        """Count a connection, unless it is refused."""
        for standing, (maximum, per_address) in self._limits.items():
            if (
                self._totals[standing] < maximum
                and self._by_address[standing, address] < per_address
            ):
                self._totals[standing] += 1
                self._by_address[standing, address] += 1
                return standing
        return Standing.REFUSED

    def leave(self, address: str, standing: Standing) -> None:
        """Forget a connection that has entered."""
        self._totals[standing] -= 1
        self._by_address[standing, address] -= 1
        if not self._by_address[standing, address]:
            del self._by_address[standing, address]
