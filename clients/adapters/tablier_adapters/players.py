"""Players for the seats that a learner doesn't play: at random, at a level, or a policy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, TypeAlias

import numpy as np
from tablier_core.advice import STRONGEST

from tablier_adapters.turns import Mask, Observation, Turn, count_actions, mask_of

# Given the observation and the mask of a seat, returns a legal action.
Policy: TypeAlias = Callable[[Observation, Mask], int]
# "random", a level from 1 to 10, or a policy.
Player: TypeAlias = Literal["random"] | int | Policy


def check_player(player: Player) -> None:
    """Raise ValueError unless it is a player."""
    if callable(player) or player == "random":
        return
    if not isinstance(player, int) or not 1 <= player <= STRONGEST:
        raise ValueError(f"a player is 'random', a level from 1 to {STRONGEST}, or a policy")


def act(turn: Turn, player: Player, chance: np.random.Generator) -> int:
    """Return the action that a player chooses for the seat that is asked."""
    legal = turn.legal(turn.asked)
    if player == "random":
        return legal[int(chance.integers(len(legal)))]
    if callable(player):
        mask = mask_of(legal, count_actions(turn.game))
        return int(player(turn.observe(turn.asked), mask))
    wait = turn.game.num_actions
    if legal[-1] == wait and chance.random() >= 1 / unasked(turn):
        return wait
    return turn.advise(player, int(chance.integers(2**63)))


def unasked(turn: Turn) -> int:
    """Return how many seats may still speak before the order of asking ends, with the one asked.

    A level speaks with one over this number: then each actor is equally likely to move next, as in
    the searches of the core.
    """
    return len([seat for seat in turn.actors if not turn.waited >> seat & 1])
