"""Compares the core with a second implementation of the rules, move by move."""

from __future__ import annotations

import random
from copy import deepcopy
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tablier_core.games.contrat500.settlement import contract_values
from tablier_core.position import REFEREE, Position
from tablier_core.registry import GAMES
from tablier_core.testing.perft import perft

from tests.reference import contrat500 as reference

pytestmark = pytest.mark.slow

GAME = GAMES["contrat500"]


def feed(position: Position, match: reference.Match) -> None:
    """Give a new deal's tiles and starter to the reference implementation."""
    if match.phase == "deal":
        view = position.observe(REFEREE)
        tiles = [tile for hand in view.hands for tile in hand]
        match.begin_deal(view.starter, [*tiles, *view.pot])


def compare(position: Position, match: reference.Match) -> list[str]:
    """Compare everything that both report about a position; returns the legal moves."""
    view = position.observe(REFEREE)
    assert position.phase == match.phase
    assert position.scores == match.scores
    if match.phase == "over":
        assert position.actors == []
        assert position.returns == pytest.approx(match.returns())
        assert view.deal == match.deals_done
        return []
    assert position.actors == [match.to_move]
    assert view.deal == match.deals_done + 1
    assert [list(contracts) for contracts in view.contracts] == match.contracts
    assert [list(hand) for hand in view.hands] == [sorted(hand) for hand in match.hands]
    assert list(view.pot) == match.pot
    assert view.discard == match.live
    assert list(view.dead) == match.dead
    moves = position.moves(match.to_move)
    expected = match.legal()
    assert {GAME.write_move(move) for move in moves} == expected
    assert len(moves) == len(expected)
    for seat in range(match.seats):
        if seat != match.to_move:
            assert position.moves(seat) == []
    return sorted(expected)


def choose(legal: list[str], match: reference.Match, chance: random.Random, eager: float) -> str:
    """A random move; an eager seat bids what it holds, announces, and plays void."""
    if chance.random() < eager:
        hand = list(match.hands[match.to_move])
        chance.shuffle(hand)
        for wish in ("announce", "void", f"bid {sum(hand[:3])}", "take"):
            if wish in legal and (wish != "take" or chance.random() < 0.3):
                return wish
    return chance.choice(legal)


def play_both(options: dict[str, Any], chance: random.Random, eager: float) -> reference.Match:
    position = GAME.start(options, chance.getrandbits(64))
    match = reference.Match(**options)
    while True:
        feed(position, match)
        legal = compare(position, match)
        if not legal:
            return match
        move = choose(legal, match, chance, eager)
        position = position.apply(match.to_move, GAME.read_move(move))
        match.play(move)


@pytest.mark.parametrize("seats", [2, 3, 4])
@pytest.mark.parametrize("blind_bids", [False, True])
@settings(max_examples=6)
@given(seed=st.integers(0, 2**32))
def test_whole_matches_agree(seats: int, blind_bids: bool, seed: int):
    chance = random.Random(seed)
    options = {
        "seats": seats,
        "target": chance.choice((100, 150, 500)),
        "max_deals": chance.randrange(1, 8),
        "blind_bids": blind_bids,
    }
    assert play_both(options, chance, chance.choice((0, 0.5, 0.9))).phase == "over"


def test_a_match_to_the_target_agrees():
    match = play_both({"seats": 4, "target": 300, "max_deals": 1000}, random.Random(3), 0.9)
    assert max(match.scores) >= 300
    assert match.deals_done < 1000


def test_contract_values_agree():
    assert contract_values() == reference.VALUES


def count(match: reference.Match, depth: int) -> int:
    # Every deal begins with a bid on any contract, and no count goes further than that.
    if match.phase == "deal":
        assert depth == 1
        return len(reference.CONTRACTS)
    legal = match.legal()
    if depth == 1:
        return len(legal)
    total = 0
    for move in legal:
        child = deepcopy(match)
        child.play(move)
        total += count(child, depth - 1)
    return total


@pytest.mark.parametrize("seats", [2, 4])
def test_perft_counts_agree(seats: int):
    position = GAME.start({"seats": seats}, 11)
    match = reference.Match(seats=seats)
    feed(position, match)
    assert [perft(position, depth) for depth in (1, 2)] == [count(match, 1), count(match, 2)]
    # Then skip the bids and count five moves from the first turn on.
    for bid in (15, 16, 17, 18, 14, 19, 13, 20)[: 2 * seats]:
        position = position.apply(match.to_move, GAME.read_move(f"bid {bid}"))
        match.play(f"bid {bid}")
    assert perft(position, 5) == count(match, 5)
