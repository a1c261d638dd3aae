"""How good is a policy? Matches against random players and levels, with confidence intervals.

    python -m examples.learn.policy_gradient --save policy.npz
    python -m examples.learn.evaluate policy.npz --opponent random --opponent 1 --opponent 3

A policy is a function from an observation and a mask to an action, so you can judge any other one
with `count_wins`.
"""

from __future__ import annotations

import click
import numpy as np
from tablier_adapters.gymnasium import SeatEnv
from tablier_adapters.players import Player, Policy

from examples.learn.games import MATCH, RULES, SEATS
from examples.learn.judging import describe
from examples.learn.policy_gradient import Network


def count_wins(policy: Policy, opponent: Player, matches: int, seed: int) -> int:
    """Play matches, half of them from each seat, and return the wins."""
    wins = 0
    for match in range(matches):
        env = SeatEnv(RULES.name, MATCH, seat=match % SEATS, opponents=opponent)
        seen, info = env.reset(seed=seed + match)
        over, reward = False, 0.0
        while not over:
            seen, reward, over, _, info = env.step(policy(seen, info["action_mask"]))
        wins += reward > 0
    return wins


def policy_of(network: Network, seed: int) -> Policy:
    """Return a network as a policy for one game at a time."""
    chance = np.random.default_rng(seed)
    return lambda seen, mask: int(network.choose(seen[None], mask[None] > 0, chance)[0])


@click.command()
@click.argument("weights", type=click.Path(exists=True))
@click.option("--opponent", multiple=True, default=["random", "1", "3"], show_default=True)
@click.option("--matches", default=100, show_default=True, help="Matches against each opponent.")
@click.option("--seed", default=1, show_default=True, help="Seed of everything that is random.")
def main(weights: str, opponent: tuple[str, ...], matches: int, seed: int) -> None:
    """Judge the policy whose WEIGHTS were saved, against random players or levels."""
    network = Network(seed)
    network.load(weights)
    for name in opponent:
        player: Player = "random" if name == "random" else int(name)
        wins = count_wins(policy_of(network, seed), player, matches, seed)
        print(f"against {name}: {describe(wins, matches)}", flush=True)


if __name__ == "__main__":
    main()
