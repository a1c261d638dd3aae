"""How many bytes of large requests and answers may be in memory: in total, and per client."""

from __future__ import annotations

from collections import Counter
from types import TracebackType
from typing import Protocol

from tablier_service.errors import Overloaded

# How many clients must collude to use up the total.
SHARES = 4


class BufferLimit:
    """Limits the bytes that this worker holds for clients that send or read slowly."""

    def __init__(self, maximum: int) -> None:
        self._maximum = maximum
        self._total = 0
        self._by_owner: Counter[str] = Counter()

    def take(self, owner: str, size: int) -> None:
        """Count bytes; raises Overloaded if they are too many."""
        own, share = self._by_owner[owner], self._maximum // SHARES
        # Other limits apply to a single request or answer, which is never too much.
        if (own and own + size > share) or (self._total and self._total + size > self._maximum):
            raise Overloaded(
                "", "too many bytes of large requests and unread answers are in memory"
            )
        self._total += size
        self._by_owner[owner] += size

    def give_back(self, owner: str, size: int) -> None:
        """Forget bytes that were counted."""
        self._total -= size
        self._by_owner[owner] -= size
        if not self._by_owner[owner]:
            del self._by_owner[owner]


class Owned(Protocol):
    """A call."""

    @property
    def owner(self) -> str:
        """Whose memory it takes."""


class Held:
    """The bytes that one call holds; as a context, it gives them back."""

    def __init__(self, limit: BufferLimit, call: Owned) -> None:
        self._limit = limit
        self._call = call
        self._size = 0

    def add(self, size: int) -> None:
        """Hold more; raises Overloaded. From then on, the call has its owner."""
        self._limit.take(self._call.owner, size)
        self._size += size

    def release(self) -> None:
        """Give everything back."""
        if self._size:
            self._limit.give_back(self._call.owner, self._size)
            self._size = 0

    def __enter__(self) -> Held:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.release()
