"""Self-play with a pool of past selves: the learner of `policy_gradient` without a teacher.

    python -m examples.learn.self_play

Each game has the learner at one seat and one of its past selves at the other. Every now and then,
the learner joins the pool. Playing against all past selves, not only against the newest one, keeps
it from forgetting how to beat the older ones.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

import click
import numpy as np
from numpy.typing import NDArray

from examples.learn.games import MATCH, SEATS, SINGLE_DEAL, Games, count_wins
from examples.learn.judging import describe
from examples.learn.policy_gradient import ENVS, Network, train

POOL = 8
# An action that is never legal: the vector leaves such games as they are.
PAUSE = -1


class PoolGames(Games):
    """Games between a learner and the members of a pool, who share the games equally."""

    def __init__(
        self, options: dict[str, object], seats: Sequence[int], pool: list[Network], seed: int
    ) -> None:
        super().__init__(options, seats, seed, alone=False)
        self.pool = pool
        self.chance = np.random.default_rng(seed)
        self.ended = np.zeros(len(seats), np.bool_)
        self._play_pool()

    def step(self, actions: NDArray[np.integer[Any]]) -> NDArray[np.float32]:
        """Play the learner's actions and the answers; return the rewards of the learners."""
        rewards = super().step(actions).copy()
        ended = self.dones.copy()
        rewards += self._play_pool(ended)
        self.dones[:] = ended
        return rewards

    def _play_pool(self, ended: NDArray[np.bool_] | None = None) -> NDArray[np.float32]:
        """Let the pool play until the learner is asked in every game."""
        rewards = np.zeros(len(self.seats), np.float32)
        while (others := self.actors != self.seats).any():
            actions = np.full(len(self.seats), PAUSE)
            for number, member in enumerate(self.pool):
                games = np.flatnonzero(others[number :: len(self.pool)]) * len(self.pool) + number
                if games.size:
                    actions[games] = member.choose(self.seen[games], self.masks[games], self.chance)
            rewards += super().step(actions)
            if ended is not None:
                ended |= self.dones
        return rewards


def duel(first: Network, second: Network, matches: int, seed: int) -> int:
    """Play matches between two networks, and return the wins of the first one."""
    games = PoolGames(MATCH, [match % SEATS for match in range(matches)], [second], seed)
    playing, wins = np.ones(matches, np.bool_), 0
    while playing.any():
        rewards = games.step(first.choose(games.seen, games.masks, games.chance))
        ended = playing & games.dones
        wins += int((rewards[ended] > 0).sum())
        playing &= ~ended
    return wins


@click.command()
@click.option("--turns", default=2_000_000, show_default=True, help="Turns to learn from.")
@click.option("--every", default=250_000, show_default=True, help="Turns between two selves.")
@click.option("--matches", default=400, show_default=True, help="Matches of a judgement.")
@click.option("--seed", default=1, show_default=True, help="Seed of everything that is random.")
def main(turns: int, every: int, matches: int, seed: int) -> None:
    """Learn from playing against past selves, and judge against the oldest, newest and random."""
    network = Network(seed)
    pool = [copy.deepcopy(network)]
    learners = [game % SEATS for game in range(ENVS)]
    joined = 0
    for played in train(network, PoolGames(SINGLE_DEAL, learners, pool, seed), seed):
        if played - joined >= every or played >= turns:
            joined = played
            wins = duel(network, pool[-1], matches, seed=played)
            print(f"{played:>9,} turns, against the last self: {describe(wins, matches)}")
            pool.append(copy.deepcopy(network))
            del pool[1 : len(pool) - POOL]
        if played >= turns:
            break
    wins = duel(network, pool[0], matches, seed)
    print(f"against the first self: {describe(wins, matches)}")
    wins = count_wins(network.choose, MATCH, matches, seed)
    print(f"against random players: {describe(wins, matches)}")


if __name__ == "__main__":
    main()
