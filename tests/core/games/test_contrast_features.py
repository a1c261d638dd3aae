"""The features of Contrast contain the whole view (reference: Features)."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tablier_core.games.contrast.encoding import CARD_NAMES
from tablier_core.games.contrast.notation import SYMBOL_NAMES
from tablier_core.games.contrast.observe import Round, Seat, View
from tablier_core.registry import GAMES

from tests.core import laws
from tests.core.games.numbers import Numbers, chosen
from tests.core.variants import VARIANTS, Options, label

GAME = GAMES["contrast"]
CHOICES = (*SYMBOL_NAMES, None)  # the last one: excluded


def decode(numbers: Numbers) -> View:
    """Rebuild the view of a seat from its features alone."""
    seats, phase = numbers.one("seats"), numbers.phase()
    shown = numbers.whole("shown")
    images = sorted((number, image) for image, number in enumerate(shown) if number)
    choices = numbers.by_seat(numbers.rows("choices")[:seats])
    current = None if phase == "over" else images.pop()[1]
    return View(
        viewer=numbers.seat,
        phase=phase,
        expert=bool(numbers.one("expert")),
        deck=bytes(numbers.whole("deck")[: 12 * numbers.one("images")]),
        image=current,
        affinities=()
        if current is None
        else tuple(step / 200 for step in numbers.whole("affinities")),
        seats=decode_seats(numbers, seats),
        rounds=tuple(
            decode_round(image, [CHOICES[each[image] - 1] for each in choices])
            for _, image in images
        ),
        pile=numbers.one("pile"),
        box=numbers.one("box"),
        pile_order=None,
        box_order=None,
    )


def decode_seats(numbers: Numbers, seats: int) -> tuple[Seat, ...]:
    waiting = numbers.by_seat(numbers.whole("actors")[:seats])
    own = chosen(numbers.whole("choice"))
    parts = zip(
        numbers.by_seat(numbers.rows("row")[:seats]),
        numbers.by_seat(numbers.whole("scores")[:seats]),
        strict=True,
    )
    return tuple(
        Seat(
            row=tuple(CARD_NAMES[row.index(place)] for place in range(1, max(row) + 1)),
            hand=tuple(name for name, place in zip(CARD_NAMES, row, strict=True) if not place),
            has_chosen=numbers.phase() != "over" and not waiting[seat],
            choice=None if own is None or seat != numbers.seat else SYMBOL_NAMES[own],
            score=score,
            won=None,
        )
        for seat, (row, score) in enumerate(parts)
    )


def decode_round(image: int, choices: list[str | None]) -> Round:
    """Count the votes of a round (reference: A turn)."""
    votes = [choices.count(symbol) for symbol in SYMBOL_NAMES]
    most = max(votes)
    leaders = [symbol for symbol, count in zip(SYMBOL_NAMES, votes, strict=True) if count == most]
    alone = most == len(choices) - choices.count(None)
    wins = most >= 2 and len(leaders) == 1 and (not alone or most == 2)
    two_pairs = most == 2 and len(leaders) == 2 and votes.count(1) > 0 and len(choices) >= 5
    return Round(image, tuple(choices), tuple(leaders) if wins or two_pairs else ())


@pytest.mark.parametrize("options", VARIANTS[GAME.name], ids=label)
@settings(max_examples=2)
@given(seed=st.integers(0, 2**32))
def test_the_view_can_be_rebuilt_from_the_features(options: Options, seed: int):
    for position in laws.sample(GAME, options, seed, count=12):
        for seat in range(position.seats):
            numbers = Numbers(GAME, seat, position.features(seat))
            assert decode(numbers) == position.observe(seat)
