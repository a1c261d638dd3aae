"""Searches find the known answers of small games."""

from __future__ import annotations

import random
from functools import cache

import pytest
from tablier_core.advice import advise
from tablier_core.position import Position
from tablier_core.testing.games import CONNECT_FOUR, KUHN_POKER, PIG, TESTING_GAMES, TIC_TAC_TOE


def best(position: Position, seat: int, iterations: int, seed: int = 0) -> int:
    return advise(position, seat, iterations=iterations, seed=seed).suggestions[0].action


@pytest.mark.parametrize("seed", range(5))
def test_tic_tac_toe_between_two_searches_is_a_draw(seed: int):
    position = TIC_TAC_TOE.start({}, seed)
    while not position.over:
        seat = position.actors[0]
        position = position.apply(seat, best(position, seat, 5000, seed))
    assert position.returns == [0.0, 0.0]


@pytest.mark.parametrize("advised", [0, 1])
def test_a_search_never_loses_tic_tac_toe(advised: int):
    wins = 0
    for seed in range(60):
        chance = random.Random(seed)
        position = TIC_TAC_TOE.start({}, seed)
        while not position.over:
            seat = position.actors[0]
            move = (
                best(position, seat, 2000, seed)
                if seat == advised
                else chance.choice(position.moves(seat))
            )
            position = position.apply(seat, move)
        assert position.returns[advised] >= 0
        wins += position.returns[advised] > 0
    assert wins > 30


def connect_four(*columns: int) -> Position:
    position = CONNECT_FOUR.start({}, 1)
    for column in columns:
        position = position.apply(position.actors[0], column)
    return position


def test_connect_four_plays_a_winning_move():
    assert best(connect_four(0, 1, 0, 1, 0, 1), 0, 2000) == 0


def test_connect_four_blocks_a_threat():
    assert best(connect_four(0, 1, 0, 1, 0), 1, 2000) == 0


def dealt(card: str, seat: int) -> Position:
    """Return a deal of Kuhn poker in which a seat has a card."""
    return next(
        position
        for position in (KUHN_POKER.start({}, seed) for seed in range(100))
        if position.observe(seat).cards[seat] == card
    )


def test_kuhn_poker_plays_no_dominated_move():
    bet = KUHN_POKER.read_move("bet")
    check = KUHN_POKER.read_move("pass")
    # Calling a bet with the jack loses another chip; folding the king loses a won game.
    for seat, said in ((1, [bet]), (0, [check, bet])):
        for card, right in (("J", check), ("K", bet)):
            position = dealt(card, seat)
            for speaker, word in enumerate(said):
                position = position.apply(speaker, word)
            assert best(position, seat, 4000) == right
    # The jack should check: a bet is called only by better cards.
    assert best(dealt("J", 0), 0, 4000) == check


def test_a_search_finds_the_value_of_kuhn_poker():
    """The value is -1/18 of a chip for the first seat. The search finds it to a tenth of a chip:
    it does not learn to bluff."""
    values = []
    for card in "JQK":
        report = advise(dealt(card, 0), 0, iterations=20_000)
        values.append(2 * report.suggestions[0].values[0])
    assert sum(values) / 3 == pytest.approx(-1 / 18, abs=0.1)


def test_simultaneous_choices_are_searched_without_knowing_each_other():
    position = TESTING_GAMES["rock-paper-scissors"].start({}, 1)
    for seat in (0, 1):
        report = advise(position, seat, iterations=3000)
        # If the other seat saw the choice, every sign would lose: -1.
        assert all(abs(found.values[seat]) < 0.25 for found in report.suggestions)
        assert all(found.visits > 500 for found in report.suggestions)
    second = position.apply(0, 1)
    values = [found.values[1] for found in advise(second, 1, iterations=3000).suggestions]
    assert all(abs(value) < 0.1 for value in values)


TARGET = 20


def solve_pig() -> dict[tuple[int, int, int], float]:
    """Return the gain of rolling over holding, by own bank, other bank and points of the turn."""
    chance = {
        (own, other, turn): 0.5
        for own in range(TARGET)
        for other in range(TARGET)
        for turn in range(TARGET - own + 6)
    }

    def value(own: int, other: int, turn: int) -> float:
        return max(chance_of_roll(own, other, turn), chance_of_hold(own, other, turn))

    def chance_of_hold(own: int, other: int, turn: int) -> float:
        if turn == 0:
            return 0.0
        return 1.0 if own + turn >= TARGET else 1 - chance[other, own + turn, 0]

    def chance_of_roll(own: int, other: int, turn: int) -> float:
        if own + turn >= TARGET:
            return 0.0
        gone_on = sum(chance[own, other, turn + pips] for pips in range(2, 7))
        return (1 - chance[other, own, 0] + gone_on) / 6

    for _ in range(40):
        for own, other, turn in chance:
            chance[own, other, turn] = value(own, other, turn)
    return {
        place: chance_of_roll(*place) - chance_of_hold(*place)
        for place in chance
        if place[2] > 0 and place[0] + place[2] < TARGET
    }


@cache
def gain_of_rolling() -> dict[tuple[int, int, int], float]:
    return solve_pig()


def test_pig_rolls_and_holds_correctly():
    gains = gain_of_rolling()
    asked = right = 0
    for seed in range(30):
        chance = random.Random(seed)
        position = PIG.start({"target": TARGET}, seed)
        while not position.over:
            seat = position.actors[0]
            moves = position.moves(seat)
            view = position.observe(seat)
            gain = gains.get((view.bank[seat], view.bank[1 - seat], view.turn), 0.0)
            # Only where the choice matters by at least a twentieth of the stake.
            if abs(gain) > 0.05:
                asked += 1
                word = PIG.write_move(best(position, seat, 4000, seed))
                right += word == ("roll" if gain > 0 else "hold")
            position = position.apply(seat, chance.choice(moves))
    assert asked > 60
    assert right == asked
