"""Games on a service have the same results as games in this process, in every adapter."""

import copy
import os
import pickle
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from gymnasium.utils.env_checker import data_equivalence
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from tablier_adapters import service
from tablier_adapters.gymnasium import SeatEnv
from tablier_adapters.open_spiel import TablierState, load
from tablier_adapters.pettingzoo import aec_env, parallel_env
from tablier_adapters.players import Player
from tablier_adapters.service import ServiceSource
from tablier_adapters.turns import LocalSource, Source
from tablier_core.registry import GAMES

from tests.clients.adapters.test_pettingzoo import act
from tests.live_server import TIMEOUT_SECONDS, LiveServer, running

# Few moves, or seats that choose at the same time. Other games have their defaults.
OPTIONS: dict[str, dict[str, object]] = {
    "contigo-alignment": {"turn_limit": 10},
    "contigo-capture": {"turn_limit": 8},
    "contrast": {"seats": 3},
    "contrat500": {"seats": 3},
}
every_game = pytest.mark.parametrize("name", sorted(GAMES))


@pytest.fixture(scope="module", name="address")
def connected(live_server: LiveServer) -> Iterator[str]:
    yield live_server.grpc_address
    disconnect(live_server.grpc_address)


def disconnect(address: str) -> None:
    client, session = service.connect(address)
    session.close()
    client.close()
    service.connect.cache_clear()


def sources(name: str, address: str) -> tuple[LocalSource, ServiceSource]:
    options = OPTIONS.get(name, {})
    return LocalSource(name, options), ServiceSource(name, options, address)


@every_game
def test_one_agent_at_a_time(name: str, address: str):
    ours, theirs = (aec_env(name, source=source) for source in sources(name, address))
    for env in (ours, theirs):
        env.reset(seed=3)
    for step in range(40):
        assert theirs.agent_selection == ours.agent_selection
        assert theirs.rewards == ours.rewards
        assert theirs.terminations == ours.terminations
        if step % 10 == 0:
            assert theirs.state().tobytes() == ours.state().tobytes()
        for env in (ours, theirs):
            shown = env.observe(env.agent_selection)
            assert env.observation_space(env.agent_selection).contains(shown)
        pairs = [env.observe(env.agent_selection) for env in (ours, theirs)]
        for part in ("observation", "action_mask"):
            assert pairs[0][part].tobytes() == pairs[1][part].tobytes()
        if not ours.agents or ours.terminations[ours.agent_selection]:
            break
        act(ours)
        act(theirs)


@every_game
def test_all_agents_at_once(name: str, address: str):
    ours, theirs = (parallel_env(name, source=source) for source in sources(name, address))
    answers: list[Any] = [env.reset(seed=5) for env in (ours, theirs)]
    for _ in range(8):
        (seen, *_, infos), (their_seen, *_, _) = answers
        for agent in seen:
            for part in ("observation", "action_mask"):
                assert seen[agent][part].tobytes() == their_seen[agent][part].tobytes()
        if len(answers[0]) == 5:
            assert answers[0][1:4] == answers[1][1:4]
        if not ours.agents:
            break
        actions = {agent: int(np.flatnonzero(infos[agent]["action_mask"])[0]) for agent in infos}
        answers = [env.step(actions) for env in (ours, theirs)]


@every_game
@pytest.mark.parametrize("opponents", ["random", 1])
def test_one_seat(name: str, opponents: Player, address: str):
    envs = [
        SeatEnv(name, source=source, opponents=opponents, seat=1)
        for source in sources(name, address)
    ]
    seen = [env.reset(seed=9)[0].tobytes() for env in envs]
    for _ in range(6):
        assert seen[0] == seen[1]
        (action,) = {int(np.flatnonzero(env.action_masks())[-1]) for env in envs}
        answers = [env.step(action) for env in envs]
        seen = [answer[0].tobytes() for answer in answers]
        assert answers[0][1:4] == answers[1][1:4]
        if answers[0][2]:
            break


@every_game
def test_a_vector_of_seats(name: str, address: str):
    """`SeatVectorEnv` plays in this process only; Gymnasium's own vector plays anywhere."""

    def create(source: Source) -> SyncVectorEnv:
        seats = [partial(SeatEnv, name, source=source, seat=seat) for seat in (0, 1, 0)]
        return SyncVectorEnv(seats, autoreset_mode=AutoresetMode.SAME_STEP)

    vectors = [create(source) for source in sources(name, address)]
    answers: list[Any] = [envs.reset(seed=11) for envs in vectors]
    for step in range(8):
        seen, *rest, infos = answers[0]
        their_seen, *their_rest, their_infos = answers[1]
        assert seen.tobytes() == their_seen.tobytes()
        assert [each.tolist() for each in rest] == [each.tolist() for each in their_rest]
        assert data_equivalence(infos, their_infos)
        masks = infos["action_mask"]
        actions = [int(np.flatnonzero(mask)[-1]) for mask in masks]
        if step == 3:  # an illegal action ends the episode of the last game, which starts again
            actions[2] = int(np.flatnonzero(masks[2] == 0)[0])
        assert step != 4 or rest[1].tolist()[2]
        answers = [envs.step(np.array(actions)) for envs in vectors]


@every_game
def test_open_spiel(name: str, address: str):
    chance = np.random.default_rng(2)
    ours, theirs = (
        load(name, OPTIONS.get(name, {}), deals=8, service=where).new_initial_state()
        for where in ("", address)
    )
    for state in (ours, theirs):
        state.apply_action(3)
    for _ in range(12):
        assert shown(theirs) == shown(ours)
        if ours.is_terminal():
            break
        seat = ours.current_player()
        worlds = {str(state.resample_from_infostate(seat, lambda: 0.3)) for state in (ours, theirs)}
        assert len(worlds) == 1
        action = int(chance.choice(ours.legal_actions()))
        for state in (ours, theirs):
            state.apply_action(action)
    again = pickle.loads(pickle.dumps(theirs))
    assert shown(again) == shown(ours)


def shown(state: TablierState) -> list[Any]:
    """All that OpenSpiel shows of a state."""
    seats = range(state.num_players())
    return [
        state.current_player(),
        state.legal_actions(),
        state.returns(),
        str(state),
        *(state.information_state_string(seat) for seat in seats),
        *(state.observation_string(seat) for seat in seats),
        *(state.observation_tensor(seat) for seat in seats),
    ]


def test_copies_and_pickles_continue_on_the_service(address: str):
    env = aec_env("mafia-de-cuba", source=ServiceSource("mafia-de-cuba", {}, address))
    env.reset(seed=1)
    for _ in range(9):
        act(env)
    for twin in (copy.deepcopy(env), pickle.loads(pickle.dumps(env))):
        for _ in range(3):
            assert twin.state().tobytes() == env.state().tobytes()
            act(env)
            act(twin)


@pytest.mark.parametrize("mode", ["ansi", "svg"])
def test_draws_the_same_pictures(mode: str, address: str):
    drawn = []
    for source in sources("contrat500", address):
        env = aec_env("contrat500", source=source, render_mode=mode, viewer=1)
        env.reset(seed=4)
        drawn.append(env.render())
    assert drawn[0] == drawn[1]


def test_sealed_tokens_are_enough_to_play():
    with running(seal_keys=f"1:{'A' * 43}=") as server:
        source = ServiceSource("contrat500", OPTIONS["contrat500"], server.grpc_address)
        envs = [
            aec_env("contrat500", source=each)
            for each in (source, LocalSource(source.name, source.options))
        ]
        for env in envs:
            env.reset(seed=6)
        for _ in range(10):
            for env in envs:
                act(env)
            assert envs[0].state().tobytes() == envs[1].state().tobytes()
        disconnect(server.grpc_address)


def test_rejects_a_service_with_other_features(address: str):
    turn: Any = ServiceSource("contrast", {}, address).start(1)
    turn.game = SimpleNamespace(name="contrast", features_version=99)
    with pytest.raises(ValueError, match="this process has 99"):
        turn.observe(0)


def test_a_program_that_leaves_its_connection_open_ends(address: str):
    source = (
        "from tablier_adapters.service import ServiceSource\n"
        f"print(ServiceSource('contrast', {{'seats': 3}}, '{address}').start(1).actors)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", source],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        timeout=TIMEOUT_SECONDS,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "(0, 1, 2)\n", "")
