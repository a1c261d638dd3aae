"""Long calls run in slices: one per turn of the event loop, shared among accounts, and billed."""

from __future__ import annotations

import asyncio
from itertools import pairwise
from time import perf_counter, sleep

import pytest
from tablier_service.calls.slices import SLICE_SECONDS, Slices, Work


def nothing(seconds: float) -> None:
    """Bill nobody."""


def rest(slices: int, log: list[str], name: str) -> Work[str]:
    """Work for a number of slices, without using a core."""
    for _ in range(slices):
        log.append(name)
        sleep(1.1 * SLICE_SECONDS)
        yield
    return name


def test_runs_one_slice_per_turn_of_the_event_loop_however_many_calls_wait() -> None:
    log: list[str] = []

    async def count_turns() -> None:
        while True:
            log.append("turn")
            await asyncio.sleep(0)

    async def main() -> None:
        slices = Slices()
        turns = asyncio.ensure_future(count_turns())
        works = [slices.run(rest(3, log, str(each)), str(each), nothing) for each in range(8)]
        assert await asyncio.gather(*works) == [str(each) for each in range(8)]
        turns.cancel()

    asyncio.run(main())
    assert len(log) - log.count("turn") == 24
    assert not any(one != "turn" != other for one, other in pairwise(log))


def test_accounts_take_turns() -> None:
    log: list[str] = []

    async def main() -> None:
        slices = Slices()
        greedy = [slices.run(rest(4, log, "a"), "a", nothing) for _ in range(8)]
        await asyncio.gather(*greedy, slices.run(rest(4, log, "b"), "b", nothing))

    asyncio.run(main())
    # Not a ninth of the slices, but half of them.
    assert "".join(log[:8]) == "abababab"


def test_goes_on_after_a_call_that_was_cancelled() -> None:
    log: list[str] = []

    async def main() -> None:
        slices = Slices()
        left = asyncio.ensure_future(slices.run(rest(100, log, "left"), "a", nothing))
        stayed = asyncio.ensure_future(slices.run(rest(3, log, "stayed"), "a", nothing))
        while "left" not in log:
            await asyncio.sleep(0)
        left.cancel()
        assert await asyncio.wait_for(stayed, 30) == "stayed"
        # Also after a pause without any call.
        assert await asyncio.wait_for(slices.run(rest(1, log, "later"), "a", nothing), 30)

    asyncio.run(main())
    assert log.count("left") < 100


def spin(seconds: float) -> None:
    end = perf_counter() + seconds
    while perf_counter() < end:
        pass


def test_bills_the_work_of_a_call_that_is_cancelled_or_fails_but_not_its_waiting() -> None:
    billed: list[float] = []

    def work() -> Work[str]:
        while True:
            spin(0.002)
            yield

    def fail() -> Work[str]:
        spin(0.002)
        raise ValueError("failed")
        yield

    async def main() -> None:
        slices = Slices()
        call = asyncio.ensure_future(slices.run(work(), "a", billed.append))
        while len(billed) < 3:
            await asyncio.sleep(0)
            # Time of other calls.
            sleep(0.01)
        call.cancel()
        await asyncio.wait([call])
        with pytest.raises(ValueError, match="failed"):
            await slices.run(fail(), "a", billed.append)

    asyncio.run(main())
    assert len(billed) == 4
    # On a busy machine, a thread uses less CPU time than it takes.
    assert all(0 < seconds < 0.01 for seconds in billed)
