"""Free text is read as the move that it says: `make interpret PAIRS=1000000`.

For every game, PAIRS pairs of a position and a legal move are taken from random games of all
variants. The move's notation, its words in every language and both with decorations are read back:
each must give the move, or candidates with the move among them. Then sloppy inputs are read, of
which less than 1% may be unreadable, and none may be read as another move. So may no notation of a
move that is legal elsewhere but not in the position, in any decoration.

What was read is kept in build/interpretation, so that a run that was interrupted goes on; changed
sources are read from the beginning.
"""

from __future__ import annotations

import json
import random
import sys
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor, as_completed
from hashlib import sha256
from pathlib import Path
from typing import TypeAlias

from rich.console import Console
from rich.progress import Progress
from rich.table import Table
from tablier_core.interpretation.reader import Outcome
from tablier_core.registry import GAMES

from tests.core import laws
from tests.core.sloppy import sloppy_inputs
from tests.core.variants import VARIANTS
from tests.live_server import ROOT

CHUNK = 4000  # pairs or inputs per step of the progress bar
# At most this many moves of one position, so that there are many positions.
MOVES = 64
SLOPPY = 10_000
ILLEGAL = 10_000
# So many illegal moves are read in one position.
ELSEWHERE = 16
MAX_UNREADABLE = 0.01
WRONG = "wrong"
FOLDER = ROOT / "build" / "interpretation"
# What decides how a text is read, and which texts are read.
SOURCES = (
    *("core_ext/tablier_core/**/*.py", "core_ext/tablier_core/**/*.pyx"),
    *("core_ext/tablier_core/**/*.pxd", "core_ext/tablier_core/**/*.po", "tests/core/*.py"),
)

# The number of positions or inputs, and that of each outcome.
Found: TypeAlias = tuple[int, Counter[str]]
Check: TypeAlias = Callable[[str, int, int], Found]


class Chunks:
    """What was found in chunks that were read before, in a file that belongs to the sources."""

    def __init__(self) -> None:
        digest = sha256()
        for pattern in SOURCES:
            for path in sorted(ROOT.glob(pattern)):
                digest.update(path.read_bytes())
        self._file: Path = FOLDER / f"{digest.hexdigest()[:16]}.jsonl"
        self._found: dict[str, Found] = {}
        if self._file.exists():
            for line in self._file.read_text().splitlines():
                chunk, number, outcomes = json.loads(line)
                self._found[chunk] = number, Counter(outcomes)

    def find(self, chunk: str) -> Found | None:
        """What was found in a chunk, if it was read."""
        return self._found.get(chunk)

    def add(self, chunk: str, found: Found) -> None:
        """Keep what was found in a chunk."""
        self._file.parent.mkdir(parents=True, exist_ok=True)
        with self._file.open("a") as lines:
            lines.write(json.dumps([chunk, *found]) + "\n")


def check_pairs(name: str, seed: int, count: int) -> Found:
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


def check_sloppy(name: str, seed: int, count: int) -> Found:
    """Read sloppy inputs; returns their number, and that of each outcome."""
    outcomes: Counter[str] = Counter()
    for meant, text in sloppy_inputs(GAMES[name], VARIANTS[name], count, seed):
        read = laws.interpret(meant.position, meant.seat, text)
        right = read.outcome is Outcome.NONE or meant.move in read.moves
        outcomes[read.outcome.value if right else WRONG] += 1
    return count, outcomes


def check_illegal(name: str, seed: int, count: int) -> Found:
    """Read the notations of illegal moves; returns how many, and the number of each outcome."""
    chance = random.Random(seed)
    outcomes: Counter[str] = Counter()
    illegal = 0
    while illegal < count:
        options = chance.choice(VARIANTS[name])
        steps = list(laws.play(GAMES[name], options, chance.getrandbits(60)))
        played = sorted({step.action for step in steps})
        for position in laws.walk(GAMES[name], options, chance.getrandbits(60)):
            if position.over or illegal >= count:
                break
            seat = chance.choice(position.actors)
            elsewhere = [move for move in played if not position.is_legal(seat, move)]
            elsewhere = chance.sample(elsewhere, min(ELSEWHERE, len(elsewhere), count - illegal))
            read = laws.check_reading_of_illegal(position, seat, elsewhere, chance)
            outcomes.update({outcome.value: number for outcome, number in read.items()})
            illegal += len(elsewhere)
    return illegal, outcomes


def run(
    check: Check,
    name: str,
    count: int,
    processes: ProcessPoolExecutor,
    progress: Progress,
    chunks: Chunks,
) -> Found:
    """Divide a check among processes, and add up what they return."""
    task = progress.add_task(f"{name}: {check.__name__}", total=count)
    number, outcomes = 0, Counter[str]()

    def note(found: Found, size: int) -> None:
        nonlocal number
        number += found[0]
        outcomes.update(found[1])
        progress.update(task, advance=size)

    pending = {}
    for seed in range(0, count, CHUNK):
        size = min(CHUNK, count - seed)
        chunk = f"{name} {check.__name__} {seed} {size}"
        known = chunks.find(chunk)
        if known is None:
            pending[processes.submit(check, name, seed, size)] = chunk, size
        else:
            note(known, size)
    for done in as_completed(pending):
        chunk, size = pending[done]
        chunks.add(chunk, done.result())
        note(done.result(), size)
    return number, outcomes


def main() -> int:
    """Check all games and print a table; returns the exit status."""
    pairs = int(sys.argv[1])
    names = sys.argv[2:] or list(GAMES)
    table = Table(
        *("game", "pairs", "positions", "texts", "ambiguous"),
        *("sloppy", "unreadable", "ambiguous", "wrong", "illegal", "texts"),
    )
    failed = False
    chunks = Chunks()
    with ProcessPoolExecutor() as processes, Progress(console=Console(stderr=True)) as progress:
        for name in names:
            positions, read = run(check_pairs, name, pairs, processes, progress, chunks)
            sloppy, loose = run(check_sloppy, name, SLOPPY, processes, progress, chunks)
            illegal, refused = run(check_illegal, name, ILLEGAL, processes, progress, chunks)
            unreadable = loose[Outcome.NONE.value] / sloppy
            failed |= unreadable >= MAX_UNREADABLE or loose[WRONG] > 0
            table.add_row(
                *(name, f"{pairs:,}", f"{positions:,}", f"{read.total():,}"),
                f"{read[Outcome.AMBIGUOUS.value] / read.total():.4%}",
                *(f"{sloppy:,}", f"{unreadable:.3%}"),
                *(f"{loose[Outcome.AMBIGUOUS.value] / sloppy:.2%}", str(loose[WRONG])),
                *(f"{illegal:,}", f"{refused.total():,}"),
            )
    Console(width=120).print(table)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
