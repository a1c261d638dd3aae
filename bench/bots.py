"""What a move of a Python bot costs, client and service together: over Connect and over gRPC.

The bot lists the moves of a state, and plays one of them. Both ways take turns in short slices.
"""

from __future__ import annotations

import random
import statistics
import sys
import time
from dataclasses import dataclass, field

from rich.console import Console
from rich.progress import track
from rich.table import Table
from tablier_client import Client

from bench.record import machine, note
from bench.served import Served, served
from bench.transports import cpu_seconds

GAME = "contigo-alignment"
ROUNDS = 15
MOVES = 100
# The most that a move over Connect may cost, compared with one over gRPC.
HIGHEST = 0.8


@dataclass
class Bot:
    """A bot with one way to reach the service, and the CPU seconds of its moves."""

    client: Client
    process: int
    own: list[float] = field(default_factory=list)
    service: list[float] = field(default_factory=list)

    def measure(self) -> None:
        """Play some more moves, always the same."""
        chance = random.Random(1)
        served_before, before = cpu_seconds(self.process), time.process_time()
        state = self.client.start(GAME, seed=1)
        for _ in range(MOVES):
            if state.over:
                state = self.client.start(GAME, seed=1)
            state = state.play(chance.choice(state.moves()))
        self.own.append((time.process_time() - before) / MOVES)
        self.service.append((cpu_seconds(self.process) - served_before) / MOVES)

    @property
    def costs(self) -> list[float]:
        """The CPU seconds of a move, on both sides."""
        return [own + service for own, service in zip(self.own, self.service, strict=True)]


def compare(service: Served) -> tuple[Bot, Bot]:
    """A bot over Connect and one over gRPC, measured in turns."""
    with Client(service.rest) as over_connect, Client(service.grpc) as over_grpc:
        bots = Bot(over_connect, service.process), Bot(over_grpc, service.process)
        for number in track(range(ROUNDS), "Bots", console=Console(stderr=True)):
            for bot in bots if number % 2 else reversed(bots):
                bot.measure()
    return bots


def main() -> int:
    """Print a table; 1 if a move over Connect costs too much."""
    with served() as service:
        connect, grpc = compare(service)
    ratios = [ours / theirs for ours, theirs in zip(connect.costs, grpc.costs, strict=True)]
    note("bots", "a move over Connect, to one over gRPC by CPU", ratios, HIGHEST, lower=True)
    table = Table(title=f"CPU time of a move of a bot, median of {ROUNDS} slices; {machine()}")
    for title in ("over", "client (µs)", "service (µs)", "together (µs)"):
        table.add_column(title, justify="right")
    for name, bot in (("Connect", connect), ("gRPC", grpc)):
        parts = (bot.own, bot.service, bot.costs)
        table.add_row(name, *(f"{1e6 * statistics.median(part):.0f}" for part in parts))
    Console().print(table)
    ratio = statistics.median(ratios)
    print(f"Connect costs {ratio:.2f} of gRPC; at most {HIGHEST:g} is required")
    return 0 if ratio <= HIGHEST else 1


if __name__ == "__main__":
    sys.exit(main())
