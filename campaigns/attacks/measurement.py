"""One row: a service loaded by legitimate callers, next to neighbours and then under attack."""

from __future__ import annotations

import multiprocessing
import os
import time
from collections.abc import Callable
from contextlib import ExitStack
from multiprocessing.connection import Connection
from multiprocessing.synchronize import Event
from pathlib import Path
from tempfile import TemporaryDirectory

import uvloop

from campaigns.attacks.arena import Arena, arena
from campaigns.attacks.load import Noticed, load
from campaigns.attacks.processes import MemoryWatch, cpu_seconds, largest, megabytes
from campaigns.attacks.results import Result
from campaigns.attacks.rows import Row
from campaigns.attacks.stage import Attack, Figures, Stage, Target

# Requests before anything is measured.
WARM_UP = 200
# How long an attack may take to begin, and to end.
BEGIN_SECONDS, END_SECONDS = 120, 120
# How long a service has to return memory after an attack.
REST_SECONDS = 5
SPAWN = multiprocessing.get_context("spawn")


def act(attack: Attack, target: Target, under_way: Event, over: Event, results: Connection) -> None:
    """Attack, in a process of its own."""

    async def run() -> Figures:
        return await attack(target, Stage(under_way, over))

    # Legitimate callers share the core, and what delays them should be the service.
    os.nice(19)
    results.send(uvloop.run(run()))


class Neighbour:
    """Context manager: attackers or well-behaved neighbours in another process."""

    def __init__(self, attack: Attack, target: Target) -> None:
        self._under_way, self._over = SPAWN.Event(), SPAWN.Event()
        self._results, self._sends = SPAWN.Pipe(duplex=False)
        arguments = (attack, target, self._under_way, self._over, self._sends)
        self._process = SPAWN.Process(target=act, args=arguments, daemon=True)
        self.figures: Figures = {}

    def __enter__(self) -> Neighbour:
        self._process.start()
        self._sends.close()
        end = time.monotonic() + BEGIN_SECONDS
        while not self._under_way.wait(0.1):
            if not self._process.is_alive() or time.monotonic() > end:
                raise RuntimeError("the attack did not begin")
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        try:
            if not self._results.poll(END_SECONDS):
                raise RuntimeError("the attack did not end")
            self.figures = self._results.recv()
        except EOFError:
            raise RuntimeError("the attack failed") from None
        finally:
            self._process.kill()
            self._process.join()


def measure(row: Row, requests: int, advance: Callable[[], object]) -> Result:
    """Load a service next to well-behaved neighbours, then during the attack."""

    def loaded(ground: Arena, count: int) -> Noticed:
        return uvloop.run(load(ground.client, count, advance))

    with ExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory()))
        ground = stack.enter_context(arena(row.setup, folder))
        loaded(ground, WARM_UP)
        spent = [cpu_seconds(ground.services)]
        with Neighbour(row.neighbours, ground.target):
            polite = loaded(ground, requests)
        spent.append(cpu_seconds(ground.services))
        before = largest(ground.services, "VmRSS")
        with (
            MemoryWatch(ground.services) as memory,
            Neighbour(row.attack, ground.target) as attackers,
        ):
            attacked = loaded(ground, requests)
            spent.append(cpu_seconds(ground.services))
        time.sleep(REST_SECONDS)
        after = largest(ground.services, "VmRSS")
        own = row.own(attackers.figures)
        figure = own.figure
        if ground.proxy:
            figure += f"; proxy {megabytes(ground.proxy, 'VmHWM'):.0f} MB"
    return Result(
        row=row.name,
        requests=attacked.requests,
        share=attacked.share,
        p99=(polite.p99, attacked.p99),
        p99_of_all=(polite.p99_of_all, attacked.p99_of_all),
        megabytes=(before, memory.peak, after),
        cpu=(spent[1] - spent[0], spent[2] - spent[1]),
        figure=figure,
        required=own.required,
        fine=own.fine,
        waived=row.waived,
        failures=dict(attacked.failures.most_common(5)),
    )
