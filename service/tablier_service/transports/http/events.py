"""Calls with many answers, as server-sent events: one event per answer.

A stream that fails before its first answer is answered like any other failed call. One that fails
later ends with an event of the type `error`, whose data is the google.rpc.Status.
"""

from __future__ import annotations

from collections.abc import Iterable

from tablier_service.transports.http.answers import AnswerSender
from tablier_service.transports.http.cors import Header

EVENTS = b"text/event-stream"
# Proxies close connections that are silent for a minute or so.
HEARTBEAT_SECONDS = 15.0
# A comment, which clients skip.
HEARTBEAT = b":\n\n"


class EventSender(AnswerSender):
    """Sends the response to a call event by event."""

    heartbeat_bytes = HEARTBEAT

    def head(self) -> Iterable[Header]:
        return ((b"content-type", EVENTS),)

    async def answer(self, data: bytes) -> None:
        await self._event(data)

    async def end(self) -> None:
        if self.call.status is not None:
            await self._event(self.call.reply(None).body, b"error")
        await self.part(b"", more=False)

    async def _event(self, data: bytes, kind: bytes = b"") -> None:
        """Send an event; its data is JSON, which has no line breaks."""
        name = b"event: %s\n" % kind if kind else b""
        await self.part(b"%sdata: %s\n\n" % (name, data))
