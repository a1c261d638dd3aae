"""The search, on games with known answers, and the promises that every report keeps."""

from __future__ import annotations

import threading

import pytest
from tablier_core.advice import Cancel, advise
from tablier_core.errors import GameOver, WrongSeat
from tablier_core.position import Game, Position
from tablier_core.testing.games import TESTING_GAMES

from tests.core import laws
from tests.core.variants import ALL_GAMES, VARIANTS

HIDDEN = [name for name, game in ALL_GAMES.items() if game.has_hidden_information]


def play_out(game: Game, iterations: int, seed: int) -> Position:
    position = game.start({}, seed)
    while not position.over:
        seat = position.actors[0]
        report = advise(position, seat, iterations=iterations, seed=seed)
        position = position.apply(seat, report.suggestions[0].action)
    return position


@pytest.mark.parametrize("seed", range(5))
def test_tic_tac_toe_is_a_draw(seed: int):
    assert play_out(TESTING_GAMES["tic-tac-toe"], 5000, seed).returns == [0.0, 0.0]


def connect_four(*columns: int) -> Position:
    position = TESTING_GAMES["connect-four"].start({}, 1)
    for column in columns:
        position = position.apply(position.actors[0], column)
    return position


def test_connect_four_takes_a_win():
    position = connect_four(0, 1, 0, 1, 0, 1)
    assert advise(position, 0, iterations=2000).suggestions[0].action == 0


def test_connect_four_prevents_a_loss():
    position = connect_four(0, 1, 0, 1, 0)
    assert advise(position, 1, iterations=2000).suggestions[0].action == 0


def test_kuhn_poker_calls_with_the_king_and_folds_the_jack():
    game = TESTING_GAMES["kuhn-poker"]
    answers: dict[str, set[str]] = {"J": set(), "Q": set(), "K": set()}
    for seed in range(30):
        position = game.start({}, seed).apply(0, game.read_move("bet"))
        best = advise(position, 1, iterations=4000).suggestions[0].action
        answers[position.observe(1).cards[1]].add(game.write_move(best))
    assert answers["J"] == {"pass"}
    assert answers["K"] == {"bet"}


def test_iterations_alone_decide_the_report():
    position = ALL_GAMES["contigo-alignment"].start({}, 3)
    seat = position.actors[0]
    first, again = (advise(position, seat, iterations=200, seed=9) for _ in range(2))
    assert first.suggestions == again.suggestions
    assert first.iterations == 200
    assert first.stopped == "iterations"
    assert advise(position, seat, iterations=200, seed=10).suggestions != first.suggestions


@pytest.mark.parametrize("name", HIDDEN)
def test_advice_rests_on_what_the_seat_knows(name: str):
    for options in VARIANTS[name]:
        for position in laws.sample(ALL_GAMES[name], options, 5, count=4):
            for seat in position.actors:
                told = advise(position, seat, iterations=60, seed=1).suggestions
                for world in (position.determinize(seat, 77), position.view_of(seat)):
                    assert advise(world, seat, iterations=60, seed=1).suggestions == told


def test_time_ends_a_search():
    position = ALL_GAMES["contigo-alignment"].start({}, 3)
    for seconds in (0.05, 1e-9):
        report = advise(position, position.actors[0], seconds=seconds)
        assert report.stopped == "time"
        # However short the time, there is a move to suggest.
        assert report.iterations > 0
        assert report.suggestions


def test_a_cancelled_search_ends():
    position = ALL_GAMES["contigo-alignment"].start({}, 3)
    cancel = Cancel()
    found = []
    thread = threading.Thread(
        target=lambda: found.append(
            advise(position, position.actors[0], seconds=600, cancel=cancel)
        )
    )
    thread.start()
    cancel.set()
    thread.join(timeout=30)
    assert found[0].stopped == "cancelled"


def test_a_full_arena_stops_the_tree_and_not_the_search():
    position = TESTING_GAMES["connect-four"].start({}, 3)
    report = advise(position, 0, iterations=5000, memory=20_000)
    assert report.iterations == 5000


def test_reports_add_up():
    position = TESTING_GAMES["connect-four"].start({}, 3)
    report = advise(position, 0, iterations=1000)
    assert sum(suggestion.visits for suggestion in report.suggestions) == 1000
    for suggestion in report.suggestions:
        assert suggestion.line[0] == (0, suggestion.action)
        assert all(-1 <= value <= 1 for value in suggestion.values)
        assert 0 <= suggestion.spread <= 1


def test_only_a_seat_to_move_is_advised():
    position = TESTING_GAMES["connect-four"].start({}, 3)
    with pytest.raises(WrongSeat):
        advise(position, 1, iterations=1)
    with pytest.raises(GameOver):
        advise(play_out(TESTING_GAMES["tic-tac-toe"], 100, 1), 0, iterations=1)
    with pytest.raises(ValueError, match="iterations or a time"):
        advise(position, 0)
