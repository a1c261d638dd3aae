"""Games of Contrat 500 in NumPy arrays, for the learners beside this file."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tablier_core.registry import GAMES
from tablier_core.vector import Vector

RULES = GAMES["contrat500"]
SEATS = 2
MATCH: dict[str, object] = {"seats": SEATS}
SINGLE_DEAL: dict[str, object] = {"seats": SEATS, "max_deals": 1}

# Draws an action for every row, given observations, masks and a generator.
Policy = Callable[
    [NDArray[np.float32], NDArray[np.bool_], np.random.Generator], NDArray[np.integer[Any]]
]


class Games:
    """Many games that are stepped together, with a learner at one seat of each.

    The core plays the other seats at random, unless `alone` is False.
    """

    def __init__(
        self, options: dict[str, object], seats: Sequence[int], seed: int, *, alone: bool = True
    ) -> None:
        count = len(seats)
        self.seats = np.array(seats)
        self.actions = np.zeros(count, np.int64)
        self.actors = np.zeros(count, np.int32)
        self.seen = np.zeros((count, RULES.num_features), np.float32)
        self.masks = np.zeros((count, RULES.mask_size), np.bool_)
        self.rewards = np.zeros((count, SEATS), np.float32)
        self.dones = np.zeros(count, np.bool_)
        self.vector = Vector(
            RULES,
            options,
            np.random.default_rng(seed).integers(2**63, size=count).tolist(),
            seats=list(seats) if alone else None,
            actions=self.actions,
            actors=self.actors,
            observations=self.seen,
            masks=self.masks,
            rewards=self.rewards,
            dones=self.dones,
        )

    def step(self, actions: NDArray[np.integer[Any]]) -> NDArray[np.float32]:
        """Play an action in every game, and return the rewards of the learners."""
        self.actions[:] = actions
        self.vector.step()
        rewards: NDArray[np.float32] = self.rewards[np.arange(len(self.seats)), self.seats]
        return rewards


def count_wins(policy: Policy, options: dict[str, object], matches: int, seed: int) -> int:
    """Play matches against random players, half of them from each seat, and return the wins."""
    games = Games(options, [match % SEATS for match in range(matches)], seed)
    chance = np.random.default_rng(seed)
    playing = np.ones(matches, np.bool_)
    wins = 0
    while playing.any():
        rewards = games.step(policy(games.seen, games.masks, chance))
        ended = playing & games.dones
        wins += int((rewards[ended] > 0).sum())
        playing &= ~ended
    return wins
