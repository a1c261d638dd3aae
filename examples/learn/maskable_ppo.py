"""MaskablePPO of sb3-contrib learns to beat random players at Contrat 500.

    make learn-ppo

That runs this module in an environment of its own with torch, which nothing else needs. The core
plays all games by one call; `DealsEnv` hands them to stable-baselines3.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import click
import numpy as np
from gymnasium.spaces import Box
from numpy.typing import NDArray
from sb3_contrib import MaskablePPO
from stable_baselines3.common.vec_env import VecEnv
from tablier_adapters.gymnasium import SeatVectorEnv

from examples.learn.games import MATCH, RULES, SINGLE_DEAL, count_wins
from examples.learn.judging import Curve, describe
from examples.learn.policy_gradient import encode


class DealsEnv(VecEnv):
    """Single deals of Contrat 500, each with one learner against a random player."""

    def __init__(self, num_envs: int, seed: int) -> None:
        self.games = SeatVectorEnv(RULES.name, SINGLE_DEAL, num_envs=num_envs)
        inputs = encode(np.zeros((1, RULES.num_features), np.float32)).size
        space = Box(0, 1, (inputs,), np.float32)
        super().__init__(num_envs, space, self.games.single_action_space)
        self.first_seed = seed
        self.actions = np.zeros(num_envs, np.int64)

    def reset(self) -> NDArray[np.float32]:
        """Start all games."""
        return encode(self.games.reset(seed=self.first_seed)[0])

    def step_async(self, actions: NDArray[np.int64]) -> None:
        """Keep the actions for `step_wait`."""
        self.actions = actions

    def step_wait(self) -> tuple[Any, ...]:
        """Play the actions."""
        seen, rewards, ended, _, info = self.games.step(self.actions)
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        if ended.any():
            finals = encode(info["final_obs"])
            for game in np.flatnonzero(ended):
                infos[game] = {"terminal_observation": finals[game], "TimeLimit.truncated": False}
        return encode(seen), rewards.astype(np.float32), ended, infos

    def env_method(
        self, method_name: str, *args: Any, indices: Any = None, **kwargs: Any
    ) -> list[Any]:
        """Return the masks, the only method that MaskablePPO asks for."""
        if method_name != "action_masks":
            raise AttributeError(method_name)
        return list(self.games.action_masks())

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """Return an attribute of every game."""
        values = {"action_masks": self.games.action_masks, "render_mode": None}
        if attr_name not in values:
            raise AttributeError(attr_name)
        return [values[attr_name]] * self.num_envs

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """Games have no attributes that can be set."""
        raise AttributeError(attr_name)

    def env_is_wrapped(self, wrapper_class: type, indices: Any = None) -> Sequence[bool]:
        """Games are not wrapped."""
        return [False] * self.num_envs

    def close(self) -> None:
        """Do nothing: games hold no resources."""


@click.command()
@click.option("--turns", default=1_000_000, show_default=True, help="Turns to learn from.")
@click.option("--every", default=100_000, show_default=True, help="Turns between two judgements.")
@click.option("--matches", default=200, show_default=True, help="Matches of a judgement.")
@click.option("--seed", default=1, show_default=True, help="Seed of everything that is random.")
@click.option("--plot", type=click.Path(), help="File for a picture of the learning curve.")
def main(turns: int, every: int, matches: int, seed: int, plot: str | None) -> None:
    """Learn from single deals, and judge in whole matches against random players."""
    env = DealsEnv(256, seed)
    model = MaskablePPO(
        "MlpPolicy", env, n_steps=32, batch_size=2048, n_epochs=4, learning_rate=1e-3,
        gamma=0.98, gae_lambda=0.9, ent_coef=0.003, seed=seed, device="cpu",
    )  # fmt: skip

    def choose(
        seen: NDArray[np.float32], masks: NDArray[np.bool_], chance: np.random.Generator
    ) -> NDArray[np.int64]:
        actions, _ = model.predict(encode(seen), action_masks=masks)
        return np.asarray(actions, np.int64)

    curve, start = Curve(), time.monotonic()
    for played in range(0, turns, every):
        model.learn(min(every, turns - played), reset_num_timesteps=False)
        wins = count_wins(choose, MATCH, matches, seed)
        spent = time.monotonic() - start
        curve.add(model.num_timesteps, spent, wins, matches)
        judged = describe(wins, matches)
        print(f"{model.num_timesteps:>9,} turns, {spent:4.0f} s: {judged}", flush=True)
    if plot:
        curve.draw(plot, "Contrat 500, two seats: matches that MaskablePPO wins")


if __name__ == "__main__":
    main()
