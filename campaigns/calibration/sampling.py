"""Self-play, and what the advice says about a few positions of each game at several budgets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from random import Random
from typing import TypedDict

from tablier_core.advice import advise
from tablier_core.options import Value
from tablier_core.position import Position
from tablier_core.registry import GAMES


@dataclass(frozen=True)
class Subject:
    """A game with options."""

    name: str
    game: str
    options: Mapping[str, Value]


SUBJECTS = (
    Subject("alignment-basic", "contigo-alignment", {}),
    Subject("alignment-advanced", "contigo-alignment", {"advanced": True}),
    Subject("capture-quick", "contigo-capture", {"quick": True}),
    Subject("capture-full", "contigo-capture", {}),
    Subject("contract-2", "contract", {"seats": 2}),
    Subject("contract-4", "contract", {"seats": 4}),
    Subject("contrast-2", "contrast", {"seats": 2}),
    Subject("contrast-4", "contrast", {"seats": 4}),
    Subject("contrat500-2", "contrat500", {"seats": 2}),
    Subject("contrat500-4", "contrat500", {"seats": 4}),
    Subject("mafia-6", "mafia-de-cuba", {"seats": 6}),
    Subject("mafia-8", "mafia-de-cuba", {"seats": 8}),
)


@dataclass(frozen=True)
class Task:
    """One game to play, and the milliseconds of each budget to ask at."""

    subject: Subject
    number: int
    seed: int
    play: int
    budgets: tuple[int, ...]


class Sample(TypedDict):
    """What the advice said of the seat to move, and what the seat's return then was."""

    subject: str
    game: int
    phase: str
    role: str
    milliseconds: int
    value: float
    spread: float
    result: float


def role_of(game: str, seat: int) -> str:
    """Seats with another task than the others are judged by themselves."""
    if game != "mafia-de-cuba":
        return "any"
    return "Godfather" if seat == 0 else "others"


def samples_of(task: Task) -> list[Sample]:
    """Play a game, and ask about one position of each phase and role, each equally likely.

    Only positions with a choice are asked about: without one, there is no advice to give.
    """
    chance = Random(f"{task.subject.name}/{task.seed}/{task.number}")
    position = GAMES[task.subject.game].start(task.subject.options, task.seed + task.number)
    taken: dict[tuple[str, str], tuple[Position, int]] = {}
    seen: dict[tuple[str, str], int] = {}
    while actors := position.actors:
        seat = chance.choice(actors)
        if position.count_moves(seat) > 1:
            key = (position.phase, role_of(task.subject.game, seat))
            seen[key] = seen.get(key, 0) + 1
            # A reservoir of one.
            if chance.randrange(seen[key]) == 0:
                taken[key] = (position, seat)
        report = advise(position, seat, seconds=task.play / 1000, seed=chance.getrandbits(64))
        position = position.apply(seat, report.suggestions[0].action)
    results = position.returns
    found: list[Sample] = []
    for (phase, role), (asked, seat) in sorted(taken.items(), key=lambda each: each[0]):
        for milliseconds in task.budgets:
            seed = chance.getrandbits(64)
            best = advise(asked, seat, seconds=milliseconds / 1000, seed=seed).suggestions[0]
            found.append(
                Sample(
                    subject=task.subject.name,
                    game=task.number,
                    phase=phase,
                    role=role,
                    milliseconds=milliseconds,
                    value=best.values[seat],
                    spread=best.spread,
                    result=results[seat],
                )
            )
    return found
