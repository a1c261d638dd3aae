"""Simulations: games that bots play to the end."""

from __future__ import annotations

import threading

import pytest
from tablier_core.advice import Cancel
from tablier_core.errors import GameOver, InvalidField, WrongSeat
from tablier_core.registry import GAMES
from tablier_core.simulation import simulate
from tablier_core.testing.games import CONNECT_FOUR, KUHN_POKER, TIC_TAC_TOE
from tablier_core.testing.playouts import playouts

from tests.core import laws
from tests.core.variants import ALL_GAMES, VARIANTS


def test_random_bots_get_the_results_of_random_play():
    found = simulate(TIC_TAC_TOE.start({}, 1), [0, 0], games=4000)
    other = playouts(TIC_TAC_TOE, {}, 1, 4000)
    assert found.games == 4000
    for seat in (0, 1):
        outcome = found.outcomes[seat]
        assert abs(outcome.wins - other["wins_by_seat"][seat]) < 200
        assert abs(outcome.mean_return - other["returns"][seat] / 4000) < 0.08
        assert sum(outcome.histogram) == 4000
        # A win, a draw or a loss, and nothing in between.
        assert sum(outcome.histogram[i] for i in (0, 5, 9)) == 4000
        assert outcome.histogram[9] == outcome.wins
        assert outcome.mean_score == pytest.approx(outcome.wins / 4000)
    assert found.shortest == 5
    assert found.longest == 9
    assert found.mean_length == pytest.approx(other["moves"] / 4000, abs=0.1)


@pytest.mark.parametrize("stronger", [0, 1])
def test_a_higher_level_wins_more(stronger: int):
    levels = [1, 1]
    levels[stronger] = 6
    found = simulate(CONNECT_FOUR.start({}, 1), levels, games=40, seed=2)
    assert found.outcomes[stronger].wins >= 32


def test_equal_seeds_give_equal_games_and_a_longer_simulation_starts_with_them():
    position = KUHN_POKER.start({}, 3)
    few = simulate(position, [2, 2], games=20, seed=5)
    assert few == simulate(position, [2, 2], games=20, seed=5)
    assert few != simulate(position, [2, 2], games=20, seed=6)
    assert simulate(position, [2, 2], games=30, seed=5).sample == few.sample


def test_the_sample_is_a_legal_game():
    for name, game in GAMES.items():
        position = game.start(VARIANTS[name][0], 2)
        sample = simulate(position, [0] * position.seats, games=1).sample
        if game.has_hidden_information:
            # It was played in another world, so it need not be legal here.
            assert sample
            continue
        for seat, action in sample:
            position = position.apply(seat, action)
        assert position.over or len(sample) == 1024


@pytest.mark.parametrize(
    "name", [n for n, game in ALL_GAMES.items() if game.has_hidden_information]
)
def test_results_depend_only_on_what_the_viewer_knows(name: str):
    for position in laws.sample(ALL_GAMES[name], VARIANTS[name][0], 6, count=2):
        if position.over:
            continue
        for viewer in range(position.seats):
            known = simulate(position, [0] * position.seats, viewer=viewer, games=5, seed=1)
            world = position.determinize(viewer, 99)
            assert simulate(world, [0] * position.seats, viewer=viewer, games=5, seed=1) == known


def test_a_simulation_shows_a_world_of_the_viewer_even_without_a_game():
    position = KUHN_POKER.start({}, 3)
    for games in (0, 3):
        found = simulate(position, [0, 0], viewer=0, games=games)
        assert found.world.viewer == 0
        assert found.world.infoset(0) == position.infoset(0)
    worlds = {simulate(position, [0, 0], viewer=0, games=0, seed=seed).world for seed in range(20)}
    assert len({world.pack() for world in worlds}) == 2


def test_a_seat_does_not_know_the_other_card_and_the_referee_does():
    position = next(
        position
        for position in (KUHN_POKER.start({}, seed) for seed in range(100))
        if position.observe(-1).cards == ("Q", "K")
    )
    known = simulate(position, [0, 0], games=400)
    believed = simulate(position, [0, 0], viewer=0, games=400)
    # Against the king, the queen always loses; against an unknown card, half of the time.
    assert known.outcomes[0].mean_return < -0.2
    assert abs(believed.outcomes[0].mean_return) < 0.15


def test_a_simulation_ends_with_its_time_and_when_cancelled():
    position = GAMES["contigo-alignment"].start({}, 1)
    found = simulate(position, [9, 9], games=10**6, seconds=0.05)
    assert found.games < 10**6
    cancel = Cancel()
    ended = []
    # Without the switch it would take longer than this test waits.
    thread = threading.Thread(
        target=lambda: ended.append(
            simulate(position, [0, 0], games=10**9, seconds=40, cancel=cancel)
        )
    )
    thread.start()
    cancel.set()
    thread.join(timeout=20)
    assert len(ended) == 1


def test_rejects_wrong_levels_wrong_seats_and_finished_games():
    position = TIC_TAC_TOE.start({}, 1)
    for levels in ([0], [0, 11], [0, -1], [0, 0, 0]):
        with pytest.raises(InvalidField, match="one for each of 2 seats") as caught:
            simulate(position, levels, games=1)
        assert caught.value.field == "levels"
    with pytest.raises(WrongSeat):
        simulate(position, [0, 0], viewer=2, games=1)
    for action in (0, 1, 3, 4, 6):
        position = position.apply(position.actors[0], action)
    with pytest.raises(GameOver):
        simulate(position, [0, 0], games=1)
