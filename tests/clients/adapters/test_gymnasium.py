"""One seat of a game with Gymnasium's own tests, and many at once."""

import copy
import pickle
import warnings
from typing import Any

import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from numpy.typing import NDArray
from tablier_adapters.gymnasium import SeatEnv, SeatVectorEnv
from tablier_adapters.players import Player
from tablier_core.position import Game

from tests.core.variants import ALL_GAMES, Options, every_seat_count, label

# An environment without registration is checked without its render modes; another test has these.
pytestmark = pytest.mark.filterwarnings(
    "ignore:.*Not able to test alternative render modes",
    "ignore:.*A Box observation space maximum and minimum values are equal",
    "ignore:.*Box low's precision",
)


def choose(mask: NDArray[Any], chance: np.random.Generator) -> int:
    return int(chance.choice(np.flatnonzero(mask)))


@pytest.mark.parametrize(("game", "options"), every_seat_count(), ids=label)
def test_passes_gymnasiums_check(game: Game, options: Options):
    last = game.start(options, 0).seats - 1
    for seat in (0, last):
        check_env(SeatEnv(game.name, options, seat=seat))


@pytest.mark.parametrize("name", ALL_GAMES)
def test_plays_episodes_to_their_end(name: str):
    options: Options = {"max_deals": 1} if name == "contrat500" else {}
    options = {"turn_limit": 6} if name.startswith("contigo") else options
    env = SeatEnv(name, options, seat=1)
    chance = np.random.default_rng(1)
    for seed in range(2):
        shown, info = env.reset(seed=seed)
        terminated = False
        while not terminated:
            assert env.observation_space.contains(shown)
            assert (info["action_mask"] == env.action_masks()).all()
            shown, reward, terminated, truncated, info = env.step(
                choose(env.action_masks(), chance)
            )
            assert not truncated
            assert terminated or reward == 0
        assert reward == env.turn.returns[1]


def test_an_illegal_action_ends_the_episode():
    env = SeatEnv("tic-tac-toe")
    env.reset(seed=1)
    env.step(4)
    shown, reward, terminated, _, _ = env.step(4)
    assert (reward, terminated) == (-1.0, True)
    assert env.observation_space.contains(shown)


def first_legal(observation: NDArray[np.float32], mask: NDArray[np.int8]) -> int:
    return int(np.flatnonzero(mask)[0])


@pytest.mark.parametrize("opponents", ["random", 1, first_legal, [first_legal, 1, "random", 2]])
def test_opponents_are_players_of_any_kind(opponents: Any):
    def episode() -> list[bytes]:
        env = SeatEnv("contrast", {"seats": 4}, seat=0, opponents=opponents)
        chance = np.random.default_rng(1)
        env.reset(seed=7)
        shown = []
        for _ in range(12):
            observation, _, terminated, _, _ = env.step(choose(env.action_masks(), chance))
            shown.append(observation.tobytes())
            if terminated:
                break
        return shown

    assert episode() == episode()


def test_a_level_takes_part_in_the_inquiry():
    env = SeatEnv("mafia-de-cuba", {"seats": 5}, seat=0, opponents=1)
    env.reset(seed=3)
    chance = np.random.default_rng(1)
    phases = set()
    for _ in range(40):
        phases.add(env.turn.position.phase)
        if env.step(choose(env.action_masks(), chance))[2]:
            env.reset()
    assert "inquiry" in phases


def test_a_level_is_stronger_than_random_players():
    wins: dict[Player, int] = {"random": 0, 5: 0}
    for opponent in wins:
        env = SeatEnv("connect-four", opponents=opponent)
        chance = np.random.default_rng(1)
        for seed in range(15):
            env.reset(seed=seed)
            terminated = False
            while not terminated:
                _, reward, terminated, _, _ = env.step(choose(env.action_masks(), chance))
            wins[opponent] += reward > 0
    assert wins[5] < wins["random"]


def test_copies_continue_identically():
    env = SeatEnv("contrat500", opponents="random")
    env.reset(seed=1)
    for copied in (copy.deepcopy, lambda one: pickle.loads(pickle.dumps(one))):
        twin = copied(env)
        for _ in range(20):
            actions = [int(np.flatnonzero(one.action_masks())[-1]) for one in (env, twin)]
            shown = [
                one.step(action)[0].tobytes()
                for one, action in zip((env, twin), actions, strict=True)
            ]
            assert shown[0] == shown[1]


@pytest.mark.parametrize("player", ["clever", 0, 11, None, 1.5])
def test_rejects_invalid_players(player: Any):
    with pytest.raises((ValueError, TypeError)):
        SeatEnv("pig", opponents=player)


def test_rejects_invalid_arguments():
    with pytest.raises(ValueError, match="from 0 to 1"):
        SeatEnv("pig", seat=2)
    players: list[Player] = ["random"]
    with pytest.raises(ValueError, match="each of 2 seats"):
        SeatEnv("pig", opponents=players)
    with pytest.raises(ValueError, match="render_mode"):
        SeatEnv("pig", render_mode="hologram")


@pytest.mark.parametrize("mode", ["ansi", "svg", "rgb_array", "human"])
def test_draws(mode: str, capsys: pytest.CaptureFixture[str]):
    env = SeatEnv("kuhn-poker", render_mode=mode, viewer=0)
    env.reset(seed=1)
    drawn = env.render()
    if mode == "human":
        assert drawn is None
        assert "?" in capsys.readouterr().out
    elif mode == "rgb_array":
        assert drawn.dtype == np.uint8
    else:
        assert "?" in drawn


# ---- Many games at once --------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["connect-four", "contrast", "contigo-alignment", "mafia-de-cuba"])
def test_many_games_at_once(name: str):
    envs = SeatVectorEnv(name, num_envs=6, threads=2)
    chance = np.random.default_rng(1)
    shown, info = envs.reset(seed=3)
    kept = shown.copy()
    for _ in range(60):
        assert envs.observation_space.contains(shown)
        actions = np.array([choose(mask, chance) for mask in info["action_mask"]])
        assert envs.action_space.contains(actions)
        before, (shown, rewards, ended, truncated, info) = shown, envs.step(actions)
        assert not np.shares_memory(before, shown)
        assert not truncated.any()
        assert not rewards[~ended].any()
        if ended.any():
            assert (info["_final_obs"] == ended).all()
            assert envs.single_observation_space.contains(info["final_obs"][ended][0])
    again, _ = envs.reset(seed=3)
    assert (again == kept).all()


def test_an_illegal_action_ends_its_episode_alone():
    envs = SeatVectorEnv("tic-tac-toe", num_envs=2, seats=[0, 0])
    envs.reset(seed=1)
    envs.step(np.array([4, 4]))
    legal = int(np.flatnonzero(envs.action_masks()[1])[0])
    shown, rewards, ended, _, info = envs.step(np.array([4, legal]))
    assert rewards.tolist() == [-1.0, 0.0]
    assert ended.tolist() == info["illegal"].tolist() == [True, False]
    assert envs.action_masks()[0].all()
    assert not envs.action_masks()[1].all()
    del shown


def test_check_warns_of_nothing_else():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        check_env(SeatEnv("connect-four"), skip_render_check=True)
    assert [
        str(one.message) for one in caught if "alternative render" not in str(one.message)
    ] == []
