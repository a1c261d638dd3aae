"""The engine of the alignment game against plain enumeration, on positions of random play."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest
from tablier_core.games.contigo_alignment import GAME
from tablier_core.position import Position
from tablier_core.testing.tactics import can_force, opinion

VARIANTS = [{}, {"advanced": True}, {"turn_limit": 12}]
# Enough for every proof of these games; a number and not a time, so that the tests are exact.
PLENTY = 20_000
# Enough for most of them.
SOME = 1_000


def random_play(options: dict[str, object], seed: int) -> Iterator[Position]:
    """The positions of random games, one game after another."""
    rng = random.Random(seed)
    while True:
        position = GAME.start(options, rng.getrandbits(32))
        while not position.over:
            yield position
            position = position.apply(mover(position), rng.choice(position.moves(mover(position))))


def mover(position: Position) -> int:
    seat: int = position.actors[0]
    return seat


def best(weights: dict[int, float]) -> list[int]:
    most = max(weights.values())
    return [move for move, weight in weights.items() if weight == most]


def wins_next(position: Position, seat: int) -> bool:
    """Whether a seat wins at once, or has won: with a pawn move if it is to move."""
    return can_force(position, seat, 1)


def is_safe(position: Position, move: int) -> bool:
    """Whether a move leaves its own side something against a win of the rival's next pawn move."""
    seat = mover(position)
    after = position.apply(seat, move)
    if after.over or mover(after) != seat:
        return not wins_next(after, 1 - seat)
    return any(not wins_next(after.apply(seat, sowing), 1 - seat) for sowing in after.moves(seat))


@pytest.mark.parametrize("options", VARIANTS, ids=str)
def test_every_win_in_one_pawn_move_is_found(options: dict[str, object]):
    found = 0
    for position in random_play(options, seed=11):
        seat = mover(position)
        if position.phase != "pawn" or not wins_next(position, seat):
            continue
        verdict, weights, values = opinion(position, seat, iterations=1)
        assert verdict == "settled"
        for move in best(weights):
            assert position.apply(seat, move).returns[seat] == 1
            assert values[move][seat] == 1
        found += 1
        if found == 50:
            return


@pytest.mark.parametrize("options", VARIANTS, ids=str)
@pytest.mark.parametrize("phase", ["pawn", "sow"])
def test_every_preventable_loss_in_one_is_prevented(options: dict[str, object], phase: str):
    """Exactly the moves that lose at once have no weight, if there is another."""
    found = 0
    for position in random_play(options, seed=12):
        seat = mover(position)
        if position.phase != phase or wins_next(position, seat):
            continue
        # Only where the rival could win, were it to move now, is there anything to prevent.
        if not any(not is_safe(position, move) for move in position.moves(seat)[::20]):
            continue
        safe = {move for move in position.moves(seat) if is_safe(position, move)}
        verdict, weights, values = opinion(position, seat, iterations=1)
        if safe:
            kept = {move for move, weight in weights.items() if weight}
            assert kept
            assert kept <= safe
        else:
            assert verdict == "settled"
            assert all(value[seat] == -1 for value in values.values())
        found += 1
        if found == 8:
            return


@pytest.mark.parametrize("options", VARIANTS, ids=str)
def test_wins_within_two_turns_are_found_exactly_where_there_are_any(options: dict[str, object]):
    rng = random.Random(14)
    asked = found = 0
    for position in random_play(options, seed=14):
        if rng.random() > 0.2:
            continue
        seat = mover(position)
        own_moves = 3 if position.phase == "pawn" else 2
        verdict, weights, values = opinion(position, seat, iterations=PLENTY)
        if verdict == "settled" and max(value[seat] for value in values.values()) == 1:
            assert can_force(position.apply(seat, best(weights)[0]), seat, own_moves - 1)
            found += 1
        else:
            assert not can_force(position, seat, own_moves)
        asked += 1
        if asked == 30:
            break
    assert found


@pytest.mark.parametrize(("options", "count"), [({}, 10), ({"advanced": True}, 4)], ids=str)
def test_forced_wins_in_two_turns_are_proven_and_played_to_the_end(
    options: dict[str, object], count: int
):
    """From the turn where a win was claimed to the win itself: all defences, then one played."""
    rng = random.Random(15)
    found = 0
    for position in random_play(options, seed=15):
        seat = mover(position)
        if wins_next(position, seat) or rng.random() > 0.3:
            continue
        verdict, weights, values = opinion(position, seat, iterations=SOME)
        if verdict != "settled" or max(value[seat] for value in values.values()) < 1:
            continue
        own_moves = 2 if position.phase == "pawn" else 1
        assert can_force(position.apply(seat, best(weights)[0]), seat, own_moves)
        turns = position.observe(seat).turns
        while not position.over:
            if mover(position) == seat:
                move = best(opinion(position, seat, iterations=SOME)[1])[0]
            else:
                move = rng.choice(position.moves(mover(position)))
            position = position.apply(mover(position), move)
        assert position.returns[seat] == 1
        assert position.observe(seat).turns <= turns + 2
        found += 1
        if found == count:
            return


@pytest.mark.parametrize("options", VARIANTS, ids=str)
def test_a_number_of_iterations_gives_the_same_opinion_again(options: dict[str, object]):
    rng = random.Random(16)
    asked = 0
    for position in random_play(options, seed=16):
        if rng.random() > 0.1:
            continue
        seat = mover(position)
        first = opinion(position, seat, iterations=50, seed=3)
        again = GAME.unpack(position.pack())
        assert opinion(again, seat, iterations=50, seed=3) == first
        asked += 1
        if asked == 20:
            return
