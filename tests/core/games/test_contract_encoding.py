"""The bytes and facts of Contract (reference: Byte layout)."""

from __future__ import annotations

import ast
import random
from pathlib import Path

import pytest
from tablier_core.errors import TokenInvalid
from tablier_core.games.contract import encoding

from tests.core.games.contract_positions import (
    GAME,
    LAYOUT,
    ROW,
    Table,
    all_pass,
    begun,
    join,
    legal,
    play,
    split,
    view_of,
)


def test_the_layout_matches_the_documentation():
    packed = GAME.start({}, 4).pack()
    assert len(packed) == sum(size for _, size in LAYOUT) == 693
    assert join(split(packed)) == packed


def test_the_stub_types_every_fact():
    stub = ast.parse(Path(encoding.__file__).with_name("encoding.pyi").read_text("utf-8"))
    typed = {
        node.name: {
            ast.unparse(part.target) for part in node.body if isinstance(part, ast.AnnAssign)
        }
        for node in stub.body
        if isinstance(node, ast.ClassDef)
    }
    chance = random.Random(1)
    position = GAME.start({"seats": 5}, 1)
    while not view_of(position).shuffles:
        position = play(position, chance.choice(legal(position)))
    known = encoding.facts(position.pack(), 0)
    assert [set(known), set(known["shuffled"][0])] == [typed["Facts"], typed["Shuffle"]]


Changes = dict[str, int | dict[int, int]]


def changed(fields: dict[str, list[int]], changes: Changes) -> bytes:
    """Return the bytes with fields set to a number, or at some indices."""
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
        ({"hand": {0: 3}}, "cards"), ({"pile": {0: 4}}, "cards"),
        ({"discarded_up": {0: 1}}, "cards"), ({"dollars": {5: 1}}, "cards"),
        ({"contracts": {10: 1}}, "cards"),
        ({"first_drawn": {0: 1}}, "does not have"), ({"first_up": {0: 1}}, "does not have"),
        ({"tokens": {0: 0}}, "row"), ({"tokens": {6: 1}}, "row"), ({"copper_on": 1}, "row"),
        ({"target": 1}, "action"), ({"stage": 1}, "action"), ({"first_half": 1}, "action"),
        ({"just_down": {0: 1}}, "action"), ({"counted": 1}, "counting"),
        ({"copper_next": 1}, "counting"),
        ({"copper_pawn": 4}, "phase"), ({"vicelard_holder": 0}, "phase"), ({"phase": 6}, "phase"),
        ({"phase": 3}, "phase"),
    ],
)  # fmt: skip
def test_rejects_broken_invariants(changes: Changes, fault: str):
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
def test_rejects_events_before_the_first_influence(changes: Changes):
    with pytest.raises(TokenInvalid):
        GAME.unpack(changed(Table(row=ROW).fields(), changes))


@pytest.mark.parametrize(
    ("moves", "changes"),
    [
        (["on 2"], {"influencing": 0}), (["on 2"], {"stage": 1}), (["on 2", "token"], {"stage": 0}),
        (["on 2", "token"], {"stage": 3}), (["on 2", "token"], {"influencing": 0}),
        (["on 2", "token", "down costa"], {"stage": 8}),
        (["on 2", "token", "down costa"], {"just_down": {3: 0}}),
        (["on 2", "token", "down costa"], {"target": 2}),
        (["on 2", "token", "dollar"], {"stage": 4}),
        (["copper-to 2"], {"target": 0}), (["copper-to 2"], {"target": 4}),
        (["copper-to 2"], {"first_half": 3}),
        (["vicelard-to 2"], {"target": 4}),
        (["vicelard-to 2", "pay down costa"], {"first_half": 4}),
        (["vicelard-to 2", "pay down costa"], {"paying_vicelard": 0}),
        (["vicelard-to 1", "pay dollar"], {"copper_pawn": 2}), (["vicelard-to 2"], {"phase": 3}),
    ],
)  # fmt: skip
def test_rejects_impossible_actions_in_progress(moves: list[str], changes: Changes):
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
def test_rejects_impossible_countings(changes: Changes):
    table = Table(row=ROW, round=2, owned={"yakaz 4": 1}, stakes={(1, 0): (1, 0, 1, [])})
    table.numbers = {"to_move": 1}
    position = all_pass(table.position())
    assert position.phase == "copper"
    fields = split(position.pack())
    with pytest.raises(TokenInvalid):
        GAME.unpack(changed(fields, changes))
