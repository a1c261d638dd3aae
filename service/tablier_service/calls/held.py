"""The bytes that a call holds in memory: of large requests, and of answers that are not read."""

from __future__ import annotations

from types import TracebackType
from typing import Protocol

from tablier_service.calls.limits import Limit


class Owned(Protocol):
    """A call."""

    @property
    def owner(self) -> str:
        """Whose memory it takes."""


class Held:
    """The bytes that one call holds; as a context, it gives them back."""

    def __init__(self, limit: Limit, call: Owned) -> None:
        self._limit = limit
        self._call = call
        self.size = 0

    def add(self, size: int) -> None:
        """Hold more; raises Overloaded. From then on, the call has its owner."""
        self._limit.take(self._call.owner, amount=size)
        self.size += size

    def release(self, size: int | None = None) -> None:
        """Give `size` back, or everything if it is None or more than what is held."""
        size = self.size if size is None else min(size, self.size)
        if size:
            self._limit.give_back(self._call.owner, amount=size)
            self.size -= size

    def __enter__(self) -> Held:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.release()
