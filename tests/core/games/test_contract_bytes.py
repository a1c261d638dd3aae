"""Options and bytes of Contract: what is refused, and what is said of it."""

from __future__ import annotations

import pytest
from tablier_core.errors import OptionError, TokenInvalid
from tablier_core.games.contract.options import DEFAULT_MAFIOSI

from tests.core.games.contract_table import (
    GAME,
    LAYOUT,
    ROW,
    Table,
    all_pass,
    begun,
    join,
    play,
    split,
)
from tests.core.variants import BLACK_MARKET

FIVE = [2, 3, 4, 5, 6]
TILE = {"sides": ["same-2", "same-3"], "worth": 2}


def mafiosi(**changes: object) -> dict[str, object]:
    return {**DEFAULT_MAFIOSI, **changes}


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("seats", 1), ("seats", 6), ("seats", "3"), ("seats", True), ("seats", 2.0),
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
def test_bad_options_are_named(option: str, value: object):
    with pytest.raises(OptionError) as caught:
        GAME.start({option: value}, 0)
    assert caught.value.field == option


def test_the_number_of_mafiosi_depends_on_the_seats():
    twos = mafiosi(blackmat=[1, 2, 3, 4, 5])
    assert GAME.start({"seats": 2, "mafiosi": twos}, 0).observe().deck_count == 16
    with pytest.raises(OptionError, match="24 Mafiosi, not 25"):
        GAME.start({"seats": 5, "mafiosi": twos}, 0)


def test_options_reach_the_table():
    view = GAME.start(BLACK_MARKET, 0).observe()
    everyone = [place.mafioso for place in view.row] + list(view.deck)
    assert sorted(m.value for m in everyone if m.family == "blackmat") == list(range(15))
    assert sorted(t.first for t in view.traffics) == [0, 3, 3, 20]
    assert sorted(t.second for t in view.traffics) == [0, 0, 1, 9]
    assert [tile.worth for tile in view.briefcases] == [0, 20, 7]
    assert view.copper_card_points == 2.5


def test_a_tile_that_names_twos_is_out_with_few_seats():
    tiles = [
        {"sides": sides, "worth": 2} for sides in (["same-2", "twos-3"], ["most-twos", "same-2"])
    ]
    assert GAME.start({"seats": 3, "briefcases": tiles}, 0).observe().briefcases == ()
    assert len(GAME.start({"seats": 4, "briefcases": tiles}, 0).observe().briefcases) == 2
    assert GAME.start({"briefcases": []}, 0).observe().briefcases == ()


def test_the_layout_is_the_documented_one():
    packed = GAME.start({}, 4).pack()
    assert len(packed) == sum(size for _, size in LAYOUT) == 693
    assert join(split(packed)) == packed


Changes = dict[str, int | dict[int, int]]


def changed(fields: dict[str, list[int]], changes: Changes) -> bytes:
    """The bytes with fields set: to a number, or at some indices."""
    for name, value in changes.items():
        for index, byte in value.items() if isinstance(value, dict) else ((0, value),):
            fields[name][index] = byte
    return join(fields)


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"seats": 6}, "range"), ({"seats": 1}, "range"), ({"phase": 7}, "range"),
        ({"round": 4}, "range"), ({"to_move": 3}, "range"), ({"passes": 3}, "range"),
        ({"copper_pawn": 5}, "range"), ({"copper_holder": 3}, "range"),
        ({"copper_points": 7}, "range"),
        ({"shuffles": 1}, "range"), ({"pile": {0: 5}}, "range"), ({"traffic": {0: 21}}, "range"),
        ({"hand": {15: 1}}, "does not have"), ({"tokens": {25: 1}}, "does not have"),
        ({"pile": {52: 1}}, "does not have"),
        ({"mafiosi": {20: 3}}, "does not have"), ({"holder": {0: 1}}, "does not have"),
        ({"mafiosi": {0: 4}}, "Mafiosi"), ({"mafiosi": {0: 2}}, "Mafiosi"),
        ({"mafiosi": {0: 190}}, "Mafiosi"),
        ({"owner": {0: 1}}, "columns"), ({"column": {0: 1}}, "columns"),
        ({"hand": {0: 3}}, "cards"), ({"pile": {0: 4}}, "cards"), ({"gone_up": {0: 1}}, "cards"),
        ({"dollars": {5: 1}}, "cards"), ({"contracts": {10: 1}}, "cards"),
        ({"first_drawn": {0: 1}}, "does not have"), ({"first_up": {0: 1}}, "does not have"),
        ({"tokens": {0: 0}}, "row"), ({"tokens": {6: 1}}, "row"), ({"copper_on": 1}, "row"),
        ({"target": 1}, "action"), ({"floor": 1}, "action"), ({"first_half": 1}, "action"),
        ({"just_down": {0: 1}}, "action"), ({"counted": 1}, "counting"),
        ({"copper_next": 1}, "counting"),
        ({"copper_pawn": 4}, "phase"), ({"vicelard_holder": 0}, "phase"), ({"phase": 6}, "phase"),
        ({"phase": 3}, "phase"),
    ],
)  # fmt: skip
def test_broken_invariants_are_refused(changes: Changes, fault: str):
    GAME.unpack(join(begun().fields()))
    with pytest.raises(TokenInvalid, match=fault):
        GAME.unpack(changed(begun().fields(), changes))


@pytest.mark.parametrize(
    "changes",
    [
        {"vicelard_pawn": 3}, {"copper_pawn": 1}, {"passes": 1}, {"to_move": 1},
        {"paid_up": {0: 1}}, {"phase": 2, "target": 1},
    ],
)  # fmt: skip
def test_nothing_happens_before_the_first_influence(changes: Changes):
    with pytest.raises(TokenInvalid):
        GAME.unpack(changed(Table(row=ROW).fields(), changes))


@pytest.mark.parametrize(
    ("moves", "changes"),
    [
        (["on 2"], {"fresh": 0}), (["on 2"], {"floor": 1}), (["on 2", "token"], {"floor": 0}),
        (["on 2", "token"], {"floor": 3}), (["on 2", "token"], {"fresh": 0}),
        (["on 2", "token", "down costa"], {"floor": 8}),
        (["on 2", "token", "down costa"], {"just_down": {3: 0}}),
        (["on 2", "token", "down costa"], {"target": 2}),
        (["on 2", "token", "dollar"], {"floor": 4}),
        (["copper-to 2"], {"target": 0}), (["copper-to 2"], {"target": 4}),
        (["copper-to 2"], {"first_half": 3}),
        (["vicelard-to 2"], {"target": 4}),
        (["vicelard-to 2", "pay down costa"], {"first_half": 4}),
        (["vicelard-to 2", "pay down costa"], {"paying_vicelard": 0}),
        (["vicelard-to 1", "pay dollar"], {"copper_pawn": 2}), (["vicelard-to 2"], {"phase": 3}),
    ],
)  # fmt: skip
def test_actions_in_progress_are_checked(moves: list[str], changes: Changes):
    table = begun()
    table.hands = {1: ["yakaz", "costa", "costa", "dollar", "dollar"]}
    fields = split(play(table.position(), *moves).pack())
    with pytest.raises(TokenInvalid):
        GAME.unpack(changed(fields, changes))


@pytest.mark.parametrize(
    "changes",
    [
        {"to_move": 1}, {"counted": 1}, {"copper_next": 0}, {"vicelard_next": 0}, {"phase": 4},
        {"copper_pawn": 1}, {"owner": {5: 1}}, {"owner": {5: 255}, "column": {5: 6}}, {"phase": 0},
        {"phase": 6}, {"target": 0},
    ],
)  # fmt: skip
def test_counting_is_checked(changes: Changes):
    table = Table(row=ROW, round=2, owned={"yakaz 4": 1}, stakes={(1, 0): (1, 0, 1, [])})
    table.numbers = {"to_move": 1}
    position = all_pass(table.position())
    assert position.phase == "copper"
    fields = split(position.pack())
    with pytest.raises(TokenInvalid):
        GAME.unpack(changed(fields, changes))
