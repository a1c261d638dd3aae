"""A queue in which accounts take turns, so that nobody waits for all the work of somebody else."""

from __future__ import annotations

from collections.abc import Container
from typing import Generic, TypeVar

T = TypeVar("T")


class FairQueue(Generic[T]):
    """Items that wait, by account. Accounts take turns; the items of one account keep their order.

    An account that comes back has its turn after all others that wait.
    """

    def __init__(self) -> None:
        # The accounts in the order of their turns. The items are keys, to be removed cheaply.
        self._accounts: dict[str, dict[T, None]] = {}

    def add(self, account: str, item: T) -> None:
        """Add an item of an account."""
        self._accounts.setdefault(account, {})[item] = None

    def discard(self, account: str, item: T) -> None:
        """Remove an item, unless it has been taken."""
        items = self._accounts.get(account, {})
        items.pop(item, None)
        if not items:
            self._accounts.pop(account, None)

    def take(self, skipped: Container[str] = ()) -> T | None:
        """Take the next item, but none of some accounts; None if there is none."""
        for account, items in self._accounts.items():
            if account in skipped:
                continue
            item = next(iter(items))
            self.discard(account, item)
            self.put_last(account)
            return item
        return None

    def put_last(self, account: str) -> None:
        """Let all other accounts have their turns first."""
        items = self._accounts.pop(account, None)
        if items:
            self._accounts[account] = items

    def turns_before(self, account: str) -> int:
        """How many items would be taken before a new item of this account, at most."""
        own = len(self._accounts.get(account, ()))
        others = (items for other, items in self._accounts.items() if other != account)
        return own + sum(min(len(items), own + 1) for items in others)
