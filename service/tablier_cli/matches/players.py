"""Who can play in a match, and how they are named.

7               level 7 of the advisor's ten
best            the advisor at full strength
best@50ms       the same with a budget of its own; also best@2000it, in iterations
random          any legal move
module:name     somebody else's: a function (position, seat, rng) -> action, or a class that makes
                one from a Budget, anew for every game
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from random import Random

from tablier_core.advice import advise
from tablier_core.position import Position

# Every player gets a world that its seat cannot tell from the true one, so none can peek.
Player = Callable[[Position, int, Random], int]

LEVELS = 10
NAME = re.compile(r"(?P<who>best|[0-9]+)(@(?P<amount>[0-9]+)(?P<unit>ms|it))?")


class UnknownPlayer(ValueError):
    """A name that is nobody's."""


@dataclass(frozen=True)
class Budget:
    """How long a thinking player may think over a move; one of them is not 0."""

    milliseconds: int = 0
    iterations: int = 0


@dataclass(frozen=True)
class Thinker:
    """The advisor as a player; level 0 is its full strength."""

    level: int
    budget: Budget

    def __call__(self, position: Position, seat: int, rng: Random) -> int:
        report = advise(
            position,
            seat,
            level=self.level,
            iterations=self.budget.iterations,
            seconds=self.budget.milliseconds / 1000,
            seed=rng.getrandbits(64),
        )
        return report.suggestions[0].action


def play_at_random(position: Position, seat: int, rng: Random) -> int:
    """Any legal move."""
    return rng.choice(position.moves(seat))


def find_player(name: str, budget: Budget) -> Player:
    """The player of a name; raises UnknownPlayer."""
    if name == "random":
        return play_at_random
    if ":" in name:
        return import_player(name, budget)
    match = NAME.fullmatch(name)
    if match is None:
        raise UnknownPlayer(
            f"{name!r} is no player: a level from 1 to {LEVELS}, best, random or module:name"
        )
    level = 0 if match["who"] == "best" else int(match["who"])
    if match["who"] != "best" and not 1 <= level <= LEVELS:
        raise UnknownPlayer(f"{name!r}: levels go from 1 to {LEVELS}")
    if match["unit"] is not None:
        amount = int(match["amount"])
        if amount == 0:
            raise UnknownPlayer(f"{name!r}: a player needs some time to think")
        budget = Budget(milliseconds=amount) if match["unit"] == "ms" else Budget(iterations=amount)
    return Thinker(level, budget)


def import_player(name: str, budget: Budget) -> Player:
    """A function of somebody else's module, or what a class of it makes of the budget."""
    module, _, attribute = name.partition(":")
    try:
        player = getattr(import_module(module), attribute)
    except (ImportError, AttributeError) as error:
        raise UnknownPlayer(f"{name!r} cannot be imported: {error}") from error
    if not callable(player):
        raise UnknownPlayer(f"{name!r} is no function")
    return player(budget) if isinstance(player, type) else player  # type: ignore[no-any-return]
