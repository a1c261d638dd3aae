"""Random play of the core compared with OpenSpiel, in one run: `python -m bench.core`.

Ours is the compiled loop over the game's interface, with the GIL released and every legal move
listed before each move. Theirs is OpenSpiel as Python programs drive it: ask for the legal actions,
choose one, apply it. Both sides play whole games in short slices that take turns, each measured in
CPU time, so that a busy machine slows both alike; a ratio is the median over the pairs of slices.
"""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from statistics import median
from typing import Any, Literal

import pyspiel
from rich.console import Console
from rich.progress import Progress
from rich.table import Table
from tablier_core.position import Game
from tablier_core.registry import GAMES
from tablier_core.testing.games import TESTING_GAMES
from tablier_core.testing.playouts import playouts

from bench.record import machine, note

SLICES = 9
SLICE_SECONDS = 0.4


@dataclass(frozen=True)
class Row:
    """One of our games compared with one of theirs."""

    game: Game
    theirs: str  # as pyspiel.load_game reads it
    counted: Literal["moves", "generated"]  # moves played, or legal moves listed on the way
    required: float  # ratio


ROWS = (
    Row(TESTING_GAMES["tic-tac-toe"], "tic_tac_toe", "moves", 50),
    Row(TESTING_GAMES["connect-four"], "connect_four", "moves", 50),
    Row(GAMES["contigo-alignment"], "breakthrough(rows=6,columns=6)", "generated", 50),
    Row(GAMES["contigo-alignment"], "breakthrough(rows=6,columns=6)", "moves", 2),
    Row(GAMES["contigo-capture"], "breakthrough(rows=6,columns=6)", "moves", 2),
    Row(GAMES["contrat500"], "gin_rummy", "moves", 10),
    Row(GAMES["contract"], "hearts", "moves", 10),
    Row(GAMES["contrast"], "goofspiel", "moves", 10),
    Row(GAMES["mafia-de-cuba"], "social_deduction", "moves", 10),
)


@dataclass(frozen=True)
class Result:
    """Rates by pair of slices, per second."""

    row: Row
    ours: list[float]
    theirs: list[float]

    @property
    def ratio(self) -> float:
        return median(a / b for a, b in zip(self.ours, self.theirs, strict=True))


def play_ours(row: Row) -> Callable[[int, int], int]:
    """Plays the given number of games from a seed on, and counts."""
    return lambda seed, games: playouts(row.game, {}, seed, games)[row.counted]


def play_theirs(row: Row) -> Callable[[int, int], int]:
    """The same for OpenSpiel."""
    game = pyspiel.load_game(row.theirs)
    kind = game.get_type()
    plain = (
        kind.dynamics == pyspiel.GameType.Dynamics.SEQUENTIAL
        and kind.chance_mode == pyspiel.GameType.ChanceMode.DETERMINISTIC
    )
    play_one = play_plain if plain else play_any
    listed = row.counted == "generated"

    def play(seed: int, games: int) -> int:
        chance = random.Random(seed)
        return sum(play_one(game.new_initial_state(), chance, listed) for _ in range(games))

    return play


# In both loops the index is drawn as below because random.choice would be slower.


def play_plain(state: Any, chance: random.Random, listed: bool) -> int:
    """A game where one seat moves at a time and nothing else happens: the shortest loop."""
    count = 0
    draw = chance.random
    while not state.is_terminal():
        actions = state.legal_actions()
        state.apply_action(actions[int(draw() * len(actions))])
        count += len(actions) if listed else 1
    return count


def play_any(state: Any, chance: random.Random, listed: bool) -> int:
    """A game with chance, which is not counted, or with moves at the same time."""
    count = 0
    draw = chance.random
    while not state.is_terminal():
        if state.is_chance_node():
            outcomes, weights = zip(*state.chance_outcomes(), strict=True)
            state.apply_action(chance.choices(outcomes, weights)[0])
        elif state.is_simultaneous_node():
            lists = [state.legal_actions(seat) for seat in range(state.num_players())]
            # A seat without a choice is given the null action.
            state.apply_actions([a[int(draw() * len(a))] if a else 0 for a in lists])
            count += sum(len(a) if listed else bool(a) for a in lists)
        else:
            actions = state.legal_actions()
            state.apply_action(actions[int(draw() * len(actions))])
            count += len(actions) if listed else 1
    return count


def rate(play: Callable[[int, int], int], seed: int) -> float:
    """What `play` counts in a second, over a slice: runs of games that double in number."""
    count, games = 0, 1
    start = time.process_time()
    while (spent := time.process_time() - start) < SLICE_SECONDS:
        count += play(seed, games)
        seed += games
        games *= 2
    return count / spent


def measure(row: Row, advance: Callable[[], None]) -> Result:
    """All slices of a row, ours and theirs in turn."""
    ours, theirs = play_ours(row), play_theirs(row)
    result = Result(row, [], [])
    for turn in range(SLICES):
        result.ours.append(rate(ours, turn << 32))
        result.theirs.append(rate(theirs, turn << 32))
        advance()
    return result


def report(results: list[Result]) -> Table:
    """The rates in millions a second, the ratio with its extremes, and what it must be."""
    table = Table(title=f"Random play, in millions a second\n{machine()}")
    for title in ("game", "compared with OpenSpiel's", "counted"):
        table.add_column(title)
    for title in ("Tablier", "OpenSpiel", "ratio", "extremes", "required", ""):
        table.add_column(title, justify="right")
    for result in results:
        row = result.row
        ratios = sorted(a / b for a, b in zip(result.ours, result.theirs, strict=True))
        table.add_row(
            row.game.name,
            row.theirs,
            "moves played" if row.counted == "moves" else "legal moves listed",
            f"{median(result.ours) / 1e6:.2f}",
            f"{median(result.theirs) / 1e6:.3f}",
            f"{result.ratio:.1f}",
            f"{ratios[0]:.1f}-{ratios[-1]:.1f}",
            f"{row.required:g}",
            "ok" if result.ratio >= row.required else "BELOW",
        )
    return table


def main() -> int:
    """Measure, print, and return 0 if every ratio is what it must be."""
    console = Console(width=None if sys.stdout.isatty() else 140)
    with Progress(console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("random play", total=SLICES * len(ROWS))
        results = [measure(row, lambda: progress.advance(task)) for row in ROWS]
    console.print(report(results))
    for result in results:
        ratios = [a / b for a, b in zip(result.ours, result.theirs, strict=True)]
        row = result.row
        note("core", f"{row.game.name}, {row.counted}, to {row.theirs}", ratios, row.required)
    return 0 if all(result.ratio >= result.row.required for result in results) else 1


if __name__ == "__main__":
    sys.exit(main())
