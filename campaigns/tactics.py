"""The advisor solves tactical problems of Contigo alignment, taken from random games.

Exhaustive enumeration of every line gives the correct answers. These are the `tactics` rows of
`make strength`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass
from itertools import count
from multiprocessing import get_context
from random import Random
from types import MappingProxyType
from typing import Literal

from tablier_core.advice import advise
from tablier_core.games.contigo_alignment import GAME
from tablier_core.position import Position
from tablier_core.testing.tactics import can_force, forcing_moves

Kind = Literal["win", "loss", "force"]
MEANINGS: Mapping[Kind, str] = MappingProxyType(
    {
        "win": "wins in one pawn move, found",
        "loss": "preventable losses in one, prevented",
        "force": "forced wins in two turns, found within 1 s",
    }
)
FORCE_SECONDS = 1.0
# Share of the positions that are examined, so that questions come from many games.
TAKEN = 0.2


@dataclass(frozen=True)
class Asked:
    """The kind of question to ask, and the time budget of an answer."""

    kind: Kind
    advanced: bool
    milliseconds: int


def own_moves(position: Position) -> int:
    """How many own moves a win within two turns takes; the last one is a pawn move."""
    return 3 if position.phase == "pawn" else 2


def losing_moves(position: Position) -> list[int]:
    """The moves after which the opponent wins with their next pawn move, whatever is sown first."""
    return forcing_moves(position, 1 - position.actors[0], 1)


def is_question(kind: Kind, position: Position) -> bool:
    """Whether a position is a question of the kind."""
    seat = position.actors[0]
    wins = position.phase == "pawn" and can_force(position, seat, 1)
    if kind == "win":
        return wins
    if wins:
        return False
    if kind == "force":
        return can_force(position, seat, own_moves(position))
    return 0 < len(losing_moves(position)) < position.count_moves(seat)


def is_right(kind: Kind, position: Position, move: int) -> bool:
    """Whether a move answers the question correctly."""
    seat = position.actors[0]
    after = position.apply(seat, move)
    if kind == "win":
        return after.over and bool(after.returns[seat] == 1)
    if kind == "force":
        return can_force(after, seat, own_moves(position) - 1)
    return move not in losing_moves(position)


def question_of(asked: Asked, number: int) -> Position | None:
    """Return a position of a random game that is a question, or None."""
    chance = Random(number)
    position = GAME.start({"advanced": asked.advanced}, number)
    while not position.over:
        if chance.random() < TAKEN and is_question(asked.kind, position):
            return position
        seat = position.actors[0]
        position = position.apply(seat, chance.choice(position.moves(seat)))
    return None


def answer(asked: Asked, number: int) -> bool | None:
    """Whether the advisor solves the question of a random game; None if the game has none."""
    position = question_of(asked, number)
    if position is None:
        return None
    seconds = FORCE_SECONDS if asked.kind == "force" else asked.milliseconds / 1000
    report = advise(position, position.actors[0], seconds=seconds, seed=number)
    return is_right(asked.kind, position, report.suggestions[0].action)


def answers(asked: Asked, wanted: int, processes: int) -> Iterator[bool]:
    """Yield whether the advisor solves each of the first `wanted` questions."""
    numbers = count()
    with ProcessPoolExecutor(processes, mp_context=get_context("spawn")) as pool:
        under_way: list[Future[bool | None]] = []
        while wanted:
            while len(under_way) < 2 * processes:
                under_way.append(pool.submit(answer, asked, next(numbers)))
            # In the order of the games, so that short games are not preferred.
            found = under_way.pop(0).result()
            if found is not None:
                wanted -= 1
                yield found
        pool.shutdown(cancel_futures=True)
