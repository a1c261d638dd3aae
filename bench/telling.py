"""What words and paths cost compared with notations: `python -m bench.telling`.

Each position has about 3,000 sowings. All three are measured in short slices that take turns, in
CPU time, so that a busy machine slows them alike; a ratio is the median over the turns.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from statistics import median

from rich.console import Console
from rich.progress import track
from rich.table import Table
from tablier_core import languages
from tablier_core.position import Position
from tablier_core.registry import GAMES

from bench.record import note

TURNS = 15
REPEATS = 20
HIGHEST = 10.0  # ratio


@dataclass(frozen=True)
class Row:
    """A position, named by its game and its moves; seat 0 begins, and the seed is 0."""

    game: str
    moves: str

    def position(self) -> Position:
        position = GAMES[self.game].start({"first": 0}, 0)
        for move in self.moves.split():
            _, _, position = position.play(None, move, None)
        return position


ROWS = (
    Row(
        "contigo-alignment",
        "e1-c1 11-0.2 e6-c6 9+0.0.4.0 f1-d1 21-0.2 f6-f4 19+1.0.0.3 d1-d3 23+0.1.0.0.4 f4-c4 24+2.0"
        " c1-e1 25+4.0.0.1.0 b1-d1",
    ),
    Row(
        "contigo-capture",
        "b5-b3 6-0.2 e6-e4 4-4.0.0.0 e1-e3 14+0.2 b2-b4 15+2.0 a5-a3 3-0.2.0.0.0.4 f6-d6"
        " 25+0.4.0.2.0.0 e3-c3",
    ),
)


def seconds(work: Callable[[], object]) -> float:
    """The CPU time of one run."""
    begun = time.process_time()
    for _ in range(REPEATS):
        work()
    return (time.process_time() - begun) / REPEATS


def measure(position: Position, language: languages.Language) -> list[tuple[float, float, float]]:
    """The seconds of notations, words and paths, turn by turn."""
    (seat,) = position.actors
    return [
        (
            seconds(lambda: position.notations(seat)),
            seconds(lambda: position.words(seat, language)),
            seconds(lambda: position.paths(seat)),
        )
        for _ in range(TURNS)
    ]


def main() -> int:
    """Print a table; 1 if words and paths together cost too much."""
    table = Table(
        "game", "moves", "language", "notations (µs)", "words (µs)", "paths (µs)", "ratio"
    )
    kept = True
    cases = [(row, tag) for row in ROWS for tag in languages.LANGUAGES]
    for row, tag in track(cases, "Telling", console=Console(stderr=True)):
        position = row.position()
        turns = measure(position, languages.catalogue(tag))
        ratios = [(words + paths) / notations for notations, words, paths in turns]
        note("telling", f"words and paths of {row.game}, {tag}", ratios, HIGHEST, lower=True)
        ratio = median(ratios)
        kept &= ratio <= HIGHEST
        costs = [f"{1e6 * median(part):.0f}" for part in zip(*turns, strict=True)]
        count = str(position.count_moves(position.actors[0]))
        verdict = f"{ratio:.1f} of {HIGHEST:g} {'ok' if ratio <= HIGHEST else 'ABOVE'}"
        table.add_row(row.game, count, tag, *costs, verdict)
    Console().print(table)
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main())
