"""How much of something limited each account holds, so that none can take all of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

NO_LIMIT = 1 << 30


class Shares:
    """Counts what is held in total, by every account, and by all accounts of an address."""

    def __init__(
        self, total: int = NO_LIMIT, per_account: int = NO_LIMIT, per_address: int = NO_LIMIT
    ) -> None:
        self._total = total
        self._per_account = per_account
        self._per_address = per_address
        self._held: Counter[str] = Counter()

    def exceeded(self, account: str, address: str) -> int:
        """The limit that one more would exceed; 0 if there is none.

        `address` is empty for an account that does not depend on an address.
        """
        if self._held[account] >= self._per_account:
            return self._per_account
        if address and self._held[address] >= self._per_address:
            return self._per_address
        return self._total if self._held[""] >= self._total else 0

    @contextmanager
    def holding(self, account: str, address: str) -> Iterator[None]:
        """Hold one."""
        # The total is counted under an empty name.
        holders = {"", account, address}
        self._held.update(holders)
        try:
            yield
        finally:
            self._held.subtract(holders)
            for holder in holders:
                if not self._held[holder]:
                    del self._held[holder]
