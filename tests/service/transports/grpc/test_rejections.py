"""Calls that are rejected by their metadata, in a storm of them."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path

import grpc
from grpc import aio
from tablier_service.transports.grpc.direct_server import DirectServer
from tablier_service.transports.grpc.rejections import (
    MARGIN_SECONDS,
    MOST_HELD,
    MOST_HELD_OF_ONE,
    MOST_PROMPT,
    PROMPT,
    Rejections,
)

from tests.service.assembly import Assemble, CallCounts

SECONDS = 60
CALLS = 5 * PROMPT


class Storm:
    """Rejections, and the calls that were answered."""

    def __init__(self) -> None:
        self.rejections = Rejections()
        self.answered: list[str] = []

    def add(self, account: str, calls: int, seconds_left: float | None = None) -> None:
        for _ in range(calls):
            self.rejections.add(account, partial(self.answered.append, account), seconds_left)

    def sweep(self, *, stopping: bool = False) -> list[str]:
        """The calls that one sweep answers."""
        before = len(self.answered)
        self.rejections.sweep(stopping=stopping)
        return self.answered[before:]


def test_answers_a_few_calls_at_once_and_the_others_in_turn() -> None:
    storm = Storm()
    storm.add("one", 3 * PROMPT)
    assert storm.answered == ["one"] * PROMPT
    assert storm.sweep() == ["one"] * PROMPT
    assert storm.sweep() == ["one"] * PROMPT
    assert storm.sweep() == []


def test_nobody_waits_for_the_rejections_of_somebody_else() -> None:
    storm = Storm()
    storm.add("crowd", MOST_HELD_OF_ONE)
    storm.answered.clear()
    storm.add("other", 2)
    assert storm.answered == ["other", "other"]
    # Many together use up what is rejected at once, and then take turns.
    for number in range(8):
        storm.add(f"crowd {number}", PROMPT + 5)
    storm.answered.clear()
    storm.add("third", 1)
    assert storm.answered == []
    assert storm.sweep()[:10].count("third") == 1


def test_a_sweep_answers_few_calls_in_total() -> None:
    storm = Storm()
    for number in range(8):
        storm.add(f"crowd {number}", 2 * PROMPT)
    assert len(storm.answered) == MOST_PROMPT
    answered = storm.sweep()
    assert len(answered) == MOST_PROMPT
    assert max(Counter(answered).values()) <= PROMPT


def test_a_call_too_many_makes_the_oldest_of_its_account_leave() -> None:
    storm = Storm()
    storm.add("one", PROMPT + MOST_HELD_OF_ONE + 1)
    assert storm.answered == ["one"] * (PROMPT + 1)


def test_a_call_too_many_in_total_makes_one_of_the_largest_account_leave() -> None:
    storm = Storm()
    for number in range(4):
        storm.add(f"crowd {number}", PROMPT + MOST_HELD_OF_ONE)
    storm.answered.clear()
    storm.add("one", 1)
    assert len(storm.answered) == 1
    assert storm.answered[0].startswith("crowd")
    storm.add("crowd 1", 1)
    assert len(storm.sweep(stopping=True)) == MOST_HELD


def test_no_call_waits_until_its_deadline() -> None:
    storm = Storm()
    storm.add("one", PROMPT)
    storm.add("one", 100, 3600)
    storm.add("one", 3, MARGIN_SECONDS / 2)
    # At once, because a sweep may be too late.
    assert len(storm.answered) == PROMPT + 3
    storm.add("other", PROMPT)
    storm.add("other", 50, MARGIN_SECONDS + 1e-9)
    assert storm.sweep().count("other") == 50


def test_a_service_that_stops_answers_all() -> None:
    storm = Storm()
    storm.add("one", CALLS)
    assert len(storm.sweep(stopping=True)) == CALLS - PROMPT
    assert storm.sweep(stopping=True) == []


def run_storm(
    assemble: Assemble, tmp_path: Path, end: Callable[[DirectServer], Awaitable[None]]
) -> None:
    """Make many calls without credentials at the same time; each gets its own error."""
    callers = tmp_path / "callers"
    callers.write_text("callers = []\n")

    async def code(channel: aio.Channel) -> grpc.StatusCode:
        try:
            await channel.unary_unary("/tablier.v1.GameService/ListGames", None, None)(b"")
        except aio.AioRpcError as error:
            return error.code()
        return grpc.StatusCode.OK

    async def storm() -> None:
        service = assemble(callers_file=callers)
        server = DirectServer(service)
        await server.start()
        counts = CallCounts(service, "ListGames")
        async with aio.insecure_channel(f"127.0.0.1:{server.port}") as channel:
            calls = [asyncio.ensure_future(code(channel)) for _ in range(CALLS)]
            while counts.by_code().get("Unauthenticated", 0) < CALLS:
                await asyncio.sleep(0.001)
            await end(server)
            assert set(await asyncio.gather(*calls)) == {grpc.StatusCode.UNAUTHENTICATED}
        await server.stop(0)

    asyncio.run(asyncio.wait_for(storm(), SECONDS))


def test_every_call_of_a_storm_gets_its_error(assemble: Assemble, tmp_path: Path) -> None:
    async def go_on(_: DirectServer) -> None:
        """Leave the server as it is."""

    run_storm(assemble, tmp_path, go_on)


def test_stopping_in_a_storm_loses_no_error(assemble: Assemble, tmp_path: Path) -> None:
    run_storm(assemble, tmp_path, lambda server: server.stop(SECONDS))
