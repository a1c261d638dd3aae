"""Tablier's games with OpenSpiel's tests, bots and algorithms."""

import copy
import importlib
import os
import pickle
import random
import subprocess
import sys
from collections.abc import Callable, Iterator
from itertools import islice
from types import ModuleType

import numpy as np
import pyspiel
import pytest
import shimmy
from open_spiel.python import rl_environment
from open_spiel.python.algorithms import cfr, evaluate_bots, exploitability, ismcts, mcts
from open_spiel.python.bots import uniform_random
from tablier_adapters.open_spiel import (
    MAX_GAME_LENGTH,
    RolloutEvaluator,
    TablierGame,
    TablierState,
    load,
    short_name,
)
from tablier_adapters.pettingzoo import aec_env
from tablier_adapters.turns import ALL_GAMES, count_actions
from tablier_core import asking
from tablier_core.errors import MoveIllegal, MoveUnparsable, OptionError, UnknownGame
from tablier_core.position import REFEREE, Game, Position

from tests.core import laws
from tests.core.variants import Options, every_seat_count, label

Choose = Callable[[list[int]], int]


@pytest.fixture(scope="module")
def sim_test() -> ModuleType:
    """OpenSpiel's generic tests, imported here so that pytest does not collect them."""
    return importlib.import_module("open_spiel.python.tests.games_sim_test")


def play(game: TablierGame, choose: Choose) -> Iterator[TablierState]:
    """Yield the states of a random game, first to last."""
    state = game.new_initial_state()
    while not state.is_terminal():
        yield state
        action = choose(state.legal_actions())
        turn = state.turn
        state = state.child(action)
        if turn:
            assert position_of(state).pack() == turn.play(action).position.pack()
    yield state


def position_of(state: TablierState) -> Position:
    """The position of a state after the deal."""
    assert state.position is not None
    return state.position


def decisions(state: TablierState) -> Iterator[TablierState]:
    """Yield every later state in which a seat is to move."""
    if state.is_player_node():
        yield state
    for action in state.legal_actions():
        yield from decisions(state.child(action))


# ---- OpenSpiel's generic tests -------------------------------------------------------------------


@pytest.mark.parametrize(("game", "options"), every_seat_count(), ids=label)
@pytest.mark.parametrize("seed", [None, 5])
def test_passes_open_spiels_random_simulation(
    game: Game, options: Options, seed: int | None
) -> None:
    pyspiel.random_sim_test(load(game.name, options, seed), 1, serialize=True, verbose=False)


@pytest.mark.parametrize(("game", "options"), every_seat_count(), ids=label)
def test_passes_open_spiels_python_simulation(
    game: Game, options: Options, sim_test: ModuleType
) -> None:
    np.random.seed(3)
    sim_test.GamesSimTest("sim_game").sim_game(load(game.name, options))


@pytest.mark.parametrize("name", ALL_GAMES)
def test_passes_open_spiels_random_simulation_from_the_middle_of_a_game(name: str) -> None:
    # Limit matches of many deals, which are long and repetitive.
    game = load(name, {"max_deals": 1} if name == "contrat500" else {})
    *_, state = islice(play(game, random.Random(1).choice), 4)
    pyspiel.random_sim_test_with_specific_initial_state(game, 1, state, serialize=True)


def test_registers_every_game() -> None:
    known = {kind.short_name: kind for kind in pyspiel.registered_games()}
    assert len({short_name(game) for game in ALL_GAMES.values()}) == len(ALL_GAMES)
    for game in ALL_GAMES.values():
        kind = known[short_name(game)]
        assert kind.long_name == game.title
        assert (kind.min_num_players, kind.max_num_players) == (game.min_seats, game.max_seats)
        loaded = pyspiel.load_game(short_name(game))
        assert loaded.num_distinct_actions() == count_actions(game)
        assert game.min_seats <= loaded.num_players() <= game.max_seats
    assert "tablier_contigo_alignment" in known


def test_the_maximum_game_length_is_the_tested_one() -> None:
    assert laws.MAX_PLIES == MAX_GAME_LENGTH


def test_another_process_reads_pickles_and_exits_cleanly() -> None:
    game = load("pig", {"target": 9}, seed=3)
    pickled = pickle.dumps([game, game.new_initial_state().child(0)])
    source = "import pickle, sys; print(*pickle.load(sys.stdin.buffer), sep='|')"
    done = subprocess.run(
        [sys.executable, "-c", source],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        input=pickled,
        capture_output=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.decode() == f"{game}|{game.new_initial_state().child(0)}\n"


# ---- States --------------------------------------------------------------------------------------


@pytest.mark.parametrize(("game", "options"), every_seat_count(), ids=label)
def test_a_state_agrees_with_its_position(game: Game, options: Options) -> None:
    chance = random.Random(11)
    for state in play(load(game.name, options, seed=11), chance.choice):
        position = position_of(state)
        assert state.turn is not None
        assert state.num_players() == position.seats
        if position.over:
            assert state.current_player() == pyspiel.PlayerId.TERMINAL
            assert state.returns() == position.returns
            continue
        seat = asking.asked_seat(position, state.turn.waited)
        wait = asking.can_wait(position, seat)
        assert state.current_player() == seat
        assert state.legal_actions() == position.moves(seat) + [game.num_actions] * wait
        assert state.returns() == [0.0] * position.seats
        spelled = [state.action_to_string(action) for action in state.legal_actions()]
        assert spelled == position.notations(seat) + ["wait"] * wait
        assert state.string_to_action(spelled[-1]) == state.legal_actions()[-1]


def test_a_given_seed_starts_the_same_game_as_in_the_core() -> None:
    started = ALL_GAMES["kuhn-poker"].start({}, 9)
    fixed = load("kuhn-poker", seed=9)
    dealt = load("kuhn-poker", deals=10).new_initial_state()
    assert fixed.get_type().chance_mode == pyspiel.GameType.ChanceMode.DETERMINISTIC
    assert fixed.max_chance_outcomes() == 0
    assert fixed.new_initial_state().position == started
    assert dealt.child(9).position == started


def test_the_only_chance_node_is_the_root() -> None:
    game = load("pig", deals=8)
    assert game.get_type().chance_mode == pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC
    assert game.max_chance_nodes_in_history() == 1
    state = game.new_initial_state()
    assert state.is_chance_node()
    assert state.position is None
    assert state.chance_outcomes() == [(seed, 1 / 8) for seed in range(8)]
    assert state.action_to_string(7) == "deal 7"
    with pytest.raises(ValueError, match="no deal 8"):
        state.apply_action(8)
    states = [*play(game, lambda actions: actions[0])]
    assert [other.is_chance_node() for other in states] == [True] + [False] * (len(states) - 1)


@pytest.mark.parametrize("name", ALL_GAMES)
def test_copies_and_pickles_continue_identically(name: str) -> None:
    chance = random.Random(2)
    state = load(name).new_initial_state()
    for _ in range(5):
        state.apply_action(chance.choice(state.legal_actions()))
        if state.is_terminal():
            break
        packed = pickle.dumps(state)
        for twin in (state.clone(), copy.deepcopy(state), pickle.loads(packed)):
            assert twin.position == state.position
            assert twin.history() == state.history()
            move = twin.legal_actions()[-1]
            twin.apply_action(move)
            assert str(twin) == str(state.child(move)) != str(state)


def test_rejects_invalid_arguments_and_moves() -> None:
    with pytest.raises(UnknownGame, match="contigo-alignment"):
        load("chess")
    with pytest.raises(OptionError):
        load("pig", {"target": 1})
    with pytest.raises(OptionError):
        load("pig", {"goal": 10})
    for seed in (-1, 2**31):
        with pytest.raises(ValueError, match="seed must be"):
            load("pig", seed=seed)
    with pytest.raises(ValueError, match="seed must be"):
        pyspiel.load_game("tablier_pig(seed=-2)")
    with pytest.raises(ValueError, match="at least 1"):
        load("pig", deals=0)
    for text in ("x", "[1]"):
        with pytest.raises(OptionError):
            pyspiel.load_game("tablier_pig", {"options": text})
    state = load("tic-tac-toe", seed=0).new_initial_state()
    state.apply_action(4)
    with pytest.raises(MoveIllegal):
        state.apply_action(4)
    with pytest.raises(MoveUnparsable):
        state.apply_action(9)
    for nobody in (-1, 2):
        with pytest.raises(pyspiel.SpielError):
            state.information_state_string(nobody)
    # Rejected moves must not change the state.
    assert state.history() == [4]


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"advanced": True, "turn_limit": 30},
        {
            "beads": [0, 1, 2, 3] * 7,
            "first": 1,
            "layout": "RRR.BB/B....R/....../....../R....B/BB.RRR",
        },
    ],
)
def test_options_survive_the_game_string(options: Options) -> None:
    game = load("contigo-alignment", options, seed=1)
    again = pyspiel.load_game(str(game))
    started = ALL_GAMES["contigo-alignment"].start(options, 1)
    assert game.new_initial_state().position == started
    assert again.new_initial_state().position == started


def test_a_game_string_can_be_written_by_hand() -> None:
    state = pyspiel.load_game('tablier_pig(options={"target":7},seed=1)').new_initial_state()
    assert state.position.observe().target == 7


# ---- Information ---------------------------------------------------------------------------------


def test_kuhn_poker_has_twelve_information_sets() -> None:
    kept: dict[str, set[tuple[str | None, ...]]] = {}
    tensors = set()
    for state in decisions(load("kuhn-poker", deals=40).new_initial_state()):
        seat = state.current_player()
        view = position_of(state).observe(seat)
        kept.setdefault(state.information_state_string(), set()).add((view.cards[seat], *view.said))
        tensors.add(tuple(state.information_state_tensor()))
    assert len(kept) == len(tensors) == 12
    assert all(len(known) == 1 for known in kept.values())


def test_an_observation_is_the_view() -> None:
    state = load("kuhn-poker", seed=1).new_initial_state()
    for seat in (0, 1):
        assert state.observation_string(seat) == repr(position_of(state).observe(seat))
    assert state.observation_string(0) != state.observation_string(1)


@pytest.mark.parametrize(("game", "options"), every_seat_count(), ids=label)
def test_tensors_are_the_features_of_a_seat(game: Game, options: Options) -> None:
    loaded = load(game.name, options, seed=3)
    assert loaded.observation_tensor_shape() == [game.num_features]
    observer = loaded.make_py_observer()
    for state in islice(play(loaded, random.Random(3).choice), 30):
        for seat in range(state.num_players()):
            features = np.frombuffer(position_of(state).features(seat), np.float32).tolist()
            assert state.observation_tensor(seat) == features
            assert state.information_state_tensor(seat) == features
            observer.set_from(state, seat)
            named = [observer.dict[part.name] for part in game.features]
            assert np.concatenate([part.ravel() for part in named]).tolist() == features
    waiting = load(game.name, options).new_initial_state()
    assert not any(waiting.observation_tensor(0))


@pytest.mark.parametrize("name", ALL_GAMES)
def test_shimmy_plays_the_same_games_as_our_own_environment(name: str) -> None:
    theirs = shimmy.OpenSpielCompatibilityV0(
        game_name=short_name(ALL_GAMES[name]), config={"seed": 3}
    )
    ours = aec_env(name)
    theirs.reset()
    ours.reset(seed=3)
    chance = random.Random(3)
    for _ in range(60):
        assert [*theirs.agents] == [agent.replace("seat", "player") for agent in ours.agents]
        assert theirs.agent_selection == ours.agent_selection.replace("seat", "player")
        theirs_seen, their_reward, terminated, _, info = theirs.last()
        seen, reward, ended, _, our_info = ours.last()
        assert (their_reward, terminated) == (reward, ended)
        if ended:
            break
        assert theirs_seen.tolist() == seen["observation"].tolist()
        assert info["action_mask"].tolist() == our_info["action_mask"].tolist()
        action = chance.choice(np.flatnonzero(info["action_mask"]).tolist())
        theirs.step(action)
        ours.step(action)


def test_rejects_unsupported_observers() -> None:
    game = load("kuhn-poker", seed=1)
    for kind in (
        pyspiel.IIGObservationType(True, False, pyspiel.PrivateInfoType.ALL_PLAYERS),
        pyspiel.IIGObservationType(True, True, pyspiel.PrivateInfoType.NONE),
        pyspiel.IIGObservationType(public_info=False, perfect_recall=False),
    ):
        with pytest.raises(ValueError, match="one seat"):
            game.make_py_observer(kind)
    with pytest.raises(ValueError, match="no parameters"):
        game.make_py_observer(None, {"size": 3})


def test_a_seat_that_moves_later_knows_no_more() -> None:
    state = load("contrast", {"seats": 4}, seed=1).new_initial_state()
    assert len(position_of(state).actors) == 4
    after = [state.child(action) for action in state.legal_actions()]
    assert [other.current_player() for other in after] == [1] * len(after)
    assert len({str(other) for other in after}) == len(after) > 1
    assert len({other.information_state_string(1) for other in after}) == 1
    assert len({other.information_state_string(0) for other in after}) == len(after)


def test_moves_of_the_table_are_not_available() -> None:
    state = load("contrast", {"seats": 4}, seed=1).new_initial_state()
    while not position_of(state).moves(REFEREE):
        state.apply_action(state.legal_actions()[0])
    (exclude,) = position_of(state).moves(REFEREE)
    assert exclude not in state.legal_actions()
    with pytest.raises(MoveIllegal):
        state.apply_action(exclude)


@pytest.mark.parametrize(
    "name", [name for name, game in ALL_GAMES.items() if game.has_hidden_information]
)
def test_resampling_preserves_what_the_seat_knows(name: str) -> None:
    chance = random.Random(4)
    worlds, states = set(), 0
    for state in play(load(name), chance.choice):
        if not state.is_player_node():
            continue
        states += 1
        for seat in range(state.num_players()):
            before = str(state)
            other = state.resample_from_infostate(seat, chance.random)
            assert other.information_state_string(seat) == state.information_state_string(seat)
            assert other.observation_string(seat) == state.observation_string(seat)
            assert other.current_player() == state.current_player()
            assert str(state) == before
            worlds.add(str(other))
    # Resampling draws new worlds: there are more worlds than states.
    assert len(worlds) > states


# ---- Bots and algorithms -------------------------------------------------------------------------


def search_bot(game: TablierGame, simulations: int, seed: int) -> mcts.MCTSBot:
    chance = np.random.RandomState(seed)
    return mcts.MCTSBot(
        game, 2, simulations, mcts.RandomRolloutEvaluator(1, chance), random_state=chance
    )


def test_mcts_takes_a_win_and_prevents_one() -> None:
    game = load("tic-tac-toe", seed=0)
    for line, best in ((["a1", "a2", "b1", "b2"], "c1"), (["a1", "b2", "b1"], "c1")):
        state = game.new_initial_state()
        for text in line:
            state.apply_action(state.string_to_action(text))
        assert state.action_to_string(search_bot(game, 300, 1).step(state)) == best


def test_mcts_plays_contigo_against_random_moves() -> None:
    game = load("contigo-alignment", {"turn_limit": 12}, seed=2)
    bots = [search_bot(game, 8, 3), uniform_random.UniformRandomBot(1, np.random.RandomState(4))]
    state = game.new_initial_state()
    returns = evaluate_bots.evaluate_bots(state, bots, np.random.RandomState(5))
    assert sorted(returns) in ([-1, 1], [0, 0])
    assert state.is_terminal()


def test_ismcts_bets_with_a_king_and_passes_with_a_jack() -> None:
    game = load("kuhn-poker")
    seen = set()
    for seed in range(12):
        state = game.new_initial_state().child(seed).child(1)
        card = position_of(state).observe(1).cards[1]
        chance = np.random.RandomState(seed)
        bot = ismcts.ISMCTSBot(
            game, mcts.RandomRolloutEvaluator(1, chance), 2.0, 200, random_state=chance
        )
        if card in ("J", "K"):
            seen.add(card)
            assert state.action_to_string(bot.step(state)) == ("bet" if card == "K" else "pass")
    assert seen == {"J", "K"}


def test_ismcts_does_not_peek() -> None:
    game = load("pig", {"target": 6})
    state = game.new_initial_state().child(1)
    policies = set()
    for twin in (state, state.resample_from_infostate(0, lambda: 0.75)):
        chance = np.random.RandomState(6)
        bot = ismcts.ISMCTSBot(
            game, mcts.RandomRolloutEvaluator(1, chance), 2.0, 60, random_state=chance
        )
        bot.set_resampler(
            lambda root, seat, chance=chance: root.resample_from_infostate(seat, chance.random)
        )
        policies.add((str(twin), str(bot.get_policy(twin))))
    assert len(policies) == 2
    assert len({policy for _, policy in policies}) == 1


def test_cfr_learns_kuhn_poker() -> None:
    game = load("kuhn-poker", deals=30)
    solver = cfr.CFRPlusSolver(game)
    at_first = exploitability.nash_conv(game, solver.average_policy())
    for _ in range(20):
        solver.evaluate_and_update_policy()
    assert exploitability.nash_conv(game, solver.average_policy()) < at_first / 10


def test_an_rl_environment_runs_an_episode() -> None:
    environment = rl_environment.Environment(load("contigo-capture", {"turn_limit": 8}))
    environment.seed(1)
    step = environment.reset()
    chance = random.Random(1)
    while not step.last():
        seat = step.observations["current_player"]
        step = environment.step([chance.choice(step.observations["legal_actions"][seat])])
    assert len(step.rewards) == environment.num_players == 4


@pytest.mark.parametrize("name", ["tic-tac-toe", "connect-four"])
def test_rollouts_of_the_core_match_random_play(name: str) -> None:
    """Their mean return is that of OpenSpiel's random play, and its random state decides them."""
    # From a position where the seat to move has an advantage, which both must find.
    state = load(name, seed=0).new_initial_state().child(3).child(0).child(4)
    ours, again, other = (
        RolloutEvaluator(400, np.random.RandomState(seed)).evaluate(state) for seed in (1, 1, 2)
    )
    assert ours.tolist() == again.tolist() != other.tolist()
    theirs = mcts.RandomRolloutEvaluator(400, np.random.RandomState(3)).evaluate(state)
    # The standard error of the mean of n returns in [-1, 1] is at most 1/sqrt(n).
    assert np.abs(ours - theirs).max() < 4 / 400**0.5


def test_rollouts_of_a_finished_game_are_its_returns() -> None:
    *_, last = play(load("tic-tac-toe", seed=0), min)
    assert list(RolloutEvaluator(1).evaluate(last)) == last.returns()


def test_creates_a_state_at_any_position() -> None:
    game = load("contigo-alignment", {"first": 0}, seed=1)
    position = game.rules.start({"first": 1}, 5)
    state = game.state_at(position)
    assert state.position is position
    assert state.current_player() == 1
    assert state.history() == []
    assert search_bot(game, 8, 1).step(state) in position.moves(1)
