"""The core, compared move by move with a second implementation of the reference page."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tablier_core.position import Position
from tablier_core.registry import GAMES
from tablier_core.testing.perft import perft

from tests.reference import contigo_capture as reference

pytestmark = pytest.mark.slow

GAME = GAMES["contigo-capture"]


def compare(position: Position, state: reference.State) -> set[str]:
    """Compare everything that both know about a position; return the legal moves in notation."""
    view = position.observe()
    assert view.layout == reference.layout_of(state)
    assert view.beads == state.beads
    assert view.owner == tuple(state.owner[colour] for colour in reference.COLOURS)
    assert view.to_move == state.seat
    assert view.chain == state.chain
    assert view.turns == state.turns
    assert view.winner == state.winner
    assert view.phase == position.phase == state.phase
    assert position.actors == ([] if state.phase == "over" else [state.seat])
    expected = reference.legal_moves(state)
    notations = position.notations(state.seat)
    assert set(notations) == expected
    assert len(notations) == len(expected)
    for seat in range(4):
        if seat != state.seat:
            assert position.moves(seat) == []
    assert position.scores == [float(seat == state.winner) for seat in range(4)]
    if state.phase == "over":
        assert position.returns == reference.returns(state)
    return expected


def choose(notations: set[str], chance: random.Random, greed: float) -> str:
    """Choose a random move; with probability `greed` a capture if there is one."""
    captures = sorted(move for move in notations if "x" in move)
    if captures and chance.random() < greed:
        return chance.choice(captures)
    return chance.choice(sorted(notations))


def play_both(
    position: Position, state: reference.State, chance: random.Random, plies: int, greed: float
) -> set[str]:
    """Play up to `plies` moves in both; return the phases met on the way."""
    met = set()
    for _ in range(plies):
        notations = compare(position, state)
        met.add(state.phase)
        if not notations:
            break
        notation = choose(notations, chance, greed)
        position = position.apply(state.seat, GAME.read_move(notation))
        state = reference.play(state, notation)
    compare(position, state)
    return met | {state.phase}


def random_layout(chance: random.Random) -> str:
    """Return a board with one King per seat and 0 to 32 pawns of any colours, anywhere."""
    density = chance.random()
    colours = chance.choice(("rbyg", "rbyg", "ry", "g"))  # some seats may have no pawns at all
    squares = [chance.choice(colours) if chance.random() < density else "." for _ in range(36)]
    for king, square in zip("RBYG", chance.sample(range(36), 4), strict=True):
        squares[square] = king
    return "/".join("".join(squares[6 * row : 6 * row + 6]) for row in range(6))


def random_beads(chance: random.Random) -> list[int]:
    """Return a rich ring, a poor one, or one that moves nothing: beads only in the corners."""
    kind = chance.random()
    if kind < 0.2:
        return [chance.randrange(1, 7) if pit % 7 == 0 else 0 for pit in range(28)]
    if kind < 0.6:
        return [1, *(chance.choice((0, 1, 1, 2, 3)) for _ in range(27))]
    return [1, *(chance.randrange(7) for _ in range(27))]


@pytest.mark.parametrize("quick", [False, True])
@settings(max_examples=4)
@given(seed=st.integers(0, 2**32))
def test_whole_games_from_the_start_agree(quick: bool, seed: int):
    chance = random.Random(seed)
    options: dict[str, Any] = {"first": chance.randrange(4), "quick": quick}
    position, state = GAME.start(options, seed), reference.start(**options)
    # 400 turns of two moves, plus at most one more move for each of 15 captures.
    assert "over" in play_both(position, state, chance, 900, greed=0.5)


@settings(max_examples=80)
@given(seed=st.integers(0, 2**32))
def test_games_with_random_options_agree(seed: int):
    chance = random.Random(seed)
    options: dict[str, Any] = {
        "layout": random_layout(chance),
        "beads": random_beads(chance),
        "first": chance.randrange(4),
        "quick": chance.random() < 0.5,
        "turn_limit": chance.choice((0, 1, 2, 3, 5, 8, 400)),
    }
    position, state = GAME.start(options, seed), reference.start(**options)
    play_both(position, state, chance, 30, greed=chance.random())


def test_the_comparison_meets_every_phase():
    layout = "/".join(["rbygrb", "ygRbyg", "rbBgrb", "ygrYyg", "rbygGb", "ygrbyg"])
    options: dict[str, Any] = {"layout": layout, "beads": [1] * 28, "first": 2, "quick": True}
    chance = random.Random(7)
    met = play_both(GAME.start(options, 0), reference.start(**options), chance, 600, greed=1.0)
    assert met == {"pawn", "chain", "sow", "over"}


@pytest.mark.parametrize("quick", [False, True])
def test_perft_counts_agree(quick: bool):
    state = reference.start(quick=quick)
    position = GAME.start({"first": 0, "quick": quick}, 0)
    for depth in (1, 2, 3):
        assert perft(position, depth) == reference.perft(state, depth)
