"""A generator of load: a process that sends requests when they are due, not when it is answered.

A closed loop, in which every caller waits for its answer, slows down with the service and hides how
long other callers would have waited. Here, a request is due at a moment of a schedule, and its
latency counts from that moment, whether or not the generator or the service was ready for it.
"""

from __future__ import annotations

import asyncio
import gc
import multiprocessing
import time
from collections.abc import Iterator
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import NamedTuple

import uvloop

from campaigns.attacks.processes import CLIENTS, on_core
from loadtests.answers import Oracle
from loadtests.arrivals import Schedule
from loadtests.outcomes import DUPLICATED, GOOD, LATE, Notes, Tally
from loadtests.requests import Source, scenario
from loadtests.transports import (
    STREAMS,
    TIMEOUT_SECONDS,
    Address,
    Grpc,
    Prepared,
    Rest,
    Transport,
    prepare,
)

# A generator that is later than this skips the request, so that it can catch up.
SKIP_SECONDS = 1.0
MAX_IN_FLIGHT = 2000
# How long a generator prepares requests, once it has the fewest that it needs.
PREPARE_SECONDS = 4.0
FEWEST = 50
# How many requests may be sent in a row before answers are read.
BURST = 8
# How long before a phase the generators hear of it.
HEAD_START_SECONDS = 0.2
SPAWN = multiprocessing.get_context("spawn")


class Plan(NamedTuple):
    """What a generator sends, and where."""

    address: Address
    scenario: str
    transports: tuple[str, ...] = ("grpc", "rest")
    # The keys of a service that seals its tokens, as in its settings.
    seal_keys: str = ""
    # How many different requests are prepared; they are sent again and again.
    requests: int = 2000
    seed: int = 1


@dataclass(frozen=True)
class Phase:
    """A part of a run with a schedule of its own."""

    schedule: Schedule
    # One answer in so many is compared with the right one.
    every: int = 1
    # An answer that takes longer is late.
    late_seconds: float = 1.0
    window_seconds: float = 1.0
    # The moment of the system's monotonic clock at which it starts.
    begin: float = 0.0


def prepared(plan: Plan, number: int) -> list[Prepared]:
    """The requests of one generator, with their right answers."""
    oracle = Oracle(plan.seal_keys)
    requests = scenario(plan.scenario)(Source(oracle.tokens, plan.seed * 1000 + number))
    end = time.monotonic() + PREPARE_SECONDS
    found: list[Prepared] = []
    # Costly requests are prepared in smaller numbers.
    while len(found) < FEWEST or (len(found) < plan.requests and time.monotonic() < end):
        found.append(prepare(next(requests), oracle))
    oracle.close()
    return found


def opened(plan: Plan, generators: int) -> list[Transport]:
    """The transports of one generator."""
    found: list[Transport] = []
    for name in plan.transports:
        if name == "grpc":
            found.append(Grpc(plan.address, max(1, STREAMS // generators)))
        else:
            found.append(Rest(plan.address))
    return found


class Driver:
    """Sends prepared requests on a schedule."""

    def __init__(self, requests: list[Prepared], transports: list[Transport]) -> None:
        self._queue = self._endless(requests, transports)
        self._transports = transports

    @staticmethod
    def _endless(
        requests: list[Prepared], transports: list[Transport]
    ) -> Iterator[tuple[Prepared, Transport]]:
        """Every request, through the transports in turn; what one cannot carry goes by the next."""
        number = 0
        while True:
            for request in requests:
                ways = [each for each in transports if each.carries(request)]
                if ways:
                    yield request, ways[number % len(ways)]
                number += 1
            # Another order of the transports, if their number divides that of the requests.
            number += 1

    async def run(self, phase: Phase) -> Notes:
        """Send every request of a phase that is due, and wait for the answers."""
        notes = Notes(phase.window_seconds)
        under_way: set[asyncio.Task[None]] = set()
        in_a_row = 0
        for number, due in enumerate(phase.schedule.arrivals()):
            late = time.monotonic() - phase.begin - due
            if late < 0 or in_a_row >= BURST:
                await asyncio.sleep(max(0.0, -late))
                in_a_row = 0
                late = time.monotonic() - phase.begin - due
            in_a_row += 1
            notes.offered[int(due / phase.window_seconds)] += 1
            notes.lags.append(max(0, int(late * 1e6)))
            if late > SKIP_SECONDS or len(under_way) >= MAX_IN_FLIGHT:
                notes.skipped += 1
                continue
            request, transport = next(self._queue)
            check = number % phase.every == 0
            task = asyncio.ensure_future(self._ask(request, transport, due, check, phase, notes))
            under_way.add(task)
            task.add_done_callback(under_way.discard)
        if under_way:
            await asyncio.wait(under_way, timeout=TIMEOUT_SECONDS + SKIP_SECONDS)
        for transport in self._transports:
            for call, count in transport.duplicates().items():
                if count:
                    notes.outcomes[f"{transport.name} {call}", DUPLICATED, 0] += count
        return notes

    async def _ask(
        self,
        request: Prepared,
        transport: Transport,
        due: float,
        check: bool,
        phase: Phase,
        notes: Notes,
    ) -> None:
        outcome = await transport.ask(request, check)
        seconds = time.monotonic() - phase.begin - due
        if outcome == GOOD and seconds > phase.late_seconds:
            outcome = LATE
        notes.checked += check
        notes.add(f"{transport.name} {request.call}", due, seconds, outcome)


async def generate(plan: Plan, number: int, generators: int, parent: Connection) -> None:
    """Run the phases that the parent asks for, until it asks for none."""
    driver = Driver(prepared(plan, number), transports := opened(plan, generators))
    # The collector would otherwise stop the generator to look at all requests.
    gc.collect()
    gc.freeze()
    gc.disable()
    parent.send(None)
    while (phase := await asyncio.to_thread(parent.recv)) is not None:
        before = time.process_time()
        notes = await driver.run(phase)
        cores = (time.process_time() - before) / max(time.monotonic() - phase.begin, 1e-9)
        parent.send(Tally.of(notes, phase.schedule.seconds, cores))
        gc.collect()
    for transport in transports:
        await transport.close()


def work(plan: Plan, number: int, generators: int, parent: Connection) -> None:
    """Be a generator, in a process of its own."""
    uvloop.run(generate(plan, number, generators, parent))


class Generators:
    """Context manager: several generators, whose results are merged."""

    def __init__(self, plan: Plan, count: int = 1) -> None:
        self._pipes: list[Connection] = []
        self._processes = []
        for number in range(count):
            ours, theirs = SPAWN.Pipe()
            arguments = (plan, number, count, theirs)
            self._processes.append(SPAWN.Process(target=work, args=arguments, daemon=True))
            self._pipes.append(ours)

    def __enter__(self) -> Generators:
        with on_core(CLIENTS):
            for process in self._processes:
                process.start()
        for pipe in self._pipes:
            pipe.recv()
        return self

    def __exit__(self, *_: object) -> None:
        for pipe, process in zip(self._pipes, self._processes, strict=True):
            if process.is_alive():
                pipe.send(None)
            process.join(TIMEOUT_SECONDS)
            process.kill()

    @property
    def processes(self) -> list[int]:
        """The processes."""
        return [process.pid for process in self._processes if process.pid is not None]

    def run(self, phase: Phase) -> Tally:
        """Run a phase in all generators at once; raises EOFError if one of them ends."""
        begin = time.monotonic() + HEAD_START_SECONDS
        count = len(self._pipes)
        for number, pipe in enumerate(self._pipes):
            schedule = phase.schedule._replace(number=number, generators=count)
            pipe.send(Phase(schedule, phase.every, phase.late_seconds, phase.window_seconds, begin))
        first, *others = [self._receive(pipe) for pipe in self._pipes]
        for other in others:
            first.add(other)
        return first

    def _receive(self, pipe: Connection) -> Tally:
        tally = pipe.recv()
        assert isinstance(tally, Tally)
        return tally
