"""The memory that unfinished messages of streams take, and the valve that limits it.

A stream is read at any time, so each can hold one unfinished message, and gRPC does not say how
much of it has arrived. So when the worker has too much memory, streams that wait for a message are
cancelled until few are left, first those of the callers that have most. Their clients can open
others.
"""

from __future__ import annotations

from abc import abstractmethod
from collections import defaultdict
from time import monotonic
from typing import Protocol

from tablier_service.calls.memory import Memory
from tablier_service.calls.pool import SearchPool

# So many streams that wait for a message are no danger to the memory.
SAFE_STREAMS = 4
# How fast messages can arrive. While there are more streams, the memory is checked before it can
# reach its limit, but not more often than this.
BYTES_PER_SECOND = 2**30
CHECK_SECONDS = 0.002
# How long after it has cancelled streams the valve returns their memory to the system.
RELEASE_SECONDS = 0.01


class Conversation(Protocol):
    """A stream of requests."""

    @property
    @abstractmethod
    def owner(self) -> str:
        """Whose memory it takes."""

    @property
    @abstractmethod
    def waits(self) -> bool:
        """Whether it waits for a message, which may have arrived in part."""

    @abstractmethod
    def cancel(self) -> None:
        """End the stream at once."""


class Conversations:
    """The streams of requests on a server. The polling thread checks their memory."""

    def __init__(
        self, memory: Memory, pool: SearchPool, max_bytes: int, message_seconds: float
    ) -> None:
        # How long the first message of a stream may take.
        self.message_seconds = message_seconds
        self._memory = memory
        self._pool = pool
        self._max_bytes = max_bytes
        # The event loop removes streams: only with single operations, which are atomic.
        self._open: dict[Conversation, None] = {}
        # When to check the memory again.
        self._due = 0.0
        self._release_due = float("inf")

    def add(self, stream: Conversation) -> None:
        """Note that a stream has begun."""
        self._open[stream] = None

    def remove(self, stream: Conversation) -> None:
        """Note that a stream has ended, if it has begun."""
        self._open.pop(stream, None)

    @property
    def many(self) -> bool:
        """Whether there are so many streams that `check` is needed."""
        return len(self._open) > SAFE_STREAMS or self._release_due < float("inf")

    @property
    def seconds(self) -> float:
        """The time until the next check."""
        return max(CHECK_SECONDS, self._due - monotonic())

    def check(self) -> None:
        """Cancel streams if the worker has too much memory; at most when it is time to."""
        now = monotonic()
        if now >= self._due:
            # Searches have their own limits.
            room = self._max_bytes + self._pool.max_bytes - self._memory.resident()
            self._due = now + max(CHECK_SECONDS, room / BYTES_PER_SECOND)
            if room < 0 and self._relieve():
                self._release_due = now + RELEASE_SECONDS
        if now >= self._release_due:
            self._release_due = float("inf")
            self._memory.release()

    def _relieve(self) -> bool:
        """Cancel streams that wait for a message until few are left; whether there were more."""
        waiting = defaultdict[str, list[Conversation]](list)
        for stream in list(self._open):
            if stream.waits:
                waiting[stream.owner].append(stream)
        surplus = sum(map(len, waiting.values())) - SAFE_STREAMS
        for _ in range(surplus):
            # Among those who have as many, the one who came last.
            stream = max(reversed(waiting.values()), key=len).pop()
            self.remove(stream)
            stream.cancel()
        return surplus > 0
