"""OpenSpiel's searches as players of a match, through the adapter.

These are its Python bots: its C++ bots cannot play games written in Python. Their playouts run in
the compiled core: in 100 ms of CPU time on an AMD EPYC, in the middle of a game, that makes about
170 simulations instead of 4 in Contigo alignment and instead of 15 in Contract; fewer where there
are hundreds of moves, whose bounds they compute in Python. OpenSpiel's searches only have a limit
on simulations; the classes below add a time limit.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from math import inf
from random import Random
from time import perf_counter
from typing import Any

import numpy as np
from open_spiel.python.algorithms import ismcts, mcts
from tablier_adapters.open_spiel import RolloutEvaluator, TablierGame, load
from tablier_cli.matches.players import Budget
from tablier_core.position import Position

# Exploration constant of UCT, as in OpenSpiel's examples.
EXPLORATION = 2.0
# With fewer, there is no move to report.
LEAST_SIMULATIONS = 2
UNLIMITED = 10**9


class TimeIsUp(Exception):
    """Ends a search between two simulations."""


class Clock:
    """Counts the simulations of a search and ends it when its time is up."""

    def __init__(self, seconds: float) -> None:
        self._end = perf_counter() + seconds
        self.simulations = 0

    def tick(self) -> None:
        """Count a simulation that starts; raises TimeIsUp."""
        if self.simulations >= LEAST_SIMULATIONS and perf_counter() >= self._end:
            raise TimeIsUp
        self.simulations += 1


class TimedMcts(mcts.MCTSBot):  # type: ignore[misc]
    """OpenSpiel's MCTS with a time limit."""

    clock: Clock

    def mcts_search(self, state: Any) -> Any:
        try:
            return super().mcts_search(state)
        except TimeIsUp:
            return self._root

    def _apply_tree_policy(self, root: Any, state: Any) -> Any:
        self._root = root
        self.clock.tick()
        return super()._apply_tree_policy(root, state)


class TimedIsmcts(ismcts.ISMCTSBot):  # type: ignore[misc]
    """OpenSpiel's information-set MCTS with a time limit."""

    clock: Clock

    def run_search(self, state: Any) -> Any:
        try:
            return super().run_search(state)
        except TimeIsUp:
            return self.get_final_policy(state, self._root_node)

    def sample_root_state(self, state: Any) -> Any:
        self.clock.tick()
        return super().sample_root_state(state)


class Searcher(ABC):
    """A player that uses one of OpenSpiel's searches."""

    def __init__(self, budget: Budget) -> None:
        self._seconds = budget.milliseconds / 1000 or inf
        self._simulations = budget.iterations or UNLIMITED
        # Simulations of the last search.
        self.simulations = 0

    def __call__(self, position: Position, seat: int, rng: Random) -> int:
        game = game_of(position)
        chance = np.random.RandomState(rng.getrandbits(32))
        bot = self.bot(game, self._simulations, chance)
        bot.clock = Clock(self._seconds)
        action = int(bot.step(game.state_at(position)))
        self.simulations = bot.clock.simulations
        return action

    @abstractmethod
    def bot(self, game: TablierGame, simulations: int, chance: Any) -> Any:
        """Create a bot that makes `simulations` simulations per move."""


class Mcts(Searcher):
    """MCTS with its solver, for games without hidden information."""

    def bot(self, game: TablierGame, simulations: int, chance: Any) -> Any:
        return TimedMcts(
            game, EXPLORATION, simulations, RolloutEvaluator(1, chance), random_state=chance
        )


class Ismcts(Searcher):
    """Information-set MCTS."""

    def bot(self, game: TablierGame, simulations: int, chance: Any) -> Any:
        bot = TimedIsmcts(
            game, RolloutEvaluator(1, chance), EXPLORATION, simulations, random_state=chance
        )
        bot.set_resampler(
            lambda state, player: state.resample_from_infostate(player, chance.random_sample)
        )
        return bot


def game_of(position: Position) -> TablierGame:
    """Load a game whose states can represent the position; only the number of seats matters."""
    has_seats = "seats" in position.game.options.properties
    return load(position.game.name, {"seats": position.seats} if has_seats else {}, seed=0)
