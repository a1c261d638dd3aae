"""Calls with many answers, as server-sent events: one event per answer.

A stream that fails before its first answer is answered like any other failed call. One that fails
later ends with an event of the type `error`, whose data is the google.rpc.Status.
"""

from __future__ import annotations

from collections.abc import Iterable

from tablier_service.transports.http.call import HttpCall
from tablier_service.transports.http.cors import Header
from tablier_service.transports.http.request import Send

EVENTS = b"text/event-stream"
# Proxies close connections that are silent for a minute or so.
HEARTBEAT_SECONDS = 15.0
# A comment, which clients skip.
HEARTBEAT = b":\n\n"


class EventSender:
    """Sends the response to a call event by event; the first event begins the response."""

    def __init__(self, call: HttpCall, send: Send, headers: Iterable[Header]) -> None:
        self._call = call
        self._send = send
        self._headers = headers

    async def event(self, data: bytes, kind: bytes = b"") -> None:
        """Send an event; its data is JSON, which has no line breaks."""
        name = b"event: %s\n" % kind if kind else b""
        await self._part(b"%sdata: %s\n\n" % (name, data))

    async def heartbeat(self) -> None:
        """Show that more is to come."""
        await self._part(HEARTBEAT)

    async def end(self) -> None:
        """End the response."""
        await self._part(b"", more=False)

    async def _part(self, body: bytes, more: bool = True) -> None:
        call = self._call
        if not call.responding:
            call.responding = True
            headers = [
                (b"content-type", EVENTS),
                (b"cache-control", b"no-store"),
                # nginx would buffer events until it has a few kilobytes of them.
                (b"x-accel-buffering", b"no"),
                (b"x-request-id", call.id),
                *self._headers,
            ]
            await self._send({"type": "http.response.start", "status": 200, "headers": headers})
        await self._send({"type": "http.response.body", "body": body, "more_body": more})
