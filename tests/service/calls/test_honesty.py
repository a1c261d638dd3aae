"""Advice is honest in every game, and the test of that law can fail."""

from __future__ import annotations

from itertools import islice

import pytest
from tablier_core.position import Game
from tablier_core.registry import GAMES
from tablier_core.testing.engines import engage
from tablier_core.testing.games import KUHN_POKER
from tablier_core.testing.lawless import spoil

from tests.service.calls.honesty import LEVELS, Advisors, states


@pytest.fixture(scope="module")
def advisors() -> Advisors:
    return Advisors(GAMES)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("name", sorted(GAMES))
def test_advice_is_honest(name: str, level: int, advisors: Advisors):
    for number, (position, seat) in enumerate(islice(states(GAMES[name], 8), 12)):
        advisors.check(position, seat, level, number)


@pytest.mark.parametrize("level", LEVELS)
def test_detects_a_planted_leak(level: int):
    """Worlds that depend on hidden information change the answer."""

    def check(game: Game) -> None:
        advisors = Advisors({game.name: game})
        for number, (position, seat) in enumerate(islice(states(game, 8), 60)):
            advisors.check(position, seat, level, number)

    check(KUHN_POKER)
    with pytest.raises(AssertionError):
        check(spoil(KUHN_POKER, "determinize peeking"))


def test_an_engine_that_reads_everything_keeps_the_law():
    game = engage(KUHN_POKER, "settled")
    advisors = Advisors({game.name: game})
    for number, (position, seat) in enumerate(islice(states(game, 8), 20)):
        advisors.check(position, seat, 0, number)
