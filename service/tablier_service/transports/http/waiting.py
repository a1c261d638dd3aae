"""Waiting for a call while its client may disconnect."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, TypeVar

from tablier_service.lifecycle import ClientGone
from tablier_service.transports.http import events
from tablier_service.transports.http.request import Receive

T = TypeVar("T")


async def unless_gone(
    work: Coroutine[Any, Any, T],
    receive: Receive,
    heartbeat: Callable[[], Awaitable[None]] | None = None,
) -> T:
    """Wait for a call; cancels it and raises ClientGone when the client disconnects.

    A heartbeat is sent at intervals, if there is one.
    """
    running = asyncio.ensure_future(work)
    gone = asyncio.ensure_future(disconnection(receive))
    try:
        while not running.done():
            await asyncio.wait(
                (running, gone),
                timeout=None if heartbeat is None else events.HEARTBEAT_SECONDS,
                return_when=asyncio.FIRST_COMPLETED,
            )
            if gone.done() and not running.done():
                raise ClientGone
            if heartbeat is not None and not running.done():
                await heartbeat()
        return running.result()
    finally:
        gone.cancel()
        if running.cancel():
            # It ends before the connection is used for another call.
            await asyncio.wait((running,))


async def disconnection(receive: Receive) -> None:
    """Wait until the client disconnects."""
    while (await receive())["type"] != "http.disconnect":
        pass
