"""My Game: both implementations agree at every position."""

from __future__ import annotations

import random
from copy import deepcopy

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tablier_core.games.my_game.encoding import facts
from tablier_core.position import Position
from tablier_core.registry import GAMES
from tablier_core.testing.perft import perft

from tests.reference.my_game import MyGame

GAME = GAMES["my-game"]


def reference_of(position: Position) -> MyGame:
    """Return the second implementation's state at the start of a game."""
    known = facts(position.pack())
    hands = [set(hand) for hand in known["hands"]]
    return MyGame(hands, known["hand_size"])


def compare(position: Position, state: MyGame) -> None:
    known = facts(position.pack())
    assert [set(hand) for hand in known["hands"]] == state.hands
    assert set(known["pile"]) == state.pile
    assert known["rounds"] == state.rounds
    assert position.actors == state.actors
    for seat in range(position.seats):
        assert [action + 1 for action in position.moves(seat)] == state.moves(seat)
    assert position.scores == state.points
    assert position.returns == (state.returns if state.over else [])


@pytest.mark.parametrize("seats", [2, 3, 4])
@pytest.mark.parametrize("hand_size", [1, 2, 3])
@settings(max_examples=10)
@given(seed=st.integers(0, 2**32))
def test_both_implementations_play_the_same_games(seats: int, hand_size: int, seed: int):
    chance = random.Random(seed)
    position = GAME.start({"seats": seats, "hand_size": hand_size}, seed)
    state = reference_of(position)
    compare(position, state)
    while not state.over:
        seat = chance.choice(state.actors)
        card = chance.choice(state.moves(seat))
        position = position.apply(seat, card - 1)
        state.apply(seat, card)
        if state.must_draw:
            hands = facts(position.pack())["hands"]
            new = [set(hand) - old for hand, old in zip(hands, state.hands, strict=True)]
            state.draw([cards.pop() for cards in new])
        compare(position, state)


def count(state: MyGame, depth: int) -> int:
    """Count sequences of moves in a game without draws."""
    if depth == 0:
        return 1
    total = 0
    for seat in state.actors:
        for card in state.moves(seat):
            after = deepcopy(state)
            after.apply(seat, card)
            total += count(after, depth - 1)
    return total


def test_both_implementations_count_the_same_move_sequences():
    position = GAME.start({"seats": 4}, 1)
    state = reference_of(position)
    assert [perft(position, depth) for depth in range(1, 5)] == [
        count(state, depth) for depth in range(1, 5)
    ]
