"""Near wins and losses in advice on Contigo alignment: `make tactics POSITIONS=1000`.

Positions are drawn from random play and judged by plain enumeration (`testing.tactics`). Advice is
at full strength; for a win in two turns it may take a second, and how long it took is told.
"""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Iterator
from statistics import median

from rich.console import Console
from rich.progress import Progress
from rich.table import Table
from tablier_core.advice import Report, advise
from tablier_core.games.contigo_alignment import GAME
from tablier_core.position import Position
from tablier_core.testing.tactics import can_force, forcing_moves

VARIANTS: list[dict[str, object]] = [{}, {"advanced": True}]
BRIEF = 0.02  # seconds for what must be seen at once
LONG = 1.0  # and for wins in two turns
SKIPPED = 0.85  # of the positions of a game: neighbours are too much alike


class Tally:
    """How often what was asked for was found, and the CPU time in milliseconds that it took."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self.found = 0
        self.milliseconds: list[float] = []

    def add(self, found: bool, milliseconds: float) -> None:
        """Count one position."""
        self.found += found
        self.milliseconds.append(milliseconds)

    def row(self) -> tuple[str, ...]:
        """The cells of a table."""
        count = len(self.milliseconds)
        if not count:
            return ("none", "", "", "")
        return (
            f"{self.found} of {count}",
            f"{100 * self.found / count:.1f}%",
            f"{median(self.milliseconds):.1f}",
            f"{max(self.milliseconds):.1f}",
        )


def positions(options: dict[str, object], seed: int) -> Iterator[Position]:
    """Positions of random games, without end."""
    rng = random.Random(seed)
    while True:
        position = GAME.start(options, rng.getrandbits(32))
        while not position.over:
            if rng.random() > SKIPPED:
                yield position
            seat = position.actors[0]
            position = position.apply(seat, rng.choice(position.moves(seat)))


def ask(position: Position, seconds: float) -> tuple[Report, float]:
    """Advice, and how many milliseconds of CPU it took."""
    begun = time.thread_time()
    report = advise(position, position.actors[0], seconds=seconds)
    return report, 1000 * (time.thread_time() - begun)


def examine(position: Position, tallies: dict[str, Tally]) -> None:
    """Put a position in its class, ask for advice, and judge it."""
    seat = position.actors[0]
    phase = position.phase
    if phase == "pawn" and can_force(position, seat, 1):
        report, spent = ask(position, BRIEF)
        won = position.apply(seat, report.suggestions[0].action)
        tallies["win in one"].add(won.over and won.returns[seat] == 1, spent)
        return
    own_moves = 3 if phase == "pawn" else 2
    if can_force(position, seat, own_moves):
        report, spent = ask(position, LONG)
        after = position.apply(seat, report.suggestions[0].action)
        tallies[f"win in two turns, {phase}"].add(can_force(after, seat, own_moves - 1), spent)
        return
    losing = forcing_moves(position, 1 - seat, 1)
    if 0 < len(losing) < len(position.moves(seat)):
        report, spent = ask(position, BRIEF)
        tallies[f"loss to prevent, {phase}"].add(report.suggestions[0].action not in losing, spent)


def main() -> None:
    """Examine so many positions of each variant and print the tables; fail on a promise broken."""
    count = int(sys.argv[1])
    console = Console()
    kept = True
    for options in VARIANTS:
        tallies = {
            what: Tally()
            for what in (
                "win in one",
                "win in two turns, pawn",
                "win in two turns, sow",
                "loss to prevent, pawn",
                "loss to prevent, sow",
            )
        }
        with Progress(console=Console(stderr=True)) as progress:
            task = progress.add_task(str(options), total=count)
            for _, position in zip(range(count), positions(options, 41), strict=False):
                examine(position, tallies)
                progress.advance(task)
        table = Table(title=f"{GAME.title} {options}: {count} positions of random play")
        for heading in ("", "found", "", "CPU ms, median", "most"):
            table.add_column(heading, justify="left" if not table.columns else "right")
        for what, tally in tallies.items():
            table.add_row(what, *tally.row())
            least = 0.9 if "two turns" in what else 1.0
            kept = kept and tally.found >= least * len(tally.milliseconds)
        console.print(table)
    sys.exit(0 if kept else 1)


if __name__ == "__main__":
    main()
