"""The response to a call with many answers, which is sent part by part."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import TYPE_CHECKING, ClassVar

from tablier_service.transports.http.cors import Header
from tablier_service.transports.http.request import Send

if TYPE_CHECKING:
    from tablier_service.transports.http.call import HttpCall


class AnswerSender(ABC):
    """Sends the response to a call answer by answer; the first one begins the response."""

    # What is sent while there is no answer, so that proxies keep the connection, if anything.
    heartbeat_bytes: ClassVar[bytes] = b""

    def __init__(self, call: HttpCall, send: Send, headers: Iterable[Header]) -> None:
        self.call = call
        self._send = send
        self._headers = headers

    @abstractmethod
    def head(self) -> Iterable[Header]:
        """The headers of the response that depend on its format."""

    @abstractmethod
    async def answer(self, data: bytes) -> None:
        """Send an answer."""

    async def heartbeat(self) -> None:
        """Show that more is to come."""
        await self.part(self.heartbeat_bytes)

    @abstractmethod
    async def end(self) -> None:
        """Send how the call has ended, and end the response."""

    async def part(self, body: bytes, more: bool = True) -> None:
        """Send a part of the response."""
        call = self.call
        if not call.responding:
            call.responding = True
            headers = [
                *self.head(),
                (b"cache-control", b"no-store"),
                # nginx would buffer answers until it has a few kilobytes of them.
                (b"x-accel-buffering", b"no"),
                (b"x-request-id", call.id),
                *self._headers,
            ]
            await self._send({"type": "http.response.start", "status": 200, "headers": headers})
        await self._send({"type": "http.response.body", "body": body, "more_body": more})
