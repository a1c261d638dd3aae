"""The features of My Game contain the whole view (reference: Features)."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tablier_core.games.my_game.observe import Round, Seat, View
from tablier_core.registry import GAMES

from tests.core import laws
from tests.core.games.numbers import Numbers, chosen, members
from tests.core.variants import VARIANTS, Options, label

GAME = GAMES["my-game"]


def decode(numbers: Numbers) -> View:
    """Rebuild the view of a seat from its features alone."""
    seats = numbers.one("seats")
    points = numbers.by_seat(numbers.whole("points")[:seats])
    played = numbers.by_seat(numbers.rows("played")[:seats])
    waiting = numbers.by_seat(numbers.whole("actors")[:seats])
    hand_size, phase = numbers.one("hand_size"), numbers.phase()
    hand = tuple(card + 1 for card in members(numbers.whole("hand")))
    choice = chosen(numbers.whole("choice"))
    rounds = max(max(cards) for cards in played)
    return View(
        viewer=numbers.seat,
        phase=phase,
        seats=tuple(
            Seat(
                hand=hand if seat == numbers.seat else None,
                hand_size=hand_size,
                has_chosen=phase != "over" and not waiting[seat],
                choice=None if choice is None or seat != numbers.seat else choice + 1,
                points=points[seat],
            )
            for seat in range(seats)
        ),
        rounds=tuple(
            Round(tuple(cards.index(number) + 1 for cards in played))
            for number in range(1, rounds + 1)
        ),
        pile_size=12 - seats * (hand_size + rounds),
        pile=None,
    )


@pytest.mark.parametrize("options", VARIANTS[GAME.name], ids=label)
@settings(max_examples=4)
@given(seed=st.integers(0, 2**32))
def test_the_view_can_be_rebuilt_from_the_features(options: Options, seed: int):
    for position in laws.sample(GAME, options, seed, count=30):
        for seat in range(position.seats):
            numbers = Numbers(GAME, seat, position.features(seat))
            assert decode(numbers) == position.observe(seat)
