"""What an attacker knows about a service, and when its attack begins and ends."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from multiprocessing.synchronize import Event
from pathlib import Path
from typing import NamedTuple

# How long an attacker waits before it begins again.
PAUSE = 0.2

# What an attack measured, by name.
Figures = dict[str, float]


class Target(NamedTuple):
    """What an attacker knows about the service."""

    grpc: str
    # Address and port of the REST server.
    rest: str
    # The process of the service.
    process: int
    # The key of the attacker; empty if it has none.
    key: str = ""
    # The file with the authorities of client certificates, its next content, and the certificate
    # and key of a client of the authority that will be removed.
    authorities: Path | None = None
    next_authorities: Path | None = None
    certificate: tuple[Path, Path] | None = None

    @property
    def metadata(self) -> list[tuple[str, str]]:
        """The credentials of the attacker."""
        return [("authorization", f"Bearer {self.key}")] if self.key else []


class Stage:
    """When an attack begins and ends, agreed with another process."""

    def __init__(self, under_way: Event, over: Event) -> None:
        self._under_way = under_way
        self._over = over

    def begin(self) -> None:
        """Report that the attack is under way."""
        self._under_way.set()

    @property
    def ended(self) -> bool:
        """Whether the attack is over."""
        return self._over.is_set()

    async def end(self) -> None:
        """Wait until the attack is over."""
        while not self.ended:
            await asyncio.sleep(0.05)


Attack = Callable[[Target, Stage], Awaitable[Figures]]


async def repeat(stage: Stage, copies: int, act: Callable[[int], Awaitable[None]]) -> None:
    """Do something again and again, in several copies at once, until the attack is over."""

    async def one(number: int) -> None:
        while True:
            with suppress(OSError, asyncio.IncompleteReadError):
                await act(number)
            await asyncio.sleep(PAUSE)

    tasks = [asyncio.ensure_future(one(number)) for number in range(copies)]
    await stage.end()
    for task in tasks:
        task.cancel()
    failed = [
        error
        for error in await asyncio.gather(*tasks, return_exceptions=True)
        if not isinstance(error, asyncio.CancelledError)
    ]
    if failed:
        raise ExceptionGroup("the attack failed", [e for e in failed if isinstance(e, Exception)])
