"""Whether this build's engine is stronger than another's: `make sprt OLD=path GAME=contract`.

Both checkouts must be built. For each deal, the old engine first plays all seats; then the new one
takes each seat in turn. What it wins more than the old one did there is the deal's figure. A
sequential test (SPRT) ends as soon as it is clear enough that the new engine is stronger, or that
it is not: both with 5% of errors. Both engines have the same milliseconds per move.

Games are kept in build/sprt, and a run goes on from them.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import count
from math import log
from pathlib import Path
from random import Random
from statistics import fmean, variance
from typing import Any

import click
from rich.console import Console
from tablier_cli.matches.games import seats_of
from tablier_cli.matches.players import AdvisorPlayer, Budget
from tablier_cli.matches.pools import cores
from tablier_core.position import Position
from tablier_core.registry import GAMES

from bench.builds import environment
from bench.record import machine
from campaigns.exploit import OPTIONS
from campaigns.kept import BUILD, ENGINE, Kept, Workers, answer_all, fingerprint_of
from campaigns.strength_targets import mean_interval

# The chance of either error.
ERROR = 0.05
# The hypotheses: the mean return is the same, or larger by this (5 of 100 points of wins are 0.1).
LARGER = 0.05
# A variance needs some deals; less than this is that of luck.
FEWEST_DEALS, LEAST_VARIANCE = 16, 1e-3
# Answers a line of JSON per move; a program of its own, because the other build may not have it.
OTHER = """
import json, sys
from tablier_core.advice import advise
from tablier_core.registry import GAMES
for line in sys.stdin:
    game, state, ply, seat, milliseconds, seed = json.loads(line)
    position = GAMES[game].unpack(bytes.fromhex(state), ply)
    report = advise(position, seat, seconds=milliseconds / 1000, seed=seed)
    print(report.suggestions[0].action, flush=True)
"""


@dataclass(frozen=True)
class Question:
    """A deal with the new engine at one seat, or at none (-1), and the old one elsewhere."""

    game: str
    old: str
    # A hash of the sources of the old engine.
    version: str
    deal: int
    seat: int
    milliseconds: int


@cache
def other_build(checkout: str) -> subprocess.Popen[str]:
    """A process with the engine of another checkout; it ends with this one."""
    return subprocess.Popen(
        [sys.executable, "-c", OTHER],
        cwd=checkout,
        env=environment(Path(checkout)),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def ask_other(checkout: str, position: Position, seat: int, milliseconds: int, seed: int) -> int:
    """The move of the other build's engine, given the view of the seat."""
    process = other_build(checkout)
    assert process.stdin is not None
    assert process.stdout is not None
    packed = position.pack().hex()
    asked = [position.game.name, packed, position.ply, seat, milliseconds, seed]
    process.stdin.write(json.dumps(asked) + "\n")
    process.stdin.flush()
    answer = process.stdout.readline()
    if not answer:
        raise RuntimeError(f"the engine of {checkout} ended: is the checkout built?")
    return int(answer)


def play(question: Question) -> list[float]:
    """Play a game, and return the returns of all seats."""
    chance = Random(question.deal)
    budget = Budget(milliseconds=question.milliseconds)
    new = AdvisorPlayer(0, budget)
    position = GAMES[question.game].start(OPTIONS[question.game], question.deal)
    while actors := position.actors:
        seat = chance.choice(actors)
        view = position.view_of(seat)
        if seat == question.seat:
            move = new(view, seat, chance)
        else:
            seed = chance.getrandbits(64)
            move = ask_other(question.old, view, seat, question.milliseconds, seed)
        position = position.apply(seat, move)
    return list(position.returns)


def likelihood_ratio(figures: Sequence[float]) -> float:
    """The logarithm of how much likelier these figures are if the new engine is stronger."""
    if len(figures) < FEWEST_DEALS:
        return 0.0
    spread = max(variance(figures), LEAST_VARIANCE)
    return len(figures) * LARGER * (fmean(figures) - LARGER / 2) / spread


def verdict_of(ratio: float) -> str:
    """What a likelihood ratio decides."""
    bound = log((1 - ERROR) / ERROR)
    return "stronger" if ratio >= bound else "not stronger" if ratio <= -bound else ""


def figure_of(games: dict[int, Any], seats: int) -> float:
    """What the new engine wins more than the old one in a deal, over all seats."""
    return fmean(games[seat][seat] - games[-1][seat] for seat in range(seats))


@click.command()
@click.argument("game", type=click.Choice(list(OPTIONS)))
@click.option("--old", type=click.Path(exists=True, file_okay=False), required=True)
@click.option("--ms", type=click.IntRange(1), default=50, show_default=True, help="Per move.")
@click.option("--deals", type=click.IntRange(1), default=2000, show_default=True, help="At most.")
@click.option("--processes", type=click.IntRange(1), help="Parallel games.  [default: all cores]")
def main(game: str, old: str, ms: int, deals: int, processes: int | None) -> None:
    """Compare the engine of this build with that of another one."""
    checkout = Path(old).resolve()
    version = fingerprint_of(checkout, *ENGINE)
    kept = Kept(BUILD / "sprt" / f"{game}.jsonl", fingerprint_of(BUILD.parent, *ENGINE))
    seats = seats_of(game, OPTIONS[game])
    console = Console(stderr=True)
    figures: list[float] = []
    verdict = ""
    with Workers(processes or cores()) as workers:
        for deal in count(1):
            questions = [
                Question(game, str(checkout), version, deal, seat, ms) for seat in range(-1, seats)
            ]
            games = {
                question.seat: returns
                for question, returns in answer_all(kept, play, questions, workers)
            }
            figures.append(figure_of(games, seats))
            ratio = likelihood_ratio(figures)
            verdict = verdict_of(ratio)
            console.print(f"deal {deal}: {fmean(figures):+.3f}, ratio {ratio:+.2f} {verdict}")
            if verdict or deal == deals:
                break
    points, low, high = (50 * each for each in mean_interval(figures))
    sys.stdout.write(
        f"{game}, {ms} ms per move: this build is {verdict or 'undecided'} after {len(figures)} "
        f"deals: {points:+.1f} points [{low:+.1f} to {high:+.1f}]\n{machine()}\n"
    )
    sys.exit(0 if verdict == "stronger" else 1)


if __name__ == "__main__":
    main()
