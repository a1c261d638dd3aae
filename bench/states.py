"""How large states are, and what packing and unpacking cost: `python -m bench.states`."""

from __future__ import annotations

import random
import sys
import time

from rich.console import Console
from rich.progress import track
from rich.table import Table
from tablier_core.position import Game, Position
from tablier_core.registry import GAMES

from bench.record import note

LARGEST = 2048  # bytes
SLOWEST = 5.0  # microseconds
GAMES_EACH = 20
REPEATS = 200


def positions(game: Game, seats: int) -> list[Position]:
    """The positions of random games with a number of seats."""
    options = {"seats": seats} if "seats" in game.options.properties else {}
    found = []
    for seed in range(GAMES_EACH):
        chance = random.Random(seed)
        position = game.start(options, seed)
        while not position.over and position.ply < 400:
            found.append(position)
            seat = chance.choice(position.actors)
            position = position.apply(seat, chance.choice(position.moves(seat)))
    return found


def microseconds(game: Game, sample: list[Position]) -> float:
    """The time of one pack and one unpack, the best of a few rounds."""
    best = float("inf")
    for _ in range(5):
        begun = time.perf_counter()
        for position in sample:
            game.unpack(position.pack())
        best = min(best, (time.perf_counter() - begun) / len(sample))
    return best * 1e6


def main() -> int:
    """Print a table; 1 if a game is above a limit."""
    table = Table("game", "seats", "largest state (bytes)", "pack + unpack (µs)", "limits kept")
    kept = True
    for game in track(GAMES.values(), "States", console=Console(stderr=True)):
        for seats in sorted({game.min_seats, game.max_seats}):
            found = positions(game, seats)
            size = max(len(position.pack()) for position in found)
            cost = microseconds(game, random.Random(1).sample(found, min(REPEATS, len(found))))
            fine = size <= LARGEST and cost < SLOWEST
            name = f"{game.name}, {seats} seats: pack + unpack, µs"
            note("states", name, [cost], SLOWEST, lower=True)
            kept &= fine
            table.add_row(game.name, str(seats), f"{size}", f"{cost:.2f}", "yes" if fine else "NO")
    Console().print(table)
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main())
