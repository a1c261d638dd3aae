"""Where searches run: a few threads and a short queue, so that cheap calls never wait for them."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import AsyncGenerator, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from tablier_core.advice import Cancel

from tablier_service.errors import Overloaded

Answer = TypeVar("Answer")

# Search threads give way to the event loop by this much.
NICENESS = 10


class SearchPool:
    """Runs searches with the GIL released; refuses what it could not begin soon."""

    def __init__(self, slots: int, queue: int) -> None:
        self._threads = ThreadPoolExecutor(
            slots, thread_name_prefix="search", initializer=_lower_priority
        )
        self._room = slots + queue

    async def run(self, search: Callable[[Cancel], Answer]) -> Answer:
        """The result of a search; ending this coroutine early ends the search too."""
        self._enter()
        cancel = Cancel()
        under_way = asyncio.get_running_loop().run_in_executor(self._threads, search, cancel)
        under_way.add_done_callback(self._leave)
        try:
            return await under_way
        finally:
            cancel.set()

    async def stream(
        self, search: Callable[[Cancel], Iterator[Answer]]
    ) -> AsyncGenerator[Answer, None]:
        """The results of a search that goes on; closing this iterator early ends the search too.

        Every part is run by itself, when the one before it has been taken: a caller who does not
        read costs nothing, and searches that wait get their turn in between.
        """
        self._enter()
        cancel = Cancel()
        loop = asyncio.get_running_loop()
        try:
            parts = search(cancel)
            while part := await loop.run_in_executor(self._threads, next, parts, None):
                yield part
        finally:
            cancel.set()
            self._room += 1

    def _enter(self) -> None:
        if self._room == 0:
            raise Overloaded("", "all searches that fit are under way; try again")
        self._room -= 1

    def _leave(self, ended: asyncio.Future[Answer]) -> None:
        self._room += 1

    def close(self) -> None:
        """Begin no more searches."""
        self._threads.shutdown(wait=False, cancel_futures=True)


def _lower_priority() -> None:
    # On Linux a thread has a priority of its own; it begins with that of its process.
    own = os.getpriority(os.PRIO_PROCESS, 0)
    os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), own + NICENESS)
