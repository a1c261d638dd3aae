"""The limit for answers, checked while they are written rather than when they are complete."""

from __future__ import annotations

from tablier_service.errors import AnswerTooLarge


class AnswerSize:
    """The bytes of an answer so far."""

    __slots__ = ("_limit", "_size")

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._size = 0

    def add(self, size: int) -> None:
        """Count a part of the answer; raises AnswerTooLarge."""
        self._size += size
        if self._size > self._limit:
            raise AnswerTooLarge.of(self._limit)
