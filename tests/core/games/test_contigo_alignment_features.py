"""The features of the alignment game contain the whole view (reference: Features)."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tablier_core.games.contigo_alignment.observe import View
from tablier_core.registry import GAMES

from tests.core import laws
from tests.core.games.contigo_positions import read_board
from tests.core.games.numbers import Numbers, chosen
from tests.core.variants import VARIANTS, Options, label

GAME = GAMES["contigo-alignment"]


def decode(numbers: Numbers) -> View:
    """Rebuild the view of a seat from its features alone."""
    seat = numbers.seat
    planes = dict(zip((seat, 1 - seat), numbers.rows("pawns"), strict=True))
    to_move = numbers.seat_at(chosen(numbers.whole("turn")), 2)
    assert to_move is not None
    return View(
        layout=read_board({"R": planes[0], "B": planes[1]}),
        beads=tuple(numbers.whole("beads")),
        phase=numbers.phase(),
        to_move=to_move,
        turns=numbers.digits("turns"),
        turn_limit=numbers.digits("turn_limit"),
        advanced=bool(numbers.one("advanced")),
        winner=numbers.seat_at(chosen(numbers.whole("winner")), 2),
    )


@pytest.mark.parametrize("options", VARIANTS[GAME.name], ids=label)
@settings(max_examples=4)
@given(seed=st.integers(0, 2**32))
def test_the_view_can_be_rebuilt_from_the_features(options: Options, seed: int):
    for position in laws.sample(GAME, options, seed, count=30):
        for seat in range(2):
            numbers = Numbers(GAME, seat, position.features(seat))
            assert decode(numbers) == position.observe(seat)


def test_a_long_limit_is_exact():
    position = GAME.start({"turn_limit": 2**32 - 1, "first": 1}, 0)
    assert decode(Numbers(GAME, 0, position.features(0))) == position.observe(0)


def test_the_seats_see_the_same_from_both_sides():
    """Own pawns come first, so exchanging colours exchanges what the seats see."""
    ours = GAME.start({"layout": "R....B/....../....../....../....../......", "first": 0}, 0)
    theirs = GAME.start({"layout": "B....R/....../....../....../....../......", "first": 1}, 0)
    assert ours.features(0) == theirs.features(1)
    assert ours.features(1) == theirs.features(0)
    assert ours.features(0) != ours.features(1)
