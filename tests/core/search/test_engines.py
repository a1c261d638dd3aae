"""What a search makes of the engine that a game brings: the slots `rank` and `narrow`."""

from __future__ import annotations

import pytest
from tablier_core.advice import advise
from tablier_core.testing.engines import confine, engage
from tablier_core.testing.games import CONNECT_FOUR, KUHN_POKER


def test_a_settled_matter_is_not_searched():
    game = engage(CONNECT_FOUR, "settled", {5: 0.5, 1: 0.5, 2: 0.25})
    report = advise(game.start({}, 1), 0, iterations=100)
    assert (report.iterations, report.stopped) == (0, "settled")
    assert [move.action for move in report.suggestions] == [1, 5, 2, 0, 3, 4, 6]
    best = report.suggestions[0]
    assert (best.weight, best.values, best.visits) == (0.5, (1.0, 0.5), 0)
    assert best.line == ((0, 1),)


def test_a_prior_names_the_moves_to_try():
    game = engage(CONNECT_FOUR, "prior", {5: 1.0, 1: 7.0, 2: 3.0})
    position = game.start({}, 1)
    report = advise(position, 0, iterations=500)
    assert {move.action: move.weight for move in report.suggestions} == {5: 1.0, 1: 7.0, 2: 3.0}
    assert sum(move.visits for move in report.suggestions) == report.iterations == 500
    # The favourites are tried first.
    assert [move.action for move in advise(position, 0, iterations=1).suggestions] == [1]
    assert {move.action for move in advise(position, 0, iterations=2).suggestions} == {1, 2}


@pytest.mark.parametrize(("verdict", "weights"), [("prior", {}), ("no opinion", {3: 1.0})])
def test_without_an_opinion_all_moves_are_searched(verdict: str, weights: dict[int, float]):
    game = engage(CONNECT_FOUR, verdict, weights)
    assert len(advise(game.start({}, 1), 0, iterations=500).suggestions) == 7


@pytest.mark.parametrize("verdict", ["prior", "settled"])
def test_an_engine_that_reads_all_it_gets_cannot_peek(verdict: str):
    game = engage(KUHN_POKER, verdict)
    told = set()
    for seed in range(40):
        position = game.start({}, seed)
        report = advise(position, 0, iterations=20, seed=3)
        world = position.determinize(0, 77 + seed)
        assert advise(world, 0, iterations=20, seed=3).suggestions == report.suggestions
        told.add(report.suggestions)
    # One answer for each card that the seat can hold.
    assert len(told) == 3


def test_a_tree_looks_only_into_the_moves_that_it_is_left():
    position = confine(CONNECT_FOUR, [2, 6]).start({}, 1)
    report = advise(position, 0, iterations=2000)
    # The first move is the question's own.
    assert {move.action for move in report.suggestions} == set(range(7))
    behind = {action for move in report.suggestions for _, action in move.line[1:]}
    assert behind == {2, 6}


def test_a_tree_ends_where_no_move_is_left_to_it():
    # A column has room for six.
    position = confine(CONNECT_FOUR, [3]).start({}, 1)
    report = advise(position, 0, iterations=5000)
    assert max(len(move.line) for move in report.suggestions) == 7
    assert sum(move.visits for move in report.suggestions) == 5000
