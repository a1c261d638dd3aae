"""One seat of every Tablier game as a Gymnasium environment, and many at once.

    env = SeatEnv("contigo-alignment", opponents="random")
    observation, info = env.reset(seed=7)
    action = policy(observation, env.action_masks())
    observation, reward, terminated, truncated, info = env.step(action)

Opponents play at random, at a level from 1 to 10, or by policies of your own. The reward is the
return of the seat at the end, from -1 to 1. An illegal action ends the episode with -1.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import gymnasium
import numpy as np
from gymnasium.spaces import Box, Discrete, MultiDiscrete
from gymnasium.vector import AutoresetMode, VectorEnv
from numpy.typing import NDArray
from tablier_core.position import REFEREE
from tablier_core.vector import Vector

from tablier_adapters.players import Player, act, check_player
from tablier_adapters.turns import (
    RENDER_MODES,
    LocalSource,
    Observation,
    Source,
    Turn,
    bounds,
    check_render_mode,
    count_actions,
    find_game,
    mask_of,
    render,
)

ILLEGAL_REWARD = -1.0
MAX_SEED = 2**64


class SeatEnv(gymnasium.Env[Observation, np.int64]):
    """One seat of a game. The other seats are played inside of `reset` and `step`.

    A `source` starts the games elsewhere than in this process, and must have the same game.

    `opponents` is one player for all other seats, or one per seat (that of the own seat is not
    used). Raises UnknownGame, OptionError or ValueError.
    """

    metadata: dict[str, Any] = {"render_modes": list(RENDER_MODES), "render_fps": 1}  # noqa: RUF012
    turn: Turn

    def __init__(
        self,
        game: str,
        options: Mapping[str, object] | None = None,
        *,
        seat: int = 0,
        opponents: Player | Sequence[Player] = "random",
        render_mode: str | None = None,
        viewer: int = REFEREE,
        source: Source | None = None,
    ) -> None:
        check_render_mode(render_mode)
        self.source = source or LocalSource(game, options or {})
        seats = self.source.seats
        if not 0 <= seat < seats:
            raise ValueError(f"the seat must be from 0 to {seats - 1}")
        many = isinstance(opponents, Sequence) and not isinstance(opponents, str)
        self.players: list[Player] = list(opponents) if many else [opponents] * seats  # type: ignore[arg-type, list-item]
        if len(self.players) != seats:
            raise ValueError(f"opponents must be one player, or one for each of {seats} seats")
        for player in self.players:
            check_player(player)
        self.seat = seat
        self.render_mode = render_mode
        self.viewer = viewer
        low, high = bounds(self.source.game)
        self.observation_space = Box(low, high, dtype=np.float32)
        self.num_actions = count_actions(self.source.game)
        self.action_space = Discrete(self.num_actions)

    def reset(
        self, *, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Start a game and play until the seat is asked. Options are those of the constructor."""
        super().reset(seed=seed)
        if seed is None:
            seed = int(self.np_random.integers(MAX_SEED, dtype=np.uint64))
        self.turn = self.source.start(seed)
        self._play_others()
        return self._observe(), self._info()

    def step(self, action: Any) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Play an action and what the other seats answer."""
        if int(action) not in self.turn.legal(self.seat):
            return self._observe(), ILLEGAL_REWARD, True, False, self._info()
        self.turn = self.turn.play(int(action))
        self._play_others()
        returns = self.turn.returns
        reward = returns[self.seat] if returns else 0.0
        return self._observe(), reward, bool(returns), False, self._info()

    def action_masks(self) -> NDArray[np.bool_]:
        """Return which actions are legal now, as MaskablePPO asks for it."""
        legal = self.turn.legal(self.seat)
        return mask_of(legal, self.num_actions).astype(np.bool_)

    def render(self) -> Any:
        """Draw the game as `render_mode` says; raises FormatUnavailable without pyvips."""
        return render(self.turn, self.render_mode, self.viewer)

    def _play_others(self) -> None:
        while self.turn.asked not in (self.seat, -1):
            player = self.players[self.turn.asked]
            self.turn = self.turn.play(act(self.turn, player, self.np_random))

    def _observe(self) -> Observation:
        return self.turn.observe(self.seat)

    def _info(self) -> dict[str, Any]:
        return {"action_mask": self.action_masks().astype(np.int8)}


class SeatVectorEnv(VectorEnv[Observation, NDArray[np.int64], NDArray[Any]]):
    """Many games with one learner each, stepped by one call of the core. The others play at random.

    `seats` has the learner's seat in every game, and defaults to each seat in turn. Episodes reset
    in the step that ends them; `final_obs` in the info has their last observations.
    """

    metadata: dict[str, Any] = {"autoreset_mode": AutoresetMode.SAME_STEP}  # noqa: RUF012

    def __init__(
        self,
        game: str,
        options: Mapping[str, object] | None = None,
        *,
        num_envs: int,
        seats: Sequence[int] | None = None,
        threads: int = 1,
    ) -> None:
        rules = find_game(game)
        self.num_envs = num_envs
        players = LocalSource(game, options or {}).seats
        every = list(seats) if seats is not None else [i % players for i in range(num_envs)]
        self.seats = np.array(every, np.intp)
        low, high = bounds(rules)
        self.single_observation_space = Box(low, high, dtype=np.float32)
        self.single_action_space = Discrete(count_actions(rules))
        self.observation_space = Box(
            np.tile(low, (num_envs, 1)), np.tile(high, (num_envs, 1)), dtype=np.float32
        )
        self.action_space = MultiDiscrete([count_actions(rules)] * num_envs)
        sizes = Vector(rules, options or {}, range(num_envs), actions=np.zeros(num_envs, np.int64))
        self.actions = np.zeros(num_envs, np.int64)
        self.observations = np.zeros((num_envs, rules.num_features), np.float32)
        self.finals = np.zeros_like(self.observations)
        self.masks = np.zeros((num_envs, sizes.mask_bytes), np.uint8)
        self.rewards = np.zeros((num_envs, sizes.seats), np.float32)
        self.dones = np.zeros(num_envs, np.bool_)
        self.illegal = np.zeros(num_envs, np.bool_)
        self.vector = Vector(
            rules,
            options or {},
            range(num_envs),
            actions=self.actions,
            observations=self.observations,
            finals=self.finals,
            masks=self.masks,
            rewards=self.rewards,
            dones=self.dones,
            illegal=self.illegal,
            seats=every,
            threads=threads,
        )

    def reset(
        self, *, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Start all games. Options are those of the constructor."""
        super().reset(seed=seed)
        seeds = self.np_random.integers(MAX_SEED, size=self.num_envs, dtype=np.uint64)
        self.vector.reset(seeds.tolist())
        return self.observations.copy(), {"action_mask": self.action_masks()}

    def step(
        self, actions: NDArray[np.int64]
    ) -> tuple[Observation, NDArray[Any], NDArray[Any], NDArray[Any], dict[str, Any]]:
        """Play one action in every game, and what the other seats answer."""
        self.actions[:] = actions
        self.vector.step()
        rewards = self.rewards[np.arange(self.num_envs), self.seats].astype(np.float64)
        ended = self.dones | self.illegal
        info: dict[str, Any] = {}
        if ended.any():
            illegal = self.illegal.copy()
            rewards[illegal] = ILLEGAL_REWARD
            self.finals[illegal] = self.observations[illegal]
            if illegal.any():
                self.vector.restart(illegal)
            info = {"final_obs": self.finals.copy(), "_final_obs": ended, "illegal": illegal}
        info["action_mask"] = self.action_masks()
        return self.observations.copy(), rewards, ended, np.zeros_like(ended), info

    def action_masks(self) -> NDArray[np.bool_]:
        """Return which actions are legal now, one row per game."""
        masks = self.masks
        if self.vector.packed_masks:
            count = self.vector.num_actions
            masks = np.unpackbits(masks, axis=1, count=count, bitorder="little")
        return masks.astype(np.bool_)
