"""A policy gradient in NumPy that learns to beat random players at Contrat 500.

    python -m examples.learn.policy_gradient

It learns from single deals, which end soon, and is judged in whole matches to 500 points. The core
steps all games by one call, and plays the random player's seat inside of it. The algorithm is PPO:
play a few turns of all games, then make the actions that did better than expected more likely.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any, NamedTuple

import click
import numpy as np
from numpy.typing import NDArray

from examples.learn.games import MATCH, RULES, SINGLE_DEAL, Games, count_wins
from examples.learn.judging import Curve, describe

Floats = NDArray[np.float32]
Bools = NDArray[np.bool_]
ENVS, TURNS, BATCH, HIDDEN = 512, 16, 2048, 192
DISCOUNT, TRACE, CLIP, ENTROPY, RATE = 0.98, 0.9, 0.2, 0.003, 1e-3
PARTS = {part.name: slice(part.offset, part.offset + part.size) for part in RULES.features}


def encode(seen: Floats) -> Floats:
    """Return what matters of what a seat observes, with a one for each value that is true."""
    hand = seen[:, PARTS["hand"], None] > np.arange(4)
    contracts = seen[:, PARTS["contracts"], None][:, :4] == np.arange(31)
    parts = (hand, contracts, seen[:, PARTS["discard"]], seen[:, PARTS["phase"]])
    return np.concatenate([part.reshape(len(seen), -1) for part in parts], 1, dtype=np.float32)


class Turns(NamedTuple):
    """Turns to learn from, one per row."""

    x: Floats  # what was observed
    masks: Bools  # what was legal
    actions: NDArray[np.intp]  # what was done
    before: Floats  # how probable that was then
    gains: Floats  # how much better it was than expected
    goals: Floats  # the return that was to be expected


class Network:
    """One hidden layer, with an output for each action and one for the expected return."""

    def __init__(self, seed: int) -> None:
        chance = np.random.default_rng(seed)
        inputs = encode(np.zeros((1, RULES.num_features), np.float32)).size
        inner = chance.normal(0, inputs**-0.5, (inputs, HIDDEN))
        outer = chance.normal(0, 0.01, (HIDDEN, RULES.num_actions + 1))
        weights = (inner, np.zeros(HIDDEN), outer, np.zeros(RULES.num_actions + 1))
        self.weights = [each.astype(np.float32) for each in weights]
        self.means = [np.zeros_like(each) for each in self.weights]
        self.squares = [np.zeros_like(each) for each in self.weights]
        self.steps = 0

    def save(self, path: str) -> None:
        """Write the weights to a file."""
        np.savez(path, *self.weights)

    def load(self, path: str) -> None:
        """Read the weights from a file."""
        with np.load(path) as stored:
            self.weights = [stored[name] for name in stored.files]

    def forward(self, x: Floats, masks: Bools) -> tuple[Floats, Floats, Floats]:
        """Return the hidden layer, the probabilities of the actions and the expected returns."""
        inner, inner_bias, outer, outer_bias = self.weights
        hidden = np.maximum(x @ inner + inner_bias, 0)
        out = hidden @ outer + outer_bias
        scores = np.where(masks, out[:, :-1], -np.inf)
        odds = np.exp(scores - scores.max(1, keepdims=True))
        return hidden, odds / odds.sum(1, keepdims=True), out[:, -1]

    def choose(self, seen: Floats, masks: Bools, chance: np.random.Generator) -> NDArray[np.intp]:
        """Draw a legal action for every row."""
        return draw(self.forward(encode(seen), masks)[1], chance)

    def learn(self, turns: Turns) -> None:
        """Take a step of Adam along the gradient of PPO, of the expected returns and of entropy."""
        x, masks, actions, before, gains, goals = turns
        hidden, odds, values = self.forward(x, masks)
        rows = np.arange(len(x))
        ratio = odds[rows, actions] / before
        kept = np.where(gains > 0, ratio < 1 + CLIP, ratio > 1 - CLIP)
        pull = (gains * ratio * kept)[:, None]
        logs = np.log(np.maximum(odds, 1e-9))
        out = np.empty((len(x), RULES.num_actions + 1), np.float32)
        out[:, :-1] = odds * (pull + ENTROPY * (logs - (odds * logs).sum(1, keepdims=True)))
        out[rows, actions] -= pull[:, 0]
        out[:, -1] = 0.5 * (values - goals)
        out /= len(x)
        back = (out @ self.weights[2].T) * (hidden > 0)
        self.steps += 1
        rate = RATE * (1 - 0.999**self.steps) ** 0.5 / (1 - 0.9**self.steps)
        slopes = (x.T @ back, back.sum(0), hidden.T @ out, out.sum(0))
        for i, slope in enumerate(slopes):
            self.means[i] += 0.1 * (slope - self.means[i])
            self.squares[i] += 0.001 * (slope**2 - self.squares[i])
            self.weights[i] -= rate * self.means[i] / (np.sqrt(self.squares[i]) + 1e-8)


def draw(odds: Floats, chance: np.random.Generator) -> NDArray[np.intp]:
    """Draw an action per row, none whose probability is 0."""
    sums = odds.cumsum(1)
    drawn: NDArray[np.intp] = (sums > sums[:, -1:] * chance.random((len(odds), 1))).argmax(1)
    return drawn


def train(network: Network, games: Games, seed: int) -> Iterator[int]:
    """Improve a network in place, and yield the number of turns that it has played so far."""
    chance = np.random.default_rng(seed)
    count, played = len(games.seats), 0
    while True:
        kept = []
        for _ in range(TURNS):
            x, masks = encode(games.seen), games.masks.copy()
            _, odds, values = network.forward(x, masks)
            actions = draw(odds, chance)
            rewards = games.step(actions)
            before = odds[np.arange(count), actions]
            kept.append((x, masks, actions, before, values, rewards, games.dones.copy()))
        x, masks, actions, before, values, rewards, dones = map(np.stack, zip(*kept, strict=True))
        last = network.forward(encode(games.seen), games.masks)[2]
        nexts = np.concatenate([values[1:], last[None]])
        gains = rewards + DISCOUNT * nexts * ~dones - values
        for turn in reversed(range(TURNS - 1)):
            gains[turn] += DISCOUNT * TRACE * gains[turn + 1] * ~dones[turn]
        scaled = (gains - gains.mean()) / (gains.std() + 1e-6)
        whole = (x, masks, actions, before, scaled, gains + values)
        rows: list[Any] = [each.reshape(TURNS * count, *each.shape[2:]) for each in whole]
        for batch in chance.permutation(TURNS * count).reshape(-1, BATCH):
            network.learn(Turns(*(each[batch] for each in rows)))
        played += TURNS * count
        yield played


@click.command()
@click.option("--turns", default=3_000_000, show_default=True, help="Turns to learn from.")
@click.option("--every", default=200_000, show_default=True, help="Turns between two judgements.")
@click.option("--matches", default=400, show_default=True, help="Matches of a judgement.")
@click.option("--seed", default=1, show_default=True, help="Seed of everything that is random.")
@click.option("--save", type=click.Path(), help="File for the weights.")
@click.option("--plot", type=click.Path(), help="File for a picture of the learning curve.")
def main(
    turns: int, every: int, matches: int, seed: int, save: str | None, plot: str | None
) -> None:
    """Learn to beat random players, and show the learning curve."""
    network, start = Network(seed), time.monotonic()
    learners = [game % 2 for game in range(ENVS)]
    curve, judged = Curve(), -every
    for played in train(network, Games(SINGLE_DEAL, learners, seed), seed):
        if played - judged >= every or played >= turns:
            judged = played
            wins = count_wins(network.choose, MATCH, matches, seed=played)
            curve.add(played, time.monotonic() - start, wins, matches)
            print(
                f"{played:>9,} turns, {time.monotonic() - start:4.0f} s: {describe(wins, matches)}"
            )
        if played >= turns:
            break
    if save:
        network.save(save)
    if plot:
        curve.draw(plot, "Contrat 500, two seats: matches won against a random player")


if __name__ == "__main__":
    main()
