"""Every Tablier game as a PettingZoo environment.

    env = aec_env("contrast", {"seats": 3})
    env.reset(seed=7)
    for agent in env.agent_iter():
        observation, reward, termination, truncation, info = env.last()
        over = termination or truncation
        env.step(None if over else policy(observation["observation"], info["action_mask"]))

`aec_env` asks one agent at a time, `parallel_env` all agents that may move at once. An agent is
named after its seat, `seat_0` and so on. An action that the mask does not allow ends the episode:
its agent gets -1, the others 0. Games run in this process, or on a service if `source` is a
`tablier_adapters.service.ServiceSource`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

import numpy as np
from gymnasium.spaces import Box, Dict, Discrete, Space
from gymnasium.utils import seeding
from numpy.typing import NDArray
from pettingzoo import AECEnv, ParallelEnv
from tablier_core import asking
from tablier_core.position import REFEREE

from tablier_adapters.turns import (
    RENDER_MODES,
    LocalSource,
    Mask,
    Source,
    Turn,
    bounds,
    check_render_mode,
    count_actions,
    mask_of,
    render,
)

Shown: TypeAlias = dict[str, NDArray[Any]]
ILLEGAL_REWARD = -1.0
MAX_SEED = 2**64


def aec_env(
    game: str,
    options: Mapping[str, object] | None = None,
    *,
    render_mode: str | None = None,
    viewer: int = REFEREE,
    source: Source | None = None,
) -> TablierAEC:
    """Create an environment that asks one agent at a time; raises UnknownGame or OptionError."""
    return TablierAEC(source or LocalSource(game, options or {}), render_mode, viewer)


def parallel_env(
    game: str,
    options: Mapping[str, object] | None = None,
    *,
    render_mode: str | None = None,
    viewer: int = REFEREE,
    source: Source | None = None,
) -> TablierParallel:
    """Create an environment in which all agents act at once; raises UnknownGame or OptionError."""
    return TablierParallel(source or LocalSource(game, options or {}), render_mode, viewer)


class Seats:
    """What both kinds of environments share: agents, spaces, seeds and pictures."""

    turn: Turn

    def __init__(self, source: Source, actions: int, render_mode: str | None, viewer: int) -> None:
        check_render_mode(render_mode)
        self.metadata = {
            "name": f"tablier_{source.game.name.replace('-', '_')}",
            "render_modes": list(RENDER_MODES),
            "is_parallelizable": False,
        }
        self.render_mode = render_mode
        self.viewer = viewer
        self.source = source
        self.possible_agents = [f"seat_{seat}" for seat in range(source.seats)]
        self.agents: list[str] = []
        low, high = bounds(source.game)
        self.observation_spaces: dict[str, Space[Any]] = {
            agent: Dict(
                {
                    "observation": Box(low, high, dtype=np.float32),
                    "action_mask": Box(0, 1, (actions,), np.int8),
                }
            )
            for agent in self.possible_agents
        }
        self.action_spaces: dict[str, Space[Any]] = {
            agent: Discrete(actions) for agent in self.possible_agents
        }
        seats = source.seats
        self.state_space = Box(np.tile(low, seats), np.tile(high, seats), dtype=np.float32)
        self._np_random, _ = seeding.np_random()

    def observation_space(self, agent: str) -> Space[Any]:
        """Return the features and the mask that an agent observes."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Space[Any]:
        """Return the actions of an agent."""
        return self.action_spaces[agent]

    def start(self, seed: int | None) -> None:
        """Start a game: a seed gives the same game as everywhere else in Tablier."""
        if seed is None:
            seed = int(self._np_random.integers(MAX_SEED, dtype=np.uint64))
        else:
            self._np_random, _ = seeding.np_random(seed)
        self.turn = self.source.start(seed)
        self.agents = self.possible_agents.copy()

    def state(self) -> NDArray[np.float32]:
        """Return the features of all seats, one after the other."""
        return np.concatenate([self.turn.observe(seat) for seat in range(self.source.seats)])

    def render(self) -> Any:
        """Draw the game as `render_mode` says; raises FormatUnavailable without pyvips."""
        return render(self.turn, self.render_mode, self.viewer)

    def close(self) -> None:
        """Do nothing: an environment holds no resources."""


# ---- One agent at a time -------------------------------------------------------------------------


class TablierAEC(Seats, AECEnv[str, Shown, int]):
    """A game that asks one agent at a time."""

    def __init__(self, source: Source, render_mode: str | None, viewer: int) -> None:
        actions = count_actions(source.game)
        super().__init__(source, actions, render_mode, viewer)
        self.nothing = mask_of([], actions)
        self.nothing.flags.writeable = False

    def reset(self, seed: int | None = None, options: Mapping[str, Any] | None = None) -> None:
        """Start a game. Options are those of the constructor; these are ignored."""
        self.start(seed)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self._skip_agent_selection = None
        self._ask()

    def _ask(self) -> None:
        """Select the agent that is asked, and compute the masks."""
        self.infos: dict[str, dict[str, Any]] = {
            agent: {"action_mask": self.nothing} for agent in self.agents
        }
        self.agent_selection = self.agents[max(self.turn.asked, 0)]
        if self.turn.asked >= 0:
            legal = self.turn.legal(self.turn.asked)
            mask = mask_of(legal, self.nothing.size)
            self.infos[self.agent_selection] = {"action_mask": mask}

    def observe(self, agent: str) -> Shown:
        """Return what an agent knows, and what it may do now."""
        observation = self.turn.observe(self.possible_agents.index(agent))
        mask: Mask = self.infos[agent]["action_mask"] if agent in self.infos else self.nothing
        return {"observation": observation, "action_mask": mask}

    def step(self, action: int | None) -> None:
        """Play the action of the agent that is asked."""
        agent = self.agent_selection
        if self.terminations[agent]:
            self._was_dead_step(action)
            return
        if action is None:
            raise ValueError("an agent that is asked must act")
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        if self.action_space(agent).contains(action) and self.infos[agent]["action_mask"][action]:
            self.turn = self.turn.play(int(action))
            self._ask()
            if self.turn.returns:
                self._end(dict(zip(self.agents, self.turn.returns, strict=True)))
        else:
            self._end({agent: ILLEGAL_REWARD})
        self._accumulate_rewards()

    def _end(self, rewards: Mapping[str, float]) -> None:
        """End the episode."""
        self.rewards.update(rewards)
        self.terminations = dict.fromkeys(self.agents, True)
        self.infos = {agent: {"action_mask": self.nothing} for agent in self.agents}
        self.agent_selection = self.agents[0]


# ---- All agents at once --------------------------------------------------------------------------


class TablierParallel(Seats, ParallelEnv[str, Shown, int]):
    """A game in which all agents that may move choose at once; the others can only wait.

    The last action of every agent is `wait`. All choices are made before anyone can react to one.
    They are played in the order of `tablier_core.asking`, which does not begin again after a move;
    a choice that another one has made illegal is skipped.
    """

    def __init__(self, source: Source, render_mode: str | None, viewer: int) -> None:
        self.wait = source.game.num_actions
        super().__init__(source, self.wait + 1, render_mode, viewer)

    def reset(
        self, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[dict[str, Shown], dict[str, dict[str, Any]]]:
        """Start a game. Options are those of the constructor; these are ignored."""
        self.start(seed)
        return self._show()

    def _legal(self, seat: int) -> list[int]:
        """Return the legal actions of a seat."""
        moves = self.turn.moves(seat)
        if not moves or self.turn.can_wait(seat):
            moves.append(self.wait)
        return moves

    def _show(self) -> tuple[dict[str, Shown], dict[str, dict[str, Any]]]:
        """Return the observations and infos of all agents."""
        observations: dict[str, Shown] = {}
        infos: dict[str, dict[str, Any]] = {}
        for seat, agent in enumerate(self.possible_agents):
            mask = mask_of(self._legal(seat), self.wait + 1)
            observations[agent] = {"observation": self.turn.observe(seat), "action_mask": mask}
            infos[agent] = {"action_mask": mask}
        return observations, infos

    def step(
        self, actions: Mapping[str, int]
    ) -> tuple[
        dict[str, Shown],
        dict[str, float],
        dict[str, bool],
        dict[str, bool],
        dict[str, dict[str, Any]],
    ]:
        """Play one action of every agent."""
        chosen = {seat: actions[agent] for seat, agent in enumerate(self.agents)}
        illegal = [seat for seat, action in chosen.items() if action not in self._legal(seat)]
        if not illegal:
            self._play(chosen)
        returns = [*self.turn.returns] or [0.0] * self.source.seats
        for seat in illegal:
            returns[seat] = ILLEGAL_REWARD
        agents, over = self.agents, bool(illegal or self.turn.returns)
        if over:
            self.agents = []
        observations, infos = self._show()
        return (
            observations,
            dict(zip(agents, returns, strict=True)),
            dict.fromkeys(agents, over),
            dict.fromkeys(agents, False),
            infos,
        )

    def _play(self, chosen: Mapping[int, int]) -> None:
        """Play the choices of all actors, in the order in which they would be asked."""
        phase, actors = self.turn.phase, [*self.turn.actors]
        while actors:
            seat = asking.asked_among(self.turn.game, phase, actors)
            actors.remove(seat)
            if chosen[seat] != self.wait and chosen[seat] in self.turn.moves(seat):
                self.turn = self.turn.apply(seat, int(chosen[seat]))
