"""Pig: its rules, its odds, and that nobody knows future rolls."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import pytest
from tablier_core.errors import OptionError, TokenInvalid
from tablier_core.position import Position
from tablier_core.testing.games import PIG, PigView
from tablier_core.testing.playouts import playouts

ROLL, HOLD = 0, 1


def packed(to_move: int, target: int, banks: tuple[int, int], turn: int, dice: int = 9) -> bytes:
    fields = [(to_move, 1), (target, 2), (banks[0], 2), (banks[1], 2), (turn, 2), (dice, 8)]
    return b"".join(value.to_bytes(size, "little") for value, size in fields)


def pips(before: Position, after: Position) -> int:
    """Return the roll; 1 if the turn ended."""
    if after.actors != before.actors:
        return 1
    return int(after.observe().turn - before.observe().turn)


def test_a_turn_rolls_and_holds():
    start = PIG.start({"target": 30}, 4)
    assert start.moves(0) == [ROLL]
    assert start.observe() == PigView(target=30, bank=(0, 0), turn=0, to_move=0, winner=None)
    position = start
    while not position.observe().turn:
        position = position.apply(position.actors[0], ROLL)
    seat, turn = position.actors[0], position.observe().turn
    assert position.moves(seat) == [ROLL, HOLD]
    held = position.apply(seat, HOLD)
    assert held.actors == [1 - seat]
    assert held.scores[seat] == turn
    assert held.observe().turn == 0


def test_a_one_loses_the_turn_and_nothing_else():
    position = PIG.unpack(packed(1, 100, (10, 20), 30))
    for seed in range(100):
        after = position.determinize(1, seed).apply(1, ROLL)
        view = after.observe()
        assert view.bank == (10, 20)
        if pips(position, after) == 1:
            assert (after.actors, view.turn) == ([0], 0)
        else:
            assert after.actors == [1]
            assert 32 <= view.turn <= 36


def test_holding_at_the_target_wins():
    position = PIG.unpack(packed(1, 20, (18, 15), 6))
    assert position.moves(1) == [HOLD]
    end = position.apply(1, HOLD)
    assert (end.over, end.scores, end.returns) == (True, [18, 21], [-1, 1])
    assert end.observe().winner == 1


def hold_at(goal: int) -> dict[int, Fraction]:
    """Return the exact chances of a turn's points for a seat that rolls until the goal."""
    ends: dict[int, Fraction] = {0: Fraction(0)}
    open_sums = {0: Fraction(1)}
    while open_sums:
        total = min(open_sums)
        chance = open_sums.pop(total) / 6
        ends[0] += chance
        for face in range(2, 7):
            place = ends if total + face >= goal else open_sums
            place[total + face] = place.get(total + face, Fraction(0)) + chance
    return ends


def test_holding_at_twenty_has_the_known_odds():
    exact = hold_at(20)
    turns = 8000
    found = dict.fromkeys(exact, 0)
    for seed in range(turns):
        position = PIG.start({"target": 1000}, seed)
        while position.actors == [0] and position.observe().turn < 20:
            position = position.apply(0, ROLL)
        found[position.observe().turn] += 1
    # The commonly quoted figures: 62.45 % of turns fail, and a turn earns 8.14 points on average.
    assert float(exact[0]) == pytest.approx(0.6245, abs=5e-5)
    assert float(sum(points * chance for points, chance in exact.items())) == pytest.approx(
        8.14, abs=5e-3
    )
    expected = {points: turns * float(chance) for points, chance in exact.items()}
    distance = sum((found[points] - expected[points]) ** 2 / expected[points] for points in exact)
    assert distance < 22.5  # chi-square of 6 degrees: 0.1 %


def test_returns_sum_to_zero_and_the_first_seat_has_an_advantage():
    tally = playouts(PIG, {}, 5, 20_000)
    assert tally["unfinished"] == 0
    assert sum(tally["returns"]) == 0
    assert sum(tally["wins_by_seat"]) == 20_000
    assert tally["wins_by_seat"][0] > tally["wins_by_seat"][1]


def test_nobody_knows_future_rolls():
    position = PIG.start({"target": 500}, 3)
    worlds = [position.determinize(viewer, seed) for viewer in (-1, 0, 1) for seed in range(60)]
    rolls = {pips(position, world.apply(0, ROLL)) for world in worlds}
    assert rolls == {1, 2, 3, 4, 5, 6}
    for world in worlds:
        assert [world.infoset(seat) for seat in (-1, 0, 1)] == [
            position.infoset(seat) for seat in (-1, 0, 1)
        ]
        assert world.observe(0) == position.observe(0)
        # The drawn dice depend only on the seed, not on the dice before.
        assert world.determinize(0, 77) == position.determinize(0, 77)


def reachable(target: int) -> set[tuple[int, tuple[int, int], int]]:
    """Return every (to move, banks, turn) of a game, by a second implementation of the rules."""
    start = (0, (0, 0), 0)
    found, frontier = {start}, [start]
    while frontier:
        seat, banks, turn = frontier.pop()
        if banks[seat] >= target:
            continue
        after = []
        if banks[seat] + turn < target:
            after.append((1 - seat, banks, 0))
            after += [(seat, banks, turn + face) for face in range(2, 7)]
        if turn:
            total = banks[seat] + turn
            banked = (total, banks[1]) if seat == 0 else (banks[0], total)
            after.append((seat if total >= target else 1 - seat, banked, 0))
        for state in after:
            if state not in found:
                found.add(state)
                frontier.append(state)
    return found


@pytest.mark.parametrize("target", [2, 3, 4, 9])
def test_unpack_accepts_exactly_the_reachable_states(target):
    accepted = set()
    numbers = range(target + 8)
    for seat, first, second, turn in product(range(3), numbers, numbers, numbers):
        data = packed(seat, target, (first, second), turn)
        try:
            position = PIG.unpack(data)
        except TokenInvalid:
            continue
        assert position.pack() == data
        accepted.add((seat, (first, second), turn))
    assert accepted == reachable(target)


@pytest.mark.parametrize(
    ("data", "fault"),
    [
        (packed(0, 20, (0, 0), 0)[:-1], "length"),
        (packed(0, 20, (0, 0), 0) + b"\0", "length"),
        (packed(2, 20, (0, 0), 0), "out of range"),
        (packed(0, 1, (0, 0), 0), "out of range"),
        (packed(0, 1001, (0, 0), 0), "out of range"),
        (packed(0, 20, (1, 0), 0), "bank"),
        (packed(0, 20, (0, 20), 0), "bank"),
        (packed(0, 20, (26, 0), 0), "bank"),
        (packed(0, 20, (0, 0), 1), "turn"),
        (packed(0, 20, (10, 0), 16), "turn"),
        (packed(0, 20, (20, 0), 2), "turn"),
    ],
)
def test_unpack_names_the_fault(data, fault):
    with pytest.raises(TokenInvalid, match=fault):
        PIG.unpack(data)


@pytest.mark.parametrize("target", [1, 1001, "20", True])
def test_rejects_bad_targets(target):
    with pytest.raises(OptionError) as caught:
        PIG.start({"target": target}, 0)
    assert caught.value.field == "target"


def test_draws_the_banks():
    position = PIG.unpack(packed(1, 20, (18, 15), 6))
    assert position.draw_text() == "seat 0: 18 of 20\nseat 1: 15 of 20\nSeat 1 has 6 this turn"
    assert position.draw_svg().startswith("<svg")
