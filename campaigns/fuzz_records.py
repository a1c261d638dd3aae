"""Mutated game records cause only typed errors: `make fuzz-records RECORDS=100000`.

Half of the records are random texts of the format, which are read and written. The others are
records of real games, which the service also replays.
"""

from __future__ import annotations

import random
import sys
from concurrent.futures import ProcessPoolExecutor
from contextlib import closing

from tablier_client.records import write_record
from tablier_core.registry import GAMES

from tests.clients.mutated_records import check_reading, mutate, random_record
from tests.service.assembly import asking, assemble
from tests.service.calls.replayed_records import annotated, check_replay, replay_request

CHUNK = 5000


def check(seed: int, count: int) -> tuple[int, int]:
    """Check `count` records; returns how many could be read, and how many could be replayed."""
    chance = random.Random(seed)
    with closing(assemble()) as service:
        ask = asking(service)
        invented = [write_record(random_record(chance)) for _ in range(200)]
        played = [
            annotated(ask(replay_request(game, seed + number, limit=12)).record, seed)
            for game in GAMES.values()
            for number in range(3)
        ]
        read = replayed = 0
        for number in range(count):
            text = mutate(chance.choice(played if number % 2 else invented), chance)
            read += check_reading(text)
            if number % 2 and isinstance(text, str):
                replayed += check_replay(ask, text)
    return read, replayed


def main() -> None:
    """Check on all cores and print the numbers."""
    count = int(sys.argv[1])
    chunks = [(seed, min(CHUNK, count - seed)) for seed in range(0, count, CHUNK)]
    with ProcessPoolExecutor() as processes:
        pending = [processes.submit(check, seed, number) for seed, number in chunks]
        results = [each.result() for each in pending]
    read, replayed = (sum(numbers) for numbers in zip(*results, strict=True))
    sys.stdout.write(
        f"{count:,} mutated records: {read:,} read and written with the same bytes, {replayed:,} "
        f"replayed; all others got a typed error\n"
    )


if __name__ == "__main__":
    main()
