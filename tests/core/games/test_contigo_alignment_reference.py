"""The core, compared move by move with a second implementation of the reference page."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tablier_core.errors import OptionError
from tablier_core.position import Position
from tablier_core.registry import GAMES
from tablier_core.testing.perft import perft

from tests.reference import contigo_alignment as reference

pytestmark = pytest.mark.slow

GAME = GAMES["contigo-alignment"]


def compare(position: Position, state: reference.State) -> set[str]:
    """Compare everything that both know about a position; return the legal moves in notation."""
    view = position.observe()
    assert view.layout == reference.layout_of(state)
    assert view.beads == state.beads
    assert view.turns == state.turns
    assert view.winner == state.winner
    assert position.phase == state.phase
    assert position.actors == ([] if state.phase == "over" else [state.seat])
    expected = reference.legal_moves(state)
    moves = position.moves(state.seat)
    assert {GAME.write_move(move) for move in moves} == expected
    assert len(moves) == len(expected)
    assert position.moves(1 - state.seat) == []
    if state.phase == "over":
        assert position.returns == reference.returns(state)
    return expected


def play_both(position: Position, state: reference.State, chance: random.Random, plies: int) -> str:
    for _ in range(plies):
        notations = compare(position, state)
        if not notations:
            break
        notation = chance.choice(sorted(notations))
        position = position.apply(state.seat, GAME.read_move(notation))
        state = reference.play(state, notation)
    compare(position, state)
    return state.phase


def random_layout(chance: random.Random) -> str:
    """Return a board with 0 to 36 pawns; crowded ones are blocked, sparse ones have no lines."""
    density = chance.random()
    squares = [chance.choice("RB") if chance.random() < density else "." for _ in range(36)]
    return "/".join("".join(squares[6 * row : 6 * row + 6]) for row in range(6))


@pytest.mark.parametrize("advanced", [False, True])
@settings(max_examples=4)
@given(seed=st.integers(0, 2**32))
def test_whole_games_from_the_start_agree(advanced: bool, seed: int):
    chance = random.Random(seed)
    options: dict[str, Any] = {"first": chance.randrange(2), "advanced": advanced}
    assert play_both(GAME.start(options, seed), reference.start(**options), chance, 401) == "over"


@settings(max_examples=60)
@given(seed=st.integers(0, 2**32))
def test_games_with_random_options_agree(seed: int):
    chance = random.Random(seed)
    options: dict[str, Any] = {
        "layout": random_layout(chance),
        "beads": [chance.choice((0, 1, 2, 3, 4, 5, 6, 6)) for _ in range(28)],
        "first": chance.randrange(2),
        "advanced": chance.random() < 0.5,
        "turn_limit": chance.choice((0, 1, 2, 3, 200)),
    }
    if chance.random() < 0.3:
        # Only the corner pits hold beads, so that no pawn can move for a while.
        options["beads"] = [chance.randrange(1, 7) if pit % 7 == 0 else 0 for pit in range(28)]
    state = reference.start(**options)
    if any(reference.holds_line(state, seat) for seat in range(2)):
        with pytest.raises(OptionError, match="line"):
            GAME.start(options, seed)
        return
    play_both(GAME.start(options, seed), state, chance, 12)


@pytest.mark.parametrize("advanced", [False, True])
def test_perft_counts_agree(advanced: bool):
    state = reference.start(advanced=advanced)
    position = GAME.start({"first": 0, "advanced": advanced}, 0)
    for depth in (1, 2, 3):
        assert perft(position, depth) == reference.perft(state, depth)
