"""Long calls take turns."""

from __future__ import annotations

import asyncio

from tablier_service.calls.turns import Turns


class Stage:
    """Calls that run until they are told to end."""

    def __init__(self, most: int) -> None:
        self._turns = Turns(most)
        self._ends: dict[str, asyncio.Event] = {}
        self.running: list[str] = []

    def begin(self, call: str) -> asyncio.Task[None]:
        """Begin a call; the first letter of its name is its owner."""
        return asyncio.ensure_future(self._run(call))

    async def _run(self, call: str) -> None:
        async with self._turns.turn(call[0]):
            self.running.append(call)
            self._ends[call] = asyncio.Event()
            try:
                await self._ends[call].wait()
            finally:
                self.running.remove(call)

    async def end(self, call: str) -> None:
        """End a call, and let the next one begin."""
        self._ends[call].set()
        await settle()


async def settle() -> None:
    """Let everything happen that needs no waiting."""
    for _ in range(10):
        await asyncio.sleep(0)


def test_one_call_of_each_owner_runs_and_few_in_total() -> None:
    async def test() -> None:
        stage = Stage(2)
        calls = [stage.begin(name) for name in ("a1", "a2", "a3", "b1", "c1", "c2")]
        await settle()
        assert stage.running == ["a1", "b1"]
        # Another owner comes before the second call of the same.
        await stage.end("a1")
        assert stage.running == ["b1", "c1"]
        await stage.end("c1")
        assert stage.running == ["b1", "a2"]
        await stage.end("b1")
        assert stage.running == ["a2", "c2"]
        await stage.end("c2")
        assert stage.running == ["a2"]
        await stage.end("a2")
        await stage.end("a3")
        assert all(call.done() for call in calls)

    asyncio.run(test())


def test_a_call_that_is_cancelled_gives_up_its_turn() -> None:
    async def test() -> None:
        stage = Stage(1)
        calls = {name: stage.begin(name) for name in ("a1", "b1", "c1", "d1", "e1")}
        await settle()
        # While it waits, while it runs, and at the moment when it is granted its turn.
        calls["b1"].cancel()
        calls["a1"].cancel()
        await settle()
        assert stage.running == ["c1"]
        stage._ends["c1"].set()
        while stage.running:
            await asyncio.sleep(0)
        calls["d1"].cancel()
        await settle()
        assert stage.running == ["e1"]
        await stage.end("e1")
        assert stage._turns._free == 1

    asyncio.run(test())
