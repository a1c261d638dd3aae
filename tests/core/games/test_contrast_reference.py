"""Compares the core with the independent implementation in tests/reference, move by move."""

from __future__ import annotations

import random
from copy import deepcopy

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tablier_core.position import REFEREE, Position
from tablier_core.registry import GAMES
from tablier_core.testing.perft import perft

from tests.reference.contrast import EXCLUDE, TABLE, Contrast

pytestmark = pytest.mark.slow

GAME = GAMES["contrast"]
PLAIN = [0.5] * 12


def reference_of(position: Position) -> Contrast:
    """Return the reference implementation at the start of the same deal."""
    view = position.observe(REFEREE)
    return Contrast(
        seats=len(view.seats),
        rows=[[cards(card) for card in seat.row] for seat in view.seats],
        pile=list(reversed(view.pile_order)),
        box=list(reversed(view.box_order)),
    )


def cards(name: str) -> tuple[str, str]:
    first, second = name.split("/")
    return first, second


def compare(position: Position, state: Contrast) -> None:
    """Compare everything that both implementations know about a position."""
    view = position.observe(REFEREE)
    assert position.phase == state.phase
    assert position.actors == state.actors
    assert position.scores == state.scores
    assert position.returns == state.returns
    for seat in range(TABLE, state.seats):
        assert [GAME.write_move(move) for move in position.moves(seat)] == state.moves(seat)
    assert view.image == (state.pile[-1] if state.pile else None)
    assert list(view.pile_order) == state.pile[::-1]
    assert list(view.box_order) == state.box[::-1]
    for number, seat in enumerate(view.seats):
        assert [cards(card) for card in seat.row] == state.rows[number]
        assert [cards(card) for card in seat.hand] == state.hand(number)
        assert seat.choice == state.choices.get(number)
        assert seat.has_chosen == (number in state.choices)
        assert sorted(seat.won) == sorted(state.won[number])
    assert [
        {
            "image": completed.image,
            "choices": list(completed.choices),
            "winning": list(completed.winning),
        }
        for completed in view.rounds
    ] == state.rounds


def choose(state: Contrast, chance: random.Random, agreement: float) -> tuple[int, str]:
    """Choose a random move; seats often agree, so that every kind of reveal is common."""
    if state.moves(TABLE) and chance.random() < 0.2:
        return TABLE, EXCLUDE
    seat = chance.choice(state.actors)
    moves = state.moves(seat)
    popular = [choice for choice in state.choices.values() if choice in moves]
    if popular and chance.random() < agreement:
        return seat, str(chance.choice(popular))
    return seat, chance.choice(moves)


@pytest.mark.parametrize("seats", range(2, 7))
@pytest.mark.parametrize("expert", [False, True])
@settings(max_examples=6)
@given(seed=st.integers(0, 2**32))
def test_whole_games_agree(seats: int, expert: bool, seed: int):
    chance = random.Random(seed)
    options: dict[str, object] = {"seats": seats, "expert": expert}
    if chance.random() < 0.5:
        options["deck"] = [PLAIN] * (38 - 4 * seats + chance.randrange(1, 12))
    agreement = chance.random()
    position = GAME.start(options, seed)
    state = reference_of(position)
    compare(position, state)
    while not state.over:
        seat, move = choose(state, chance, agreement)
        position = position.apply(seat, GAME.read_move(move))
        state.apply(seat, move)
        compare(position, state)


def count(state: Contrast, depth: int) -> int:
    """Count the sequences of moves of the actors."""
    total = 0
    for seat in state.actors:
        for move in state.moves(seat):
            if depth == 1:
                total += 1
                continue
            after = deepcopy(state)
            after.apply(seat, move)
            total += count(after, depth - 1)
    return total


@pytest.mark.parametrize(("seats", "depth"), [(2, 5), (3, 4)])
def test_perft_counts_agree_where_a_win_can_end_the_game(seats: int, depth: int):
    deck = [PLAIN] * (38 - 4 * seats + 2)
    position = GAME.start({"seats": seats, "expert": True, "deck": deck}, 1)
    assert perft(position, depth) == count(reference_of(position), depth)
