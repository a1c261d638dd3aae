"""The options of Contract (reference: Seats and options)."""

from __future__ import annotations

import re

import pytest
from tablier_core.errors import OptionError
from tablier_core.games.contract.options import DEFAULT_MAFIOSI

from tests.core.games.contract_positions import GAME
from tests.core.variants import BLACK_MARKET

FIVE = [2, 3, 4, 5, 6]
TILE = {"sides": ["same-2", "same-3"], "worth": 2}


def mafiosi(**changes: object) -> dict[str, object]:
    return {**DEFAULT_MAFIOSI, **changes}


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("seats", 1), ("seats", 6), ("seats", "3"), ("seats", True), ("seats", 2.5),
        ("mafiosi", None), ("mafiosi", []), ("mafiosi", {"brakova": FIVE}),
        ("mafiosi", mafiosi(other=[1])), ("mafiosi", mafiosi(yakaz=[2, 3, 4, 5, 5])),
        ("mafiosi", mafiosi(yakaz=[2, 3, 4, 5, 21])), ("mafiosi", mafiosi(yakaz=[2, 3, 4, 5, -1])),
        ("mafiosi", mafiosi(yakaz=[2, 3, 4, 5])), ("mafiosi", mafiosi(yakaz=[1, 3, 4, 5, 6])),
        ("mafiosi", mafiosi(yakaz="23456")), ("mafiosi", mafiosi(yakaz=[2, 3, 4, 5, True])),
        ("traffics", {"first": [1, 2, 3, 4]}), ("traffics", [[8, 7, 6, 5], [4, 3, 2, 1]]),
        ("traffics", {"first": [1, 2, 3], "second": [1, 2, 3, 4]}),
        ("traffics", {"first": [1, 2, 3, 21], "second": [1, 2, 3, 4]}),
        ("briefcases", [TILE] * 7), ("briefcases", TILE), ("briefcases", ["same-2"]),
        ("briefcases", [{"sides": ["same-2"], "worth": 2}]), ("briefcases", [{"worth": 2}]),
        ("briefcases", [{"sides": ["same-2", "same-4"], "worth": 2}]),
        ("briefcases", [{"sides": ["same-2", "same-3"], "worth": 21}]),
        ("briefcases", [{"sides": ["same-2", "same-3"], "worth": 2, "more": 1}]),
        ("briefcases", [{"sides": ["same-2", ["x"]], "worth": 2}]),
        ("copper_card", -0.5), ("copper_card", 3.5), ("copper_card", 0.25), ("copper_card", "1"),
        ("copper_card", True), ("copper_card", float("nan")), ("copper_card", float("inf")),
        ("first", 0),
    ],
)  # fmt: skip
def test_rejects_bad_options_by_name(option: str, value: object):
    with pytest.raises(OptionError) as caught:
        GAME.start({option: value}, 0)
    assert re.match(r"\w+", caught.value.field)[0] == option  # type: ignore[index]


def test_the_number_of_mafiosi_depends_on_the_seats():
    twos = mafiosi(blackmat=[1, 2, 3, 4, 5])
    assert GAME.start({"seats": 2, "mafiosi": twos}, 0).observe().deck_count == 16
    with pytest.raises(OptionError, match="24 Mafiosi, not 25"):
        GAME.start({"seats": 5, "mafiosi": twos}, 0)


def test_options_set_up_the_table():
    view = GAME.start(BLACK_MARKET, 0).observe()
    everyone = [place.mafioso for place in view.row] + list(view.deck)
    assert sorted(m.value for m in everyone if m.family == "blackmat") == list(range(15))
    assert sorted(t.first for t in view.traffics) == [0, 3, 3, 20]
    assert sorted(t.second for t in view.traffics) == [0, 0, 1, 9]
    assert [tile.worth for tile in view.briefcases] == [0, 20, 7]
    assert view.copper_card_points == 2.5


def test_tiles_that_mention_twos_are_not_used_with_few_seats():
    tiles = [
        {"sides": sides, "worth": 2} for sides in (["same-2", "twos-3"], ["most-twos", "same-2"])
    ]
    assert GAME.start({"seats": 3, "briefcases": tiles}, 0).observe().briefcases == ()
    assert len(GAME.start({"seats": 4, "briefcases": tiles}, 0).observe().briefcases) == 2
    assert GAME.start({"briefcases": []}, 0).observe().briefcases == ()
