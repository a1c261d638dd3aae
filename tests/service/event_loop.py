"""An event loop that measures for how long it serves nobody else."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Callable, Coroutine
from time import thread_time
from typing import Any

# The CPU time that may pass between two turns of the event loop, or of the thread that polls gRPC.
TURN_SECONDS = 0.010
# A busy machine slows a turn; what the service does in a turn slows it in every run.
RUNS = 3


class MeasuredLoop(asyncio.SelectorEventLoop):
    """An event loop that remembers the CPU time of its turns."""

    def __init__(self) -> None:
        super().__init__()
        self.turns: list[float] = []
        self._began = 0.0

    def restart(self) -> None:
        """Forget the turns so far, and what the present one took."""
        self.turns.clear()
        self._began = thread_time()

    def _run_once(self) -> None:
        self._began = thread_time()
        super()._run_once()  # type: ignore[misc]
        self.turns.append(thread_time() - self._began)


def longest_turn(main: Callable[[], Coroutine[Any, Any, None]]) -> float:
    """Run a coroutine a few times; returns the CPU seconds of the longest turn in the best run."""
    return min(max(run_measured(main())) for _ in range(RUNS))


def measure_from_here() -> None:
    """Forget the turns of the running loop so far: a service may take its time to start."""
    loop = asyncio.get_running_loop()
    assert isinstance(loop, MeasuredLoop)
    loop.restart()


def run_measured(main: Coroutine[Any, Any, None]) -> list[float]:
    """Run a coroutine; returns the CPU seconds of every turn of its event loop."""
    loop = MeasuredLoop()
    # The objects of other tests are many. A worker exempts those that are there when it starts.
    gc.collect()
    gc.freeze()
    try:
        with asyncio.Runner(loop_factory=lambda: loop) as runner:
            runner.run(main)
    finally:
        gc.unfreeze()
    return loop.turns
