"""An event loop that measures for how long it serves nobody else."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Coroutine
from time import thread_time
from typing import Any

# The CPU time that may pass between two turns of the event loop, or of the thread that polls gRPC.
TURN_SECONDS = 0.010


class MeasuredLoop(asyncio.SelectorEventLoop):
    """An event loop that remembers the CPU time of its turns."""

    def __init__(self) -> None:
        super().__init__()
        self.turns: list[float] = []

    def _run_once(self) -> None:
        began = thread_time()
        super()._run_once()  # type: ignore[misc]
        self.turns.append(thread_time() - began)


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
