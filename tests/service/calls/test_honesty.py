"""Advice is honest in every game, and the law that says so can be broken."""

from __future__ import annotations

from itertools import islice

import pytest
from tablier_core.position import Game
from tablier_core.registry import GAMES
from tablier_core.testing.engines import engage
from tablier_core.testing.games import KUHN_POKER
from tablier_core.testing.lawless import spoil

from tests.service.calls.honesty import LEVELS, Advisors, states

ADVISORS = Advisors(GAMES)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("name", sorted(GAMES))
def test_advice_is_honest(name: str, level: int):
    for number, (position, seat) in enumerate(islice(states(GAMES[name], 8), 12)):
        ADVISORS.check(position, seat, level, number)


@pytest.mark.parametrize("level", LEVELS)
def test_a_planted_leak_breaks_the_law(level: int):
    """Worlds that are drawn by the hidden truth reach the answer, and are seen there."""

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
