"""A stand-in for the context of a gRPC call."""

from __future__ import annotations

import grpc
from grpc import aio


class Context:
    """What handlers use of the context of a call."""

    def __init__(
        self, seconds_left: float | None = None, metadata: tuple[tuple[str, str], ...] = ()
    ) -> None:
        self._seconds_left = seconds_left
        self._metadata = metadata
        # The answers of a call with many answers.
        self.written: list[bytes] = []
        # The code with which the call was aborted.
        self.code: grpc.StatusCode | None = None

    def time_remaining(self) -> float | None:
        return self._seconds_left

    def peer(self) -> str:
        return "ipv4:127.0.0.1:1"

    def invocation_metadata(self) -> tuple[tuple[str, str], ...]:
        return self._metadata

    def auth_context(self) -> dict[str, list[bytes]]:
        return {}

    async def write(self, answer: bytes) -> None:
        self.written.append(answer)

    async def abort(self, code: grpc.StatusCode, message: str, details: object) -> None:
        self.code = code
        raise aio.AbortError
