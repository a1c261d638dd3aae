"""Long calls take turns: few run at the same time, and one of each caller.

Together they would not be done sooner, because they share the event loop. But each needs memory
while it runs, and one that has not begun needs little more than its request.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import NamedTuple

from tablier_service.calls.fair_queue import FairQueue


class Turn(NamedTuple):
    """A call that waits, and whose it is."""

    owner: str
    granted: asyncio.Future[None]


class Turns:
    """The long calls of an event loop."""

    def __init__(self, most: int) -> None:
        self._free = most
        # The owners of the calls that run.
        self._running: set[str] = set()
        self._waiting: FairQueue[Turn] = FairQueue()

    @asynccontextmanager
    async def turn(self, owner: str) -> AsyncIterator[None]:
        """Context for the work of a call, which waits until it is its turn."""
        if self._free and owner not in self._running:
            self._grant(owner)
        else:
            await self._wait(Turn(owner, asyncio.get_running_loop().create_future()))
        try:
            yield
        finally:
            self._end(owner)

    def _grant(self, owner: str) -> None:
        self._free -= 1
        self._running.add(owner)

    async def _wait(self, turn: Turn) -> None:
        self._waiting.add(turn.owner, turn)
        try:
            await turn.granted
        except asyncio.CancelledError:
            # It may have been granted at the same moment.
            if turn.granted.done() and not turn.granted.cancelled():
                self._end(turn.owner)
            raise
        finally:
            self._waiting.discard(turn.owner, turn)

    def _end(self, owner: str) -> None:
        """End a turn, and grant the next one."""
        self._free += 1
        self._running.remove(owner)
        # Others that wait come first.
        self._waiting.put_last(owner)
        turn = self._waiting.take(self._running)
        while turn is not None and turn.granted.done():
            # Its caller left a moment ago.
            turn = self._waiting.take(self._running)
        if turn is not None:
            self._grant(turn.owner)
            turn.granted.set_result(None)
