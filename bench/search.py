"""How fast the search is, and how punctual: `python -m bench.search [CALLS]`.

The search is compared with OpenSpiel's C++ searches, on the same games and with uniformly random
play-outs on both sides, and with play-outs without a tree (see `Treeless`), which shows what the
tree costs. Both sides take turns in short slices of CPU time, and a ratio is the median over the
pairs of slices. Then CALLS searches (by default 100) of 100 milliseconds each show by how much they
overshoot, and as many cancelled searches how long they go on.
"""

from __future__ import annotations

import random
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from statistics import mean, median, quantiles

import pyspiel
from rich.console import Console
from rich.progress import Progress
from rich.table import Table
from tablier_core.advice import Cancel, advise
from tablier_core.position import Position
from tablier_core.registry import GAMES
from tablier_core.testing.engines import engage
from tablier_core.testing.games import TESTING_GAMES
from tablier_core.testing.treeless import Treeless

from bench.record import machine, note

SLICES = 15
SLICE_SECONDS = 0.15
BUDGET_SECONDS = 0.1
LATEST_SECONDS = 0.005  # overshoot of the slowest hundredth
AFTER_CANCEL_SECONDS = 0.05
TREELESS = 0.7  # of the rate without a tree
DEFAULT_CALLS = 100
# What a budget of 100 milliseconds comes to, more or less.
USUAL_ITERATIONS = 10_000

Rate = Callable[[], float]


@dataclass(frozen=True)
class Row:
    """One measurement: two rates, in runs per second."""

    what: str
    baseline: str
    ours: Rate
    theirs: Rate
    required: float


def timed(run: Callable[[int], object], first: int) -> float:
    """Runs a second: `run` makes a number of them, which is doubled until a slice is full."""
    count = first
    while True:
        begun = time.process_time()
        run(count)
        spent = time.process_time() - begun
        if spent > SLICE_SECONDS / 2:
            return count / spent
        count *= 2


def searched(position: Position, most: int = 10**9) -> Rate:
    """Our search of a position, in searches of at most this many iterations."""
    seat = position.actors[0]

    def run(count: int) -> None:
        for made in range(0, count, most):
            advise(position, seat, iterations=min(most, count - made), seed=made)

    return lambda: timed(run, 256)


def mcts(name: str) -> Rate:
    """OpenSpiel's tree search of a game from its beginning."""
    game = pyspiel.load_game(name)

    def run(count: int) -> None:
        evaluator = pyspiel.RandomRolloutEvaluator(1, 1)
        # Without its solver: that ends the search early, and we count simulations.
        bot = pyspiel.MCTSBot(game, evaluator, 1.4, count, 4000, False, 1, False)
        bot.mcts_search(game.new_initial_state())

    return lambda: timed(run, 256)


def ismcts(name: str) -> Rate:
    """OpenSpiel's information-set search of a game, from the first deal."""
    state = pyspiel.load_game(name).new_initial_state()
    while state.is_chance_node():
        state.apply_action(state.legal_actions()[0])

    def run(count: int) -> None:
        pyspiel.ISMCTSBot(1, pyspiel.RandomRolloutEvaluator(1, 1), 1.4, count).step(state)

    return lambda: timed(run, 256)


def treeless(position: Position) -> Rate:
    """What our search of a position does, without its tree: see `Treeless`."""
    search = Treeless(position, position.actors[0])
    depths = search.depths(USUAL_ITERATIONS)

    def run(count: int) -> None:
        for made in range(0, count, USUAL_ITERATIONS):
            search.play(depths[: count - made])

    return lambda: timed(run, 256)


def middle_of(name: str) -> Position:
    """A position some moves into a random game, without the game's own engine: that of a tree."""
    game = engage(GAMES[name], "no opinion", {})
    chance = random.Random(1)
    position = game.start({}, 1)
    for _ in range(12):
        seat = chance.choice(position.actors)
        position = position.apply(seat, chance.choice(position.moves(seat)))
    return position


def rows() -> list[Row]:
    """All comparisons, one after the other: there is one game without its engine at a time."""
    ours = {name: game.start({}, 1) for name, game in TESTING_GAMES.items()}
    return [
        Row(
            f"search of {name}",
            f"OpenSpiel's {kind.__name__}",
            searched(ours[name]),
            kind(theirs),
            required,
        )
        for name, kind, theirs, required in (
            ("tic-tac-toe", mcts, "tic_tac_toe", 3.0),
            ("connect-four", mcts, "connect_four", 3.0),
            ("kuhn-poker", ismcts, "kuhn_poker", 1.0),
        )
    ]


def tree_row(name: str) -> Row:
    """The search of a registered game compared with play-outs of its policy."""
    position = middle_of(name)
    ours = searched(position, USUAL_ITERATIONS)
    return Row(f"search of {name}", "its play-outs", ours, treeless(position), TREELESS)


def measure(row: Row, table: Table) -> bool:
    """Measure a row, add it to the table, and say whether it is as required."""
    pairs = [(row.ours(), row.theirs()) for _ in range(SLICES)]
    ratios = sorted(ours / theirs for ours, theirs in pairs)
    ratio = median(ratios)
    note("search", f"{row.what}, to {row.baseline}", ratios, row.required)
    table.add_row(
        row.what,
        row.baseline,
        f"{median(ours for ours, _ in pairs):,.0f}",
        f"{median(theirs for _, theirs in pairs):,.0f}",
        f"{ratio:.2f}",
        f"{ratios[0]:.2f}-{ratios[-1]:.2f}",
        f"{row.required:g}",
        "ok" if ratio >= row.required else "BELOW",
    )
    return ratio >= row.required


def starts(calls: int) -> list[Position]:
    """Positions to search, from all games in turn."""
    games = list(GAMES.values())
    return [games[number % len(games)].start({}, number) for number in range(calls)]


def overshoot(position: Position) -> float | None:
    """Seconds that a search takes beyond its budget; None if it had no use for all of it."""
    begun = time.perf_counter()
    report = advise(position, position.actors[0], seconds=BUDGET_SECONDS)
    late = time.perf_counter() - begun - BUDGET_SECONDS
    return late if report.stopped == "time" else None


def after_cancel(position: Position) -> float:
    """Seconds of CPU time that are spent between a cancel and the end of the search's thread."""
    cancel = Cancel()
    thread = threading.Thread(
        target=lambda: advise(position, position.actors[0], seconds=600, cancel=cancel)
    )
    thread.start()
    time.sleep(BUDGET_SECONDS / 2)
    begun = time.process_time()
    cancel.set()
    thread.join()
    return time.process_time() - begun


def punctuality(table: Table, what: str, seconds: list[float], part: int, limit: float) -> bool:
    """Add a row on times, of which the given hundredth may not be above the limit."""
    hundredths = [*quantiles(seconds, n=100, method="inclusive"), max(seconds)]
    decisive = hundredths[part - 1]
    note("search", f"{what}, ms", [decisive * 1000], limit * 1000, lower=True)
    table.add_row(
        what,
        f"{len(seconds):,}",
        f"{mean(seconds) * 1000:.2f}",
        f"{hundredths[98] * 1000:.2f}",
        f"{max(seconds) * 1000:.2f}",
        f"{'p99' if part < 100 else 'worst'} {limit * 1000:g}",
        "ok" if decisive <= limit else "ABOVE",
    )
    return decisive <= limit


def main() -> int:
    """Measure, print, and return 0 if everything is as required."""
    calls = int(sys.argv[1]) if len(sys.argv) > 1 and sys.argv[1].isdigit() else DEFAULT_CALLS
    speed = Table(title=f"Searches, in iterations a second of CPU time\n{machine()}")
    for title in ("search", "compared with"):
        speed.add_column(title)
    for title in ("Tablier", "the other", "ratio", "extremes", "required", ""):
        speed.add_column(title, justify="right")
    times = Table(title="Punctuality, in milliseconds")
    times.add_column("what")
    for title in ("calls", "mean", "p99", "worst", "required", ""):
        times.add_column(title, justify="right")
    kept = True
    with Progress(console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("searches", total=3 + len(GAMES) + 2 * calls)
        for row in rows():
            kept &= measure(row, speed)
            progress.advance(task)
        for name in GAMES:
            kept &= measure(tree_row(name), speed)
            progress.advance(task)
        late, gone_on = [], []
        for position in starts(calls):
            seconds = overshoot(position)
            if seconds is not None:
                late.append(seconds)
            gone_on.append(after_cancel(position))
            progress.advance(task, 2)
    kept &= punctuality(times, "overshoot of a 100 ms budget", late, 99, LATEST_SECONDS)
    kept &= punctuality(times, "CPU after a cancel", gone_on, 100, AFTER_CANCEL_SECONDS)
    console = Console(width=None if sys.stdout.isatty() else 140)
    console.print(speed)
    console.print(times)
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main())
