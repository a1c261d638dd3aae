"""Tablier's games with PettingZoo's own tests.

The README of the adapters lists those that do not apply, and why.
"""

import copy
import pickle
import random
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pettingzoo.test as conformance
import pytest
from numpy.typing import NDArray
from pettingzoo.test.state_test import test_parallel_env as check_parallel_state
from pettingzoo.test.state_test import test_state as check_state
from pettingzoo.test.state_test import test_state_space as check_state_space
from pettingzoo.utils.wrappers import OrderEnforcingWrapper
from tablier_adapters.pettingzoo import TablierAEC, TablierParallel, aec_env, parallel_env
from tablier_adapters.turns import LocalSource
from tablier_core import asking
from tablier_core.errors import OptionError, UnknownGame
from tablier_core.position import Game

from tests.core.variants import Options, every_seat_count, label

EVERY_CASE = pytest.mark.parametrize(("game", "options"), every_seat_count(), ids=label)
# The tests warn about what is common among environments of board games.
pytestmark = [
    pytest.mark.filterwarnings(f"ignore:{text}")
    for text in (
        "Observation space for each agent probably should be",
        "Observation is not a NumPy array",
        "Observations between agents are different classes",
        "Observation numpy array is all zeros",
        "Action mask numpy array is all zeros",
        "The observation contains negative numbers",
        "Agent's maximum and minimum observation space values are equal",
        "Environment's maximum and minimum state space values are equal",
    )
]


@pytest.fixture(autouse=True)
def _quiet(capsys: pytest.CaptureFixture[str]) -> Iterator[None]:
    yield
    capsys.readouterr()


def play(env: TablierAEC, seed: int) -> Iterator[tuple[str, NDArray[Any], float, int | None]]:
    """Play a random episode."""
    chance = random.Random(seed)
    env.reset(seed=seed)
    for agent in env.agent_iter():
        shown, reward, terminated, _, info = env.last()
        assert shown is not None
        legal = np.flatnonzero(info["action_mask"])
        action = None if terminated else int(chance.choice(legal))
        yield agent, shown["observation"], reward, action
        env.step(action)


class ShapedDict(dict[str, NDArray[Any]]):
    """An observation that bombardment_test can compare: it asks dictionaries for their shape.

    Even PettingZoo's connect four fails that test.
    """

    @property
    def shape(self) -> tuple[int, ...]:
        return self["observation"].shape


class Shaped(TablierAEC):
    """Our environment for bombardment_test, which also expects `step` to return an observation.

    PettingZoo's api_test forbids that.
    """

    def observe(self, agent: str) -> ShapedDict:
        return ShapedDict(super().observe(agent))

    def step(self, action: int | None) -> Any:
        super().step(action)
        return self.observe(self.agent_selection) if self.agents else None


# ---- PettingZoo's tests --------------------------------------------------------------------------


@EVERY_CASE
def test_passes_the_tests_of_one_agent_at_a_time(game: Game, options: Options):
    def create() -> TablierAEC:
        return aec_env(game.name, options)

    conformance.api_test(create(), num_cycles=20)
    conformance.seed_test(create, num_cycles=8)
    conformance.bombardment_test(Shaped(LocalSource(game.name, options), None, -1), cycles=3)
    check_state_space(create())
    check_state(create(), num_cycles=4)


@EVERY_CASE
def test_passes_the_tests_of_all_agents_at_once(game: Game, options: Options):
    def create() -> TablierParallel:
        return parallel_env(game.name, options)

    conformance.parallel_api_test(create(), num_cycles=20)
    conformance.parallel_seed_test(create, num_cycles=5)
    check_state_space(create())
    check_parallel_state(create())


@EVERY_CASE
def test_passes_the_test_of_rendering(game: Game, options: Options):
    def create(render_mode: str | None = None) -> TablierAEC:
        return aec_env(game.name, options, render_mode=render_mode)

    conformance.render_test(create, {"svg": lambda drawn: drawn.startswith("<svg")})


def test_works_in_pettingzoos_wrappers():
    conformance.api_test(OrderEnforcingWrapper(aec_env("tic-tac-toe")), num_cycles=20)


# ---- Episodes ------------------------------------------------------------------------------------


@EVERY_CASE
def test_asks_for_the_moves_of_the_core(game: Game, options: Options):
    env = aec_env(game.name, options)
    position, waited = game.start(options, 3), 0
    for turn, (agent, shown, _, action) in enumerate(play(env, 3)):
        if action is None or turn == 80:
            break
        seat = asking.asked_seat(position, waited)
        assert agent == f"seat_{seat}"
        assert shown.tobytes() == position.features(seat)
        legal = np.flatnonzero(env.infos[agent]["action_mask"]).tolist()
        assert legal[: position.count_moves(seat)] == position.moves(seat)
        assert (legal[-1] == game.num_actions) == asking.can_wait(position, seat)
        for other in env.agents:
            mask = env.observe(other)["action_mask"]
            assert mask is env.infos[other]["action_mask"]
            assert other == agent or not mask.any()
        if action == game.num_actions:
            waited |= 1 << seat
        else:
            position, waited = position.apply(seat, action), 0


@pytest.mark.parametrize("name", ["tic-tac-toe", "contrast", "rock-paper-scissors", "kuhn-poker"])
def test_rewards_are_the_returns(name: str):
    env = aec_env(name)
    rewards = {agent: reward for agent, _, reward, action in play(env, 1) if action is None}
    assert [*rewards.values()] == env.turn.returns
    assert env.agents == []


def test_an_illegal_action_ends_the_episode():
    for action in (4, 9, -1):
        env = aec_env("tic-tac-toe")
        env.reset(seed=1)
        env.step(4)
        env.step(action)
        assert env.rewards == {"seat_0": 0.0, "seat_1": -1.0}
        assert all(env.terminations.values())
        for _ in range(2):
            env.step(None)
        assert env.agents == []


def test_equal_seeds_give_equal_episodes():
    first, second, third = (
        [shown.tobytes() for _, shown, _, _ in play(aec_env("contrat500"), seed)]
        for seed in (5, 5, 6)
    )
    assert first == second != third
    env = aec_env("contrat500")
    env.reset(seed=5)
    env.reset()
    unseeded = env.state().tobytes()
    env.reset(seed=5)
    env.reset()
    assert env.state().tobytes() == unseeded


@pytest.mark.parametrize(
    "copied", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))], ids=["copy", "pickle"]
)
@pytest.mark.parametrize("name", ["contrast", "mafia-de-cuba"])
@pytest.mark.parametrize("create", [aec_env, parallel_env])
def test_copies_continue_identically(
    create: Callable[[str], Any], copied: Callable[[Any], Any], name: str
):
    env = create(name)
    env.reset(seed=1)
    for each in env.possible_agents:
        env.action_space(each).seed(1)
    for _ in range(7):
        act(env)
    twin = copied(env)
    for each in env.possible_agents:
        each_space, twin_space = env.action_space(each), twin.action_space(each)
        assert each_space.sample() == twin_space.sample()
    for _ in range(30):
        assert env.state().tobytes() == twin.state().tobytes()
        act(env)
        act(twin)
    env.reset()
    twin.reset()
    assert env.state().tobytes() == twin.state().tobytes()


def act(env: Any) -> None:
    """Play the highest legal action, or start again."""
    if not env.agents:
        env.reset()
    elif isinstance(env, TablierAEC):
        agent = env.agent_selection
        over = env.terminations[agent]
        env.step(None if over else int(np.flatnonzero(env.infos[agent]["action_mask"])[-1]))
    else:
        env.step({agent: int(np.flatnonzero(masks(env)[agent])[0]) for agent in env.agents})


def masks(env: TablierParallel) -> dict[str, NDArray[np.int8]]:
    """The masks of all agents."""
    _, infos = env._show()
    return {agent: info["action_mask"] for agent, info in infos.items()}


# ---- All at once ---------------------------------------------------------------------------------


def test_all_seats_choose_at_once():
    env = parallel_env("rock-paper-scissors")
    env.reset(seed=1)
    _, rewards, terminations, _, _ = env.step({"seat_0": 0, "seat_1": 1})
    assert rewards == {"seat_0": -1.0, "seat_1": 1.0}
    assert terminations == {"seat_0": True, "seat_1": True}
    assert env.agents == []


def test_an_illegal_action_of_one_ends_the_episode_of_all():
    for action in (3, 9, -1):
        env = parallel_env("rock-paper-scissors")
        env.reset(seed=1)
        _, rewards, terminations, truncations, _ = env.step({"seat_0": 0, "seat_1": action})
        assert rewards == {"seat_0": 0.0, "seat_1": -1.0}
        assert terminations == {"seat_0": True, "seat_1": True}
        assert not any(truncations.values())
        assert env.agents == []
        assert env.turn.position.ply == 0


def test_one_round_of_contrast_is_one_step():
    env = parallel_env("contrast", {"seats": 4})
    env.reset(seed=1)
    assert not any(mask[-1] for mask in masks(env).values())
    ply = env.turn.position.ply
    act(env)
    assert env.turn.position.ply == ply + 4


def test_who_cannot_move_waits():
    env = parallel_env("tic-tac-toe")
    env.reset(seed=1)
    assert masks(env)["seat_1"].tolist() == [0] * 9 + [1]
    _, rewards, terminations, _, infos = env.step({"seat_0": 4, "seat_1": 9})
    assert not any(rewards.values())
    assert not any(terminations.values())
    assert infos["seat_0"]["action_mask"].tolist() == [0] * 9 + [1]
    _, rewards, terminations, _, _ = env.step({"seat_0": 9, "seat_1": 4})
    assert rewards == {"seat_0": 0.0, "seat_1": -1.0}
    assert all(terminations.values())


def test_statements_come_before_the_question():
    env = parallel_env("mafia-de-cuba", {"seats": 5})
    env.reset(seed=1)
    while env.turn.position.phase != "inquiry":
        act(env)
    shown = masks(env)
    assert not shown["seat_0"][-1]
    assert all(shown[f"seat_{seat}"][-1] for seat in range(1, 5))
    before = env.turn.position
    actions = {agent: int(np.flatnonzero(mask)[0]) for agent, mask in shown.items()}
    env.step({**actions, "seat_2": env.wait})
    # The order does not begin again after a statement, and the Godfather moves in the same step.
    for seat in (1, 3, 4, 0):
        before = before.apply(seat, actions[f"seat_{seat}"])
    assert env.turn.position == before


# ---- Pictures and errors -------------------------------------------------------------------------


def test_draws_what_a_viewer_sees():
    texts = set()
    for viewer in (-1, 0, 1):
        env = aec_env("kuhn-poker", render_mode="ansi", viewer=viewer)
        env.reset(seed=1)
        texts.add(env.render())
    assert len(texts) == 3
    pixels = aec_env("kuhn-poker", render_mode="rgb_array")
    pixels.reset(seed=1)
    drawn = pixels.render()
    assert drawn.shape[2] == 3
    assert len(np.unique(drawn.reshape(-1, 3), axis=0)) > 3
    silent = aec_env("kuhn-poker")
    silent.reset()
    assert silent.render() is None


def test_rejects_invalid_arguments():
    with pytest.raises(UnknownGame):
        aec_env("chess")
    with pytest.raises(OptionError):
        parallel_env("pig", {"target": 1})
    with pytest.raises(ValueError, match="render_mode"):
        aec_env("pig", render_mode="hologram")
    env = aec_env("pig")
    env.reset()
    with pytest.raises(ValueError, match="must act"):
        env.step(None)
