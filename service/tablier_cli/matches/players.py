"""The players of a match, by name.

7               level 7 of the advisor, from 1 to 10
best            the advisor at full strength
best@50ms       with its own budget: milliseconds, or iterations as in best@2000it
random          random legal moves
module:name     your own: a function (position, seat, rng) -> action, or a class that takes a
                Budget and whose instances are such functions; one instance per game. The module
                can be in the current folder.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from random import Random

from tablier_core.advice import advise
from tablier_core.position import Position

# A player gets a world that its seat cannot distinguish from the true one, so it cannot peek.
Player = Callable[[Position, int, Random], int]

LEVELS = 10
NAME = re.compile(r"(?P<who>best|[0-9]+)(@(?P<amount>[0-9]+)(?P<unit>ms|it))?")


class UnknownPlayer(ValueError):
    """The name of a player is invalid."""


@dataclass(frozen=True)
class Budget:
    """Budget per move; one of the two limits is not 0."""

    milliseconds: int = 0
    iterations: int = 0


@dataclass(frozen=True)
class AdvisorPlayer:
    """Plays the advisor's best suggestion; level 0 is full strength."""

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
    """Choose a random legal move."""
    return rng.choice(position.moves(seat))


def find_player(name: str, budget: Budget) -> Player:
    """Return the player with a name; raises UnknownPlayer."""
    if name == "random":
        return play_at_random
    if ":" in name:
        return import_player(name, budget)
    match = NAME.fullmatch(name)
    if match is None:
        raise UnknownPlayer(
            f"{name!r} is not a player: use a level from 1 to {LEVELS}, best, random or module:name"
        )
    level = 0 if match["who"] == "best" else int(match["who"])
    if match["who"] != "best" and not 1 <= level <= LEVELS:
        raise UnknownPlayer(f"{name!r}: the level must be from 1 to {LEVELS}")
    if match["unit"] is not None:
        amount = int(match["amount"])
        if amount == 0:
            raise UnknownPlayer(f"{name!r}: the budget must be positive")
        budget = Budget(milliseconds=amount) if match["unit"] == "ms" else Budget(iterations=amount)
    return AdvisorPlayer(level, budget)


def import_player(name: str, budget: Budget) -> Player:
    """Import a player's function, or create an instance of its class."""
    module, _, attribute = name.partition(":")
    # An installed command does not import from the folder that it is run in, unlike python -m.
    if "" not in sys.path:
        sys.path.insert(0, "")
    try:
        player = getattr(import_module(module), attribute)
    except (ImportError, AttributeError) as error:
        raise UnknownPlayer(f"cannot import {name!r}: {error}") from error
    if not callable(player):
        raise UnknownPlayer(f"{name!r} is not callable")
    return player(budget) if isinstance(player, type) else player  # type: ignore[no-any-return]
