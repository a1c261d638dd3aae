"""Levels of playing strength: their limits and their slips."""

from __future__ import annotations

import pytest
from tablier_core.advice import STRONGEST, advise
from tablier_core.errors import InvalidField
from tablier_core.testing.engines import engage
from tablier_core.testing.games import CONNECT_FOUR, KUHN_POKER

ITERATIONS = {level: 8 << level for level in range(1, STRONGEST + 1)}
SLIPS = dict(zip(range(1, 11), (60, 48, 36, 27, 18, 12, 6, 3, 0, 0), strict=True))


@pytest.mark.parametrize("level", range(1, STRONGEST + 1))
def test_a_level_uses_its_number_of_iterations(level: int):
    position = CONNECT_FOUR.start({}, 1)
    report = advise(position, 0, level=level, seed=3)
    assert (report.iterations, report.stopped) == (ITERATIONS[level], "iterations")
    assert advise(position, 0, level=level, iterations=10**6).iterations == ITERATIONS[level]
    assert advise(position, 0, level=level, iterations=5).iterations == 5
    assert advise(position, 0, level=level, seed=3).suggestions == report.suggestions


@pytest.mark.parametrize("level", range(1, STRONGEST + 1))
def test_a_level_slips_as_often_as_documented(level: int):
    """A report with a single move is a slip: nothing else limits the suggestions to one."""
    position = CONNECT_FOUR.start({}, 1)
    reports = [advise(position, 0, level=level, iterations=60, seed=seed) for seed in range(400)]
    slips = [report for report in reports if len(report.suggestions) == 1]
    assert abs(len(slips) - 4 * SLIPS[level]) <= 40
    if SLIPS[level] > 10:
        assert len({report.suggestions[0].action for report in slips}) == 7
    assert all(report.suggestions[0].visits > 0 for report in slips)


def test_a_level_slips_even_if_the_engine_settles_the_choice():
    game = engage(CONNECT_FOUR, "settled", {3: 1.0})
    position = game.start({}, 1)
    chosen = [advise(position, 0, level=1, seed=seed).suggestions[0].action for seed in range(300)]
    others = sum(action != 3 for action in chosen)
    # Six of the seven possible slips are other moves.
    assert abs(others - 300 * 0.6 * 6 / 7) < 45
    assert all(
        advise(position, 0, level=9, seed=seed).suggestions[0].action == 3 for seed in range(50)
    )


def test_slips_depend_only_on_what_the_seat_knows():
    for seed in range(30):
        position = KUHN_POKER.start({}, seed)
        world = position.determinize(0, seed)
        assert (
            advise(position, 0, level=1, seed=4).suggestions
            == advise(world, 0, level=1, seed=4).suggestions
        )


def test_rejects_levels_out_of_range():
    position = CONNECT_FOUR.start({}, 1)
    for level in (-1, 11):
        with pytest.raises(InvalidField, match="from 1 to 10") as caught:
            advise(position, 0, level=level)
        assert caught.value.field == "level"
