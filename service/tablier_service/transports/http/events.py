"""Calls with many answers, as server-sent events: one event an answer.

A stream that fails before its first answer is answered as any other call that fails; one that
fails later ends with an event of the type `error`, whose data is the same google.rpc.Status.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from typing import TypeVar

from tablier_service.transports.http.request import Disconnected, Receive, Send

EVENTS = b"text/event-stream"
# Proxies close connections on which nothing comes for a minute or so.
HEARTBEAT_SECONDS = 15.0
# A comment, which readers of events skip.
HEARTBEAT = b":\n\n"

T = TypeVar("T")


class EventSender:
    """An answer that is sent event by event; it begins with the first."""

    def __init__(self, send: Send, request_id: bytes) -> None:
        self._send = send
        self._request_id = request_id
        self.begun = False

    async def event(self, data: bytes, kind: bytes = b"") -> None:
        """Send an event; its data has no line breaks, as JSON has none."""
        name = b"event: %s\n" % kind if kind else b""
        await self._part(b"%sdata: %s\n\n" % (name, data))

    async def heartbeat(self) -> None:
        """Say that there is more to come."""
        await self._part(HEARTBEAT)

    async def end(self) -> None:
        """Say that this was all."""
        await self._part(b"", more=False)

    async def _part(self, body: bytes, more: bool = True) -> None:
        if not self.begun:
            self.begun = True
            headers = [
                (b"content-type", EVENTS),
                (b"cache-control", b"no-store"),
                # nginx would keep events back until it has a few kilobytes of them.
                (b"x-accel-buffering", b"no"),
                (b"x-request-id", self._request_id),
            ]
            await self._send({"type": "http.response.start", "status": 200, "headers": headers})
        await self._send({"type": "http.response.body", "body": body, "more_body": more})


async def while_there(
    parts: AsyncGenerator[T, None], receive: Receive, heartbeat: Callable[[], Awaitable[None]]
) -> AsyncGenerator[T, None]:
    """The parts one by one, with heartbeats while they take long; ends with their reader."""
    # After a request's body, the only message that can come is that of its end.
    gone = asyncio.ensure_future(receive())
    try:
        while True:
            coming = asyncio.ensure_future(next_of(parts))
            try:
                while not coming.done():
                    await asyncio.wait(
                        (coming, gone),
                        timeout=HEARTBEAT_SECONDS,
                        return_when=asyncio.FIRST_COMPLETED,
                    )
                    if gone.done():
                        raise Disconnected
                    if not coming.done():
                        await heartbeat()
            finally:
                coming.cancel()
                # Until it has ended its parts cannot be closed.
                await asyncio.wait((coming,))
            part = coming.result()
            if part is None:
                return
            yield part
    finally:
        gone.cancel()


async def next_of(parts: AsyncGenerator[T, None]) -> T | None:
    """The next part; None after the last."""
    return await anext(parts, None)
