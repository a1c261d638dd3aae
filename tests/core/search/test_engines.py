"""How a search uses a game's own engine: the slots `rank` and `narrow`."""

from __future__ import annotations

from random import Random

import pytest
from tablier_core.advice import advise
from tablier_core.registry import GAMES
from tablier_core.testing.engines import confine, engage
from tablier_core.testing.games import CONNECT_FOUR, KUHN_POKER


def test_a_settled_choice_is_not_searched():
    game = engage(CONNECT_FOUR, "settled", {5: 0.5, 1: 0.5, 2: 0.25})
    report = advise(game.start({}, 1), 0, iterations=100)
    assert (report.iterations, report.stopped) == (0, "settled")
    assert [move.action for move in report.suggestions] == [1, 5, 2, 0, 3, 4, 6]
    best = report.suggestions[0]
    assert (best.weight, best.values, best.visits) == (0.5, (1.0, 0.5), 0)
    assert best.line == ((0, 1),)


def test_a_prior_selects_the_moves_to_try():
    game = engage(CONNECT_FOUR, "prior", {5: 1.0, 1: 7.0, 2: 3.0})
    position = game.start({}, 1)
    report = advise(position, 0, iterations=500)
    assert {move.action: move.weight for move in report.suggestions} == {5: 1.0, 1: 7.0, 2: 3.0}
    assert sum(move.visits for move in report.suggestions) == report.iterations == 500
    # The heaviest moves are tried first.
    assert [move.action for move in advise(position, 0, iterations=1).suggestions] == [1]
    assert {move.action for move in advise(position, 0, iterations=2).suggestions} == {1, 2}


def widest(name: str, actors: int) -> tuple[list[int], list[int]]:
    """Find a position with many moves and this number of actors.

    Return the actions that lead there, and the legal moves of the first actor.
    """
    chance, position = Random(2), GAMES[name].start({}, 2)
    played: list[int] = []
    found: tuple[list[int], list[int]] = ([], [])
    for _ in range(40):
        if position.over:
            break
        moves = position.moves(position.actors[0])
        if len(position.actors) == actors and len(moves) > len(found[1]):
            found = (played.copy(), moves)
        played.append(chance.choice(moves))
        position = position.apply(position.actors[0], played[-1])
    return found


@pytest.mark.parametrize(
    ("name", "actors", "least"),
    [
        ("contigo-alignment", 1, 40),  # so many that they are tried little by little
        ("contract", 1, 5),  # other worlds may have other legal moves
        ("contrast", 4, 5),  # several seats choose at once
    ],
)
def test_a_move_without_weight_is_never_tried(name: str, actors: int, least: int):
    played, moves = widest(name, actors)
    assert len(moves) >= least
    chosen = Random(1).sample(moves, 3)
    game = engage(GAMES[name], "prior", dict(zip(chosen, (1.0, 7.0, 3.0), strict=True)))
    position = game.start({}, 2)
    for action in played:
        position = position.apply(position.actors[0], action)
    for iterations in (1, 2, 3, 2000):
        report = advise(position, position.actors[0], iterations=iterations)
        tried = {move.action for move in report.suggestions}
        # The heaviest first, then the others, and never anything else.
        favourites = [chosen[1], chosen[2], chosen[0]]
        assert tried == set(favourites[: len(tried)])
    assert len(tried) == 3


@pytest.mark.parametrize(("verdict", "weights"), [("prior", {}), ("no opinion", {3: 1.0})])
def test_searches_all_moves_without_an_opinion(verdict: str, weights: dict[int, float]):
    game = engage(CONNECT_FOUR, verdict, weights)
    assert len(advise(game.start({}, 1), 0, iterations=500).suggestions) == 7


@pytest.mark.parametrize("verdict", ["prior", "settled"])
def test_an_engine_that_reads_the_whole_state_cannot_peek(verdict: str):
    game = engage(KUHN_POKER, verdict)
    reports = set()
    for seed in range(40):
        position = game.start({}, seed)
        report = advise(position, 0, iterations=20, seed=3)
        world = position.determinize(0, 77 + seed)
        assert advise(world, 0, iterations=20, seed=3).suggestions == report.suggestions
        reports.add(report.suggestions)
    # One answer per card that the seat can hold.
    assert len(reports) == 3


def test_a_tree_looks_only_into_the_selected_moves():
    position = confine(CONNECT_FOUR, [2, 6]).start({}, 1)
    report = advise(position, 0, iterations=2000)
    # All moves of the root are searched; only later moves are narrowed.
    assert {move.action for move in report.suggestions} == set(range(7))
    behind = {action for move in report.suggestions for _, action in move.line[1:]}
    assert behind == {2, 6}


def test_a_tree_ends_where_no_move_is_selected():
    # A column has room for six discs.
    position = confine(CONNECT_FOUR, [3]).start({}, 1)
    report = advise(position, 0, iterations=5000)
    assert max(len(move.line) for move in report.suggestions) == 7
    assert sum(move.visits for move in report.suggestions) == 5000
