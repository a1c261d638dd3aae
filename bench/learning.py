"""Environments for learners: steps with observations and masks: `python -m bench.learning`.

Ours is `tablier_core.vector` on two threads, which chooses random legal actions and plays them in
all games by two calls. Theirs are connect four of PettingZoo, of OpenSpiel's vector environment
and, where `pip install --target build/pgx pgx` has put it, of Pgx, driven as their users do: read
the mask, choose, step. All take turns in short slices, measured in CPU time of all threads, so
that a busy machine slows them alike. Steps per second are those of two cores: 2 divided by the CPU
time of a step.
"""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from open_spiel.python import rl_agent, rl_environment, vector_env
from pettingzoo.classic.connect_four import connect_four
from rich.console import Console
from rich.progress import track
from rich.table import Table
from tablier_core.position import Game
from tablier_core.registry import GAMES
from tablier_core.testing.games import TESTING_GAMES
from tablier_core.testing.playouts import playouts
from tablier_core.vector import Vector

from bench.record import note

PGX_FOLDER = Path(__file__).parents[1] / "build" / "pgx"
CORES = 2
ENVS = 512
TURNS = 7
SLICE_SECONDS = 0.15
# Steps per second on two cores where an observation and a mask have at most SMALL bytes.
REQUIRED = 1_000_000
SMALL = 1024
# Elsewhere, a step takes at most twice the core's own and this much per 1024 bytes.
PER_KILOBYTE = 1e-6
# How many times as fast as PettingZoo. A game with sowing has tens of thousands of actions.
TIMES = 50.0
TIMES_SOWING = 20.0
SOWING = ("contigo-alignment", "contigo-capture")

PETTINGZOO, OPEN_SPIEL, PGX = (
    f"{name} connect four" for name in ("PettingZoo", "OpenSpiel vector,", "Pgx")
)


@dataclass(frozen=True)
class Row:
    """A game's CPU seconds per step, by turn."""

    game: str
    shown: int  # bytes of an observation and a mask
    seconds: list[float]
    core: float  # the core's own step

    @property
    def rate(self) -> float:
        """Steps per second on two cores."""
        return CORES / median(self.seconds)

    @property
    def small(self) -> bool:
        """Whether a step has few bytes."""
        return self.shown <= SMALL

    def ratios(self, theirs: list[float]) -> list[float]:
        """How many times as fast as another environment, by turn."""
        return [other / own for own, other in zip(self.seconds, theirs, strict=True)]

    def ratio(self, theirs: list[float]) -> float:
        """The median of these."""
        return median(self.ratios(theirs))

    @property
    def times(self) -> float:
        """How many times as fast as PettingZoo it has to be."""
        return TIMES_SOWING if self.game in SOWING else TIMES

    def kept(self, pettingzoo: list[float]) -> bool:
        """Whether the row is as fast as promised."""
        if self.ratio(pettingzoo) < self.times:
            return False
        if self.small:
            return self.rate >= REQUIRED
        return median(self.seconds) <= 2 * self.core + PER_KILOBYTE * self.shown / 1024


def per_step(play: Callable[[], int]) -> float:
    """The CPU seconds of a step over a slice; `play` returns how many it made."""
    steps, start = 0, time.process_time()
    while (spent := time.process_time() - start) < SLICE_SECONDS:
        steps += play()
    return spent / steps


def play_vector(game: Game) -> tuple[Callable[[], int], int]:
    """Steps of our vector environment, and the bytes that each of them shows."""
    actions = np.zeros(ENVS, np.int64)
    sizes = Vector(game, {}, range(ENVS), actions=actions)
    vector = Vector(
        game,
        {},
        range(ENVS),
        actions=actions,
        observations=np.zeros((ENVS, sizes.num_features), np.float32),
        masks=np.zeros((ENVS, sizes.mask_bytes), np.uint8),
        actors=np.zeros(ENVS, np.int32),
        rewards=np.zeros((ENVS, sizes.seats), np.float32),
        dones=np.zeros(ENVS, np.uint8),
        illegal=np.zeros(ENVS, np.uint8),
        threads=CORES,
    )

    def play() -> int:
        vector.choose()
        vector.step()
        return ENVS

    for _ in range(50):  # into the middle of games
        play()
    return play, 4 * sizes.num_features + sizes.mask_bytes


def play_core(game: Game) -> Callable[[], int]:
    """Random games of the core alone."""
    seeds = iter(range(1 << 30))
    return lambda: int(playouts(game, {}, next(seeds), 1)["moves"])


def play_pettingzoo() -> Callable[[], int]:
    """Episodes of PettingZoo's connect four."""
    env = connect_four.env()
    chance = random.Random(1)

    def play() -> int:
        steps = 0
        env.reset(seed=chance.randrange(1 << 30))
        for _agent in env.agent_iter():
            observation, _, terminated, truncated, _ = env.last()
            over = terminated or truncated
            legal: Any = [] if over else np.flatnonzero(observation["action_mask"])
            env.step(None if over else int(chance.choice(legal)))
            steps += not over
        return steps

    return play


def play_open_spiel() -> Callable[[], int]:
    """Steps of OpenSpiel's vector environment, which returns observations and legal actions."""
    envs = vector_env.SyncVectorEnv([rl_environment.Environment("connect_four") for _ in range(32)])
    chance = random.Random(1)
    latest: list[Any] = [envs.reset()]

    def choose(step: Any) -> rl_agent.StepOutput:
        seat = step.observations["current_player"]
        return rl_agent.StepOutput(chance.choice(step.observations["legal_actions"][seat]), [])

    def play() -> int:
        chosen = [choose(step) for step in latest[0]]
        latest[0], _, _, _ = envs.step(chosen, reset_if_done=True)
        return len(chosen)

    return play


def play_pgx() -> Callable[[], int]:
    """Steps of Pgx's connect four, compiled together with the random choice."""
    # Last, because it comes with other versions of what we have, and with a package `tests`.
    sys.path.append(str(PGX_FOLDER))
    jax: Any = import_module("jax")
    env: Any = import_module("pgx").make("connect_four")
    auto_reset: Any = import_module("pgx.experimental.wrappers").auto_reset
    step = jax.vmap(auto_reset(env.step, env.init))

    def turn(states: Any, key: Any) -> Any:
        key, choosing, resetting = jax.random.split(key, 3)
        logits = jax.numpy.where(states.legal_action_mask, 0.0, -jax.numpy.inf)
        actions = jax.random.categorical(choosing, logits)
        return step(states, actions, jax.random.split(resetting, ENVS)), key

    compiled = jax.jit(turn)
    key = jax.random.PRNGKey(1)
    latest: list[Any] = [jax.vmap(env.init)(jax.random.split(key, ENVS)), key]

    def play() -> int:
        latest[:] = jax.block_until_ready(compiled(*latest))
        return ENVS

    play()
    return play


def measure() -> tuple[list[Row], dict[str, list[float]]]:
    """All rows, and the others' CPU seconds per step, by turn."""
    games = {**GAMES, **TESTING_GAMES}
    ours = {name: play_vector(game) for name, game in games.items()}
    cores = {name: play_core(game) for name, game in games.items()}
    others = {PETTINGZOO: play_pettingzoo(), OPEN_SPIEL: play_open_spiel()}
    if PGX_FOLDER.exists():
        others[PGX] = play_pgx()
    seconds: dict[str, list[float]] = {name: [] for name in (*games, *others)}
    own: dict[str, list[float]] = {name: [] for name in games}
    for _ in track(range(TURNS), "Learning", console=Console(stderr=True)):
        for name, (play, _) in ours.items():
            seconds[name].append(per_step(play))
            own[name].append(per_step(cores[name]))
        for name, play in others.items():
            seconds[name].append(per_step(play))
    rows = [Row(name, ours[name][1], seconds[name], median(own[name])) for name in games]
    return rows, {name: seconds[name] for name in others}


def main() -> int:
    """Print a table; 1 if a game is slower than promised."""
    rows, others = measure()
    table = Table(title=f"Steps with observations and masks, {ENVS} games, two cores")
    for title in ("game", "bytes shown", "steps/s", "µs", "core (µs)"):
        table.add_column(title, justify="left" if title == "game" else "right")
    for title in (*(name.split()[0] for name in others), ""):
        table.add_column(title, justify="right")
    for row in rows:
        ratios = row.ratios(others[PETTINGZOO])
        note("learning", f"steps of {row.game}, to {PETTINGZOO}", ratios, row.times)
        table.add_row(
            row.game,
            str(row.shown),
            f"{row.rate / 1e6:.2f} M",
            f"{1e6 * median(row.seconds):.3f}",
            f"{1e6 * row.core:.3f}",
            *(
                f"{row.ratio(seconds):.{0 if row.ratio(seconds) >= 10 else 1}f}x"
                for seconds in others.values()
            ),
            "ok" if row.kept(others[PETTINGZOO]) else "BELOW",
        )
    for name, seconds in others.items():
        table.add_row(name, "", f"{CORES / median(seconds):,.0f}", f"{1e6 * median(seconds):.2f}")
    Console(width=None if sys.stdout.isatty() else 120).print(table)
    return 0 if all(row.kept(others[PETTINGZOO]) for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
