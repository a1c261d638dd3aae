"""Free text is read as the move that it says: `make interpret PAIRS=1000000`.

For every game, PAIRS pairs of a position and a legal move are taken from random games of all
variants. The move's notation, its words in every language and both with decorations are read back:
each must give the move, or candidates with the move among them. Then sloppy inputs are read, of
which less than 1% may be unreadable, and none may be read as another move.
"""

from __future__ import annotations

import random
import sys
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor, as_completed

from rich.console import Console
from rich.progress import Progress
from rich.table import Table
from tablier_core.interpretation.reader import Outcome
from tablier_core.registry import GAMES

from tests.core import laws
from tests.core.sloppy import sloppy_inputs
from tests.core.variants import VARIANTS

CHUNK = 4000  # pairs or inputs per step of the progress bar
# At most this many moves of one position, so that there are many positions.
MOVES = 64
SLOPPY = 10_000
MAX_UNREADABLE = 0.01
WRONG = "wrong"


def check_pairs(name: str, seed: int, count: int) -> tuple[int, Counter[str]]:
    """Read back `count` moves; returns the number of positions, and that of each outcome."""
    chance = random.Random(seed)
    outcomes: Counter[str] = Counter()
    pairs = positions = 0
    while pairs < count:
        options = chance.choice(VARIANTS[name])
        for position in laws.walk(GAMES[name], options, chance.getrandbits(60)):
            if position.over or pairs >= count:
                break
            seat = chance.choice(position.actors)
            sampled = min(MOVES, count - pairs, position.count_moves(seat))
            read = laws.check_reading(position, seat, sampled, chance)
            outcomes.update({outcome.value: number for outcome, number in read.items()})
            pairs += sampled
            positions += 1
    return positions, outcomes


def check_sloppy(name: str, seed: int, count: int) -> tuple[int, Counter[str]]:
    """Read sloppy inputs; returns their number, and that of each outcome."""
    outcomes: Counter[str] = Counter()
    for meant, text in sloppy_inputs(GAMES[name], VARIANTS[name], count, seed):
        read = laws.interpret(meant.position, meant.seat, text)
        right = read.outcome is Outcome.NONE or meant.move in read.moves
        outcomes[read.outcome.value if right else WRONG] += 1
    return count, outcomes


def run(
    check: Callable[[str, int, int], tuple[int, Counter[str]]],
    name: str,
    count: int,
    processes: ProcessPoolExecutor,
    progress: Progress,
) -> tuple[int, Counter[str]]:
    """Divide a check among processes, and add up what they return."""
    task = progress.add_task(f"{name}: {check.__name__}", total=count)
    pending = {
        processes.submit(check, name, seed, min(CHUNK, count - seed)): min(CHUNK, count - seed)
        for seed in range(0, count, CHUNK)
    }
    number, outcomes = 0, Counter[str]()
    for done in as_completed(pending):
        some, found = done.result()
        number += some
        outcomes.update(found)
        progress.update(task, advance=pending[done])
    return number, outcomes


def main() -> int:
    """Check all games and print a table; returns the exit status."""
    pairs = int(sys.argv[1])
    names = sys.argv[2:] or list(GAMES)
    table = Table(
        *("game", "pairs", "positions", "texts", "ambiguous"),
        *("sloppy", "unreadable", "ambiguous", "wrong"),
    )
    failed = False
    with ProcessPoolExecutor() as processes, Progress(console=Console(stderr=True)) as progress:
        for name in names:
            positions, read = run(check_pairs, name, pairs, processes, progress)
            sloppy, loose = run(check_sloppy, name, SLOPPY, processes, progress)
            unreadable = loose[Outcome.NONE.value] / sloppy
            failed |= unreadable >= MAX_UNREADABLE or loose[WRONG] > 0
            table.add_row(
                *(name, f"{pairs:,}", f"{positions:,}", f"{read.total():,}"),
                f"{read[Outcome.AMBIGUOUS.value] / read.total():.4%}",
                *(f"{sloppy:,}", f"{unreadable:.3%}"),
                *(f"{loose[Outcome.AMBIGUOUS.value] / sloppy:.2%}", str(loose[WRONG])),
            )
    Console(width=120).print(table)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
