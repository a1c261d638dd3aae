"""The guarantees of every search and its report."""

from __future__ import annotations

import random
import threading

import pytest
from tablier_core.advice import Analysis, Cancel, advise
from tablier_core.errors import GameOver, InvalidField, WrongSeat
from tablier_core.position import Game, Position
from tablier_core.testing.engines import engage
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


def test_equal_iterations_and_seeds_give_equal_reports():
    position = ALL_GAMES["contigo-alignment"].start({}, 3)
    seat = position.actors[0]
    first, again = (advise(position, seat, iterations=200, seed=9) for _ in range(2))
    assert first.suggestions == again.suggestions
    assert first.iterations == 200
    assert first.stopped == "iterations"
    assert advise(position, seat, iterations=200, seed=10).suggestions != first.suggestions


@pytest.mark.parametrize("name", HIDDEN)
def test_advice_depends_only_on_what_the_seat_knows(name: str):
    for options in VARIANTS[name]:
        for position in laws.sample(ALL_GAMES[name], options, 5, count=4):
            for seat in position.actors:
                report = advise(position, seat, iterations=60, seed=1)
                for world in (position.determinize(seat, 77), position.view_of(seat)):
                    again = advise(world, seat, iterations=60, seed=1)
                    assert again.suggestions == report.suggestions
                    assert again.world == report.world


def test_a_report_shows_a_world_of_the_advised_seat():
    truths = [TESTING_GAMES["kuhn-poker"].start({}, seed) for seed in range(20)]
    worlds = [advise(truth, 0, iterations=1).world for truth in truths]
    for truth, world in zip(truths, worlds, strict=True):
        assert (world.viewer, world.ply) == (0, truth.ply)
        assert world.infoset(0) == truth.infoset(0)
    assert any(world.pack() != truth.pack() for truth, world in zip(truths, worlds, strict=True))


def test_a_search_ends_with_its_time():
    position = ALL_GAMES["contigo-alignment"].start({}, 3)
    for seconds in (0.05, 1e-9):
        report = advise(position, position.actors[0], seconds=seconds)
        assert report.stopped == "time"
        # However short the time is, the report suggests a move.
        assert report.iterations > 0
        assert report.suggestions


def test_a_cancelled_search_ends():
    position = ALL_GAMES["contigo-alignment"].start({}, 3)
    cancel = Cancel()
    found = []
    thread = threading.Thread(
        target=lambda: found.append(advise(position, position.actors[0], seconds=20, cancel=cancel))
    )
    thread.start()
    cancel.set()
    thread.join(timeout=30)
    assert found[0].stopped == "cancelled"


def test_a_search_continues_when_its_memory_is_full():
    position = TESTING_GAMES["connect-four"].start({}, 3)
    report = advise(position, 0, iterations=5000, memory=20_000)
    assert report.iterations == 5000


def test_the_numbers_of_a_report_add_up():
    position = TESTING_GAMES["connect-four"].start({}, 3)
    report = advise(position, 0, iterations=1000)
    assert sum(suggestion.visits for suggestion in report.suggestions) == 1000
    for suggestion in report.suggestions:
        assert suggestion.line[0] == (0, suggestion.action)
        assert all(-1 <= value <= 1 for value in suggestion.values)
        assert 0 <= suggestion.spread <= 1


def test_advises_only_a_seat_that_is_to_move():
    position = TESTING_GAMES["connect-four"].start({}, 3)
    with pytest.raises(WrongSeat):
        advise(position, 1, iterations=1)
    with pytest.raises(GameOver):
        advise(play_out(TESTING_GAMES["tic-tac-toe"], 100, 1), 0, iterations=1)
    with pytest.raises(InvalidField, match="iterations or a time") as caught:
        advise(position, 0)
    assert caught.value.field == "iterations"


# Visits in the tiny games, whose rules never change: the same on every machine.
SIGNATURES = {
    "tic-tac-toe": [111, 123, 445, 892, 2165, 169, 544, 88, 463],
    "connect-four": [322, 78, 167, 3985, 319, 20, 109],
    "pig": [5000],
    "kuhn-poker": [2507, 2493],
    "rock-paper-scissors": [1673, 1673, 1654],
}


@pytest.mark.parametrize("name", SIGNATURES)
def test_visits_are_the_same_on_every_machine(name: str):
    position = TESTING_GAMES[name].start({}, 11)
    report = advise(position, position.actors[0], iterations=5000, seed=12)
    visits = [found.visits for found in sorted(report.suggestions, key=lambda found: found.action)]
    assert visits == SIGNATURES[name]


@pytest.mark.parametrize("name", ["connect-four", "kuhn-poker"])
def test_an_analysis_continues_where_it_stopped(name: str):
    position = TESTING_GAMES[name].start({}, 3)
    analysis = Analysis(position, 0, seed=2)
    made = 0
    for total in (100, 150, 400):
        report = analysis.think(iterations=total - made)
        made = report.iterations
        assert report.iterations == total
    assert report.suggestions == advise(position, 0, iterations=400, seed=2).suggestions
    later = analysis.think(seconds=0.01)
    assert later.iterations > 400
    assert later.seconds > report.seconds


def test_threads_share_the_iterations():
    position = TESTING_GAMES["connect-four"].start({}, 3)
    together = advise(position, 0, iterations=1001, threads=3, seed=2)
    assert together.iterations == 1001
    assert sum(found.visits for found in together.suggestions) == 1001
    again = advise(position, 0, iterations=1001, threads=3, seed=2)
    assert again.suggestions == together.suggestions
    alone = advise(position, 0, iterations=1001, seed=2)
    assert alone.suggestions != together.suggestions
    assert {found.action for found in alone.suggestions} == {
        found.action for found in together.suggestions
    }
    # With more threads than iterations, some have nothing to do.
    assert advise(position, 0, iterations=2, threads=8).iterations == 2
    for threads in (0, 65):
        with pytest.raises(InvalidField, match="from 1 to 64") as caught:
            advise(position, 0, iterations=100, threads=threads)
        assert caught.value.field == "threads"


def test_threads_end_with_the_time_and_when_cancelled():
    position = ALL_GAMES["contigo-capture"].start({}, 3)
    report = advise(position, position.actors[0], seconds=0.02, threads=2)
    assert report.stopped == "time"
    cancel = Cancel()
    cancel.set()
    report = advise(position, position.actors[0], seconds=20, threads=2, cancel=cancel)
    assert report.stopped == "cancelled"


def test_many_moves_are_tried_a_few_at_a_time():
    """With hundreds of moves, the visits go to some of them instead of once to each."""
    game = engage(ALL_GAMES["contigo-alignment"], "no opinion", {})
    position = next(
        position
        for position in laws.walk(game, {"advanced": True}, 4)
        if position.count_moves(position.actors[0]) > 200
    )
    report = advise(position, position.actors[0], iterations=400)
    assert 32 <= len(report.suggestions) < 100
    assert sum(found.visits for found in report.suggestions) == 400


def test_advises_each_of_several_seats_that_may_move():
    """During an inquiry every seat may speak until the Godfather continues."""
    chance = random.Random(2)
    asked = 0
    for seed in range(4):
        # Without the game's own engine, so that the tree has to answer.
        position = engage(ALL_GAMES["mafia-de-cuba"], "no opinion", {}).start({}, seed)
        while position.phase != "inquiry":
            seat = position.actors[0]
            position = position.apply(seat, chance.choice(position.moves(seat)))
        assert len(position.actors) > 1
        for seat in position.actors:
            report = advise(position, seat, level=1, seed=seed)
            assert report.suggestions
            assert {found.action for found in report.suggestions} <= set(position.moves(seat))
            assert sum(found.visits for found in report.suggestions) == report.iterations
            asked += 1
    assert asked > 20
