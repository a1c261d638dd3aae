"""Searches that take long, for tests of the pool."""

from __future__ import annotations

import asyncio
import threading

from tablier_core.advice import Cancel, Report, advise
from tablier_core.registry import GAMES
from tablier_service.calls.pool import SearchPool

# The seconds of a search that the test ends. If it is not ended, it stops by itself and says so.
LONG = 20.0


async def busy(pool: SearchPool, released: threading.Event) -> asyncio.Future[bool]:
    """A search that holds a slot until the event is set."""
    begun = asyncio.Event()
    loop = asyncio.get_running_loop()

    def search(cancel: Cancel) -> bool:
        loop.call_soon_threadsafe(begun.set)
        return released.wait(30)

    call = asyncio.ensure_future(pool.run(search, "a"))
    await begun.wait()
    return call


def think_long(cancel: Cancel) -> Report:
    position = GAMES["contigo-alignment"].start({}, 1)
    return advise(position, position.actors[0], seconds=LONG, cancel=cancel)
