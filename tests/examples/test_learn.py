"""The learners do in little time what they promise, only less well."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from examples.learn.evaluate import count_wins, policy_of
from examples.learn.games import MATCH, SINGLE_DEAL, Games
from examples.learn.games import count_wins as count_wins_at_once
from examples.learn.judging import Curve, describe, interval
from examples.learn.policy_gradient import Network, draw, train
from examples.learn.self_play import PoolGames, duel
from tests.examples.test_examples import code_lines
from tests.live_server import ROOT

LEARN = ROOT / "examples" / "learn"


def run(module: str, *arguments: str) -> str:
    """Run an example with these arguments and return what it prints."""
    done = subprocess.run(
        [sys.executable, "-m", f"examples.learn.{module}", *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def learned(turns: int) -> Network:
    """A network that has learned from so many turns."""
    network = Network(seed=1)
    games = Games(SINGLE_DEAL, [game % 2 for game in range(512)], seed=1)
    for played in train(network, games, seed=1):
        if played >= turns:
            break
    return network


@pytest.mark.slow
def test_the_policy_gradient_beats_random_players(tmp_path: Path):
    """In a twentieth of the turns that it takes by default."""
    weights, plot = tmp_path / "policy.npz", tmp_path / "curve.svg"
    arguments = ("--turns", "250000", "--every", "250000", "--matches", "100")
    printed = run("policy_gradient", *arguments, "--save", str(weights), "--plot", str(plot))
    *_, last = re.findall(r"won (\d+) of 100 games", printed)
    assert int(last) >= 80
    assert "<svg" in plot.read_text()
    printed = run("evaluate", str(weights), "--opponent", "random", "--matches", "4")
    assert re.fullmatch(r"against random: won [1-4] of 4 games, .*\n", printed)
    printed = run("evaluate", str(weights), "--opponent", "1", "--matches", "1")
    assert re.fullmatch(r"against 1: won [01] of 1 games, .*\n", printed)


@pytest.mark.slow
def test_self_play_improves_on_its_past_selves():
    printed = run("self_play", "--turns", "100000", "--every", "50000", "--matches", "50")
    assert len(re.findall(r"turns, against the last self: won \d+ of 50", printed)) == 2
    (wins,) = re.findall(r"against the first self: won (\d+) of 50", printed)
    assert int(wins) > 30
    assert re.search(r"against random players: won \d+ of 50", printed)


def test_learning_is_reproducible_and_improves_the_network():
    first, second = learned(20_000), learned(20_000)
    for ours, theirs in zip(first.weights, second.weights, strict=True):
        assert np.allclose(ours, theirs, atol=1e-4)
    assert any(
        (ours != start).any() for ours, start in zip(first.weights, Network(1).weights, strict=True)
    )


def test_draws_actions_by_their_probabilities():
    odds = np.tile(np.array([[0.0, 0.25, 0.0, 0.75, 0.0]], np.float32), (4000, 1))
    counts = np.bincount(draw(odds, np.random.default_rng(1)), minlength=5)
    assert counts[[0, 2, 4]].tolist() == [0, 0, 0]
    assert abs(counts[1] - 1000) < 4 * (4000 * 0.25 * 0.75) ** 0.5


def test_a_network_chooses_legal_actions():
    network, chance = Network(1), np.random.default_rng(2)
    games = Games(SINGLE_DEAL, [0, 1] * 32, seed=1)
    for _ in range(40):
        chosen = network.choose(games.seen, games.masks, chance)
        assert games.masks[np.arange(64), chosen].all()
        games.step(chosen)


@pytest.mark.slow
@pytest.mark.parametrize("opponent", ["random", 1])
def test_evaluation_plays_whole_matches(opponent: str | int):
    wins = count_wins(policy_of(Network(1), 1), opponent, 1, seed=1)  # type: ignore[arg-type]
    assert wins in (0, 1)


def test_the_pool_answers_until_the_learner_is_asked():
    pool = [Network(2), Network(3), Network(4)]
    games = PoolGames(SINGLE_DEAL, [0, 1] * 8, pool, seed=1)
    learner, chance, ended, total = Network(1), np.random.default_rng(1), 0, 0.0
    for _ in range(120):
        assert (games.actors == games.seats).all()
        rewards = games.step(learner.choose(games.seen, games.masks, chance))
        assert not rewards[~games.dones].any()
        ended += int(games.dones.sum())
        total += float(np.abs(rewards).sum())
    assert ended > 0


@pytest.mark.slow
def test_equal_networks_win_equally_often():
    wins = duel(Network(1), Network(1), 60, seed=1)
    low, high = interval(wins, 60, confidence=0.9999)
    assert low < 0.5 < high


@pytest.mark.slow
def test_random_weights_win_about_half_of_the_matches():
    wins = count_wins_at_once(Network(1).choose, MATCH, 60, seed=1)
    low, high = interval(wins, 60, confidence=0.9999)
    assert low < 0.5 < high


def test_intervals_are_those_of_wilson():
    # Computed by hand from the definition.
    low, high = interval(8, 10)
    assert (round(low, 4), round(high, 4)) == (0.4902, 0.9433)
    assert interval(0, 10)[0] == pytest.approx(0)
    assert interval(10, 10)[1] == pytest.approx(1)
    assert describe(95, 100) == "won 95 of 100 games, 95.0% (95% sure: 88.8% to 97.8%)"


def test_curves_are_drawn(tmp_path: Path):
    curve = Curve()
    curve.add(1000, 1.0, 5, 10)
    curve.add(2000, 2.0, 9, 10)
    curve.draw(str(tmp_path / "curve.svg"), "A title")
    assert "<svg" in (tmp_path / "curve.svg").read_text()


def test_the_policy_gradient_has_150_lines():
    assert code_lines(ast.parse((LEARN / "policy_gradient.py").read_text())) <= 150


def test_every_learner_is_listed():
    listed = re.findall(r"\(learn/([\w.-]+)\)", (ROOT / "examples" / "README.md").read_text())
    there = {path.name for path in LEARN.glob("*.py")} - {"__init__.py"}
    assert sorted(listed) == sorted(there)
