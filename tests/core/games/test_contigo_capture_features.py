"""The features of the capture game contain the whole view (reference: Features)."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tablier_core.games.contigo.layout import SQUARES
from tablier_core.games.contigo_capture.observe import View
from tablier_core.registry import GAMES

from tests.core import laws
from tests.core.games.contigo_positions import read_board
from tests.core.games.numbers import Numbers, chosen
from tests.core.variants import VARIANTS, Options, label

GAME = GAMES["contigo-capture"]


def decode(numbers: Numbers) -> View:
    """Rebuild the view of a seat from its features alone."""
    pieces = numbers.by_seat(numbers.rows("pieces"))
    owners = numbers.by_seat(numbers.rows("owner"))
    marks = (numbers.whole("turn"), *owners)
    to_move, *others = (numbers.seat_at(chosen(each), 4) for each in marks)
    chain = chosen(numbers.whole("chain"))
    assert to_move is not None
    return View(
        layout=read_board(
            {
                letter: [int(kind == number) for kind in plane]
                for number, letters in ((1, "rbyg"), (2, "RBYG"))
                for letter, plane in zip(letters, pieces, strict=True)
            }
        ),
        beads=tuple(numbers.whole("beads")),
        owner=tuple(owner for owner in others if owner is not None),
        phase=numbers.phase(),
        to_move=to_move,
        chain=None if chain is None else SQUARES[chain],
        turns=numbers.digits("turns"),
        turn_limit=numbers.digits("turn_limit"),
        quick=bool(numbers.one("quick")),
        winner=numbers.seat_at(chosen(numbers.whole("winner")), 4),
    )


@pytest.mark.parametrize("options", VARIANTS[GAME.name], ids=label)
@settings(max_examples=3)
@given(seed=st.integers(0, 2**32))
def test_the_view_can_be_rebuilt_from_the_features(options: Options, seed: int):
    for position in laws.sample(GAME, options, seed, count=30):
        for seat in range(4):
            numbers = Numbers(GAME, seat, position.features(seat))
            assert decode(numbers) == position.observe(seat)


def test_own_pieces_come_first():
    """Each seat is in the same place if colours and turn move on by one."""
    once = GAME.start({"layout": "R....B/....../....../....../....../G....Y", "first": 0}, 0)
    turned = GAME.start({"layout": "B....Y/....../....../....../....../R....G", "first": 1}, 0)
    for seat in range(4):
        assert once.features(seat) == turned.features((seat + 1) % 4)
    assert once.features(0) != once.features(1)
