"""The bytes that a call over HTTP holds in memory while its client sends or reads slowly."""

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
        self._size = 0

    def add(self, size: int) -> None:
        """Hold more; raises Overloaded. From then on, the call has its owner."""
        self._limit.take(self._call.owner, amount=size)
        self._size += size

    def release(self) -> None:
        """Give everything back."""
        if self._size:
            self._limit.give_back(self._call.owner, amount=self._size)
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
