"""The engine of the capture game, compared with plain enumeration in random games."""

from __future__ import annotations

import random
from array import array

import pytest
from tablier_core.advice import advise
from tablier_core.games.contigo_capture import GAME
from tablier_core.position import Position
from tablier_core.testing.tactics import opinion
from tablier_core.testing.treeless import Treeless

from tests.core.games.contigo_positions import board, ring
from tests.core.games.random_play import mover, random_play

VARIANTS = [{}, {"quick": True}]
# Any number is enough: the engine examines one turn.
ITERATIONS = 1000
# Full strength, with few iterations, and the levels that never slip.
FULL_STRENGTH = 0
ITERATIONS_AT_FULL_STRENGTH = 200
LEVELS = [FULL_STRENGTH, 9, 10]


def kings(position: Position) -> int:
    """Count the seats in play."""
    return sum(letter in "RBYG" for letter in position.observe(0).layout)


def favourites(position: Position) -> list[int]:
    """Return the moves that the engine leaves to a search."""
    verdict, weights, _ = opinion(position, mover(position), iterations=ITERATIONS)
    assert verdict == "prior"
    return [move for move, weight in weights.items() if weight]


def advised(position: Position, level: int, seed: int) -> int:
    iterations = ITERATIONS_AT_FULL_STRENGTH if level == FULL_STRENGTH else 0
    report = advise(position, mover(position), iterations=iterations, level=level, seed=seed)
    return report.suggestions[0].action


def captures(position: Position) -> list[int]:
    seat = mover(position)
    return [move for move in position.moves(seat) if "x" in GAME.write_move(move)]


def most_kings(position: Position, seat: int) -> int:
    """Count the Kings that a seat can take in the rest of its turn, by any chain."""
    if position.over or mover(position) != seat or position.phase == "sow":
        return 0
    taken = 0
    for move in captures(position):
        after = position.apply(seat, move)
        taken = max(taken, kings(position) - kings(after) + most_kings(after, seat))
    return taken


def king_falls(position: Position, seat: int) -> bool:
    """Whether the seat to move can take another's King in this turn."""
    hunter = mover(position)
    for move in captures(position) if position.phase != "sow" else []:
        after = position.apply(hunter, move)
        if seat not in in_play(after):
            return True
        if not after.over and after.phase == "chain" and king_falls(after, seat):
            return True
    return False


def in_play(position: Position) -> list[int]:
    layout = position.observe(0).layout
    return [seat for seat, letter in enumerate("RBYG") if letter in layout]


def leaves_king(position: Position, sowing: int) -> bool:
    """Whether a sowing leaves the next seat the sower's King."""
    seat = mover(position)
    after = position.apply(seat, sowing)
    return not after.over and king_falls(after, seat)


@pytest.mark.parametrize("options", VARIANTS, ids=str)
def test_takes_kings_that_can_be_taken(options: dict[str, object]):
    """Followed through its chain, every favourite takes a King, unless that costs its own."""
    rng = random.Random(21)
    found = 0
    for position in random_play(GAME, options, seed=21):
        if position.phase != "pawn" or not most_kings(position, mover(position)):
            continue
        seat, before = mover(position), kings(position)
        after = position
        while not after.over and after.phase != "sow":
            after = after.apply(seat, rng.choice(favourites(after)))
        if after.over:
            # In the quick game a capture can lose, and it may be the only move.
            assert after.returns[seat] == 1 or len(position.moves(seat)) == 1
        elif kings(after) == before:
            assert every_capture_of_a_king_costs_its_own(position)
        found += 1
        if found == 40:
            return


def every_capture_of_a_king_costs_its_own(position: Position) -> bool:
    if position.over:
        return True
    seat = mover(position)
    if position.phase == "sow":
        return all(leaves_king(position, sowing) for sowing in position.moves(seat))
    return all(
        every_capture_of_a_king_costs_its_own(after)
        for after in (position.apply(seat, move) for move in captures(position))
        if kings(after) < kings(position) or most_kings(after, seat)
    )


@pytest.mark.parametrize("options", VARIANTS, ids=str)
def test_never_sows_the_king_into_reach_of_the_next_seat_if_it_can_avoid_that(
    options: dict[str, object],
):
    found = 0
    for position in random_play(GAME, options, seed=22):
        if position.phase != "sow":
            continue
        seat = mover(position)
        sowings = position.moves(seat)
        # Only positions with a King in danger matter.
        if not any(leaves_king(position, sowing) for sowing in sowings[::40]):
            continue
        chosen = favourites(position)
        if not any(not leaves_king(position, sowing) for sowing in chosen):
            assert all(leaves_king(position, sowing) for sowing in sowings)
        else:
            assert not any(leaves_king(position, sowing) for sowing in chosen)
        found += 1
        if found == 20:
            return


@pytest.mark.parametrize("options", VARIANTS, ids=str)
def test_moves_so_that_a_sowing_can_save_the_king(options: dict[str, object]):
    found = 0
    for position in random_play(GAME, options, seed=23):
        seat = mover(position)
        if position.phase != "pawn" or most_kings(position, seat):
            continue
        after = [position.apply(seat, move) for move in position.moves(seat)]
        if not any(looks_doomed(each) and not can_be_saved(each) for each in after):
            continue
        if any(can_be_saved(each) for each in after):
            assert all(can_be_saved(position.apply(seat, move)) for move in favourites(position))
            found += 1
        if found:
            return


def wins_now(position: Position) -> bool:
    """Whether the seat to move can win by a capture."""
    seat = mover(position)
    after = [position.apply(seat, move) for move in captures(position)]
    return any(each.over and each.returns[seat] == 1 for each in after)


def leaves_game(position: Position, sowing: int) -> bool:
    """Whether a sowing leaves the next seat a won game, or the sower's King."""
    after = position.apply(mover(position), sowing)
    return not after.over and (wins_now(after) or king_falls(after, mover(position)))


def test_never_sows_a_quick_game_away_if_it_can_avoid_that():
    """The next seat may win with a third seat's King: with two seats out, more pieces win."""
    found = 0
    for position in random_play(GAME, {"quick": True}, seed=26):
        if position.phase != "sow" or len(in_play(position)) > 3:
            continue
        sowings = position.moves(mover(position))
        lost = {sowing for sowing in sowings if leaves_game(position, sowing)}
        # The tests above cover dangers to the own King.
        if all(leaves_king(position, sowing) for sowing in lost) or len(lost) == len(sowings):
            continue
        assert lost.isdisjoint(favourites(position))
        found += 1
        if found == 20:
            return


@pytest.mark.parametrize("options", VARIANTS, ids=str)
def test_a_game_that_can_be_won_now_counts_as_won(options: dict[str, object]):
    found = 0
    for position in random_play(GAME, options, seed=27):
        if position.phase == "pawn" and wins_now(position):
            seat = mover(position)
            won = [1.0 if each == seat else -1.0 for each in range(4)]
            assert Treeless(position, seat).play(array("I", [0])) == won
            found += 1
            if found == 10:
                return


def test_a_king_nearly_in_reach_counts_for_less():
    """Blue's pawn is three squares from Red's King and waits for three beads in pit 27."""
    layout = board(R="a6", B="e4", Y="f2", G="c1", b="d6")
    values = []
    for beads in (2, 1, 0):
        position = GAME.start({"layout": layout, "beads": ring(p27=beads, p0=1), "first": 2}, 1)
        values.append(Treeless(position, 2).play(array("I", [0])))
    red = [each[0] for each in values]
    assert red == sorted(set(red))
    # The others share what Red may lose.
    assert all(more > less for less, more in zip(values[2][1:], values[0][1:], strict=True))


def looks_doomed(position: Position) -> bool:
    """Whether the King looks lost, judged cheaply by a few sowings."""
    return position.phase == "sow" and all(
        leaves_king(position, sowing) for sowing in position.moves(mover(position))[::50]
    )


def can_be_saved(position: Position) -> bool:
    """Whether the rest of the turn can keep the mover's King from the next seat."""
    if position.over:
        return True
    seat = mover(position)
    if position.phase == "sow":
        return any(not leaves_king(position, sowing) for sowing in position.moves(seat))
    return any(can_be_saved(position.apply(seat, move)) for move in position.moves(seat))


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("options", VARIANTS, ids=str)
def test_advice_takes_kings_and_keeps_its_own(options: dict[str, object], level: int):
    """Advice follows what the engine knows, whatever the search finds."""
    taken = kept = 0
    for number, position in enumerate(random_play(GAME, options, seed=24)):
        seat = mover(position)
        if taken < 4 and position.phase == "pawn" and most_kings(position, seat):
            after = position
            while not after.over and after.phase != "sow":
                after = after.apply(seat, advised(after, level, number))
            assert kings(after) < kings(position) or every_capture_of_a_king_costs_its_own(position)
            taken += 1
        if kept < 3 and position.phase == "sow":
            sowings = position.moves(seat)
            in_danger = [leaves_king(position, sowing) for sowing in sowings[::40]]
            if any(in_danger) and not all(in_danger):
                assert not leaves_king(position, advised(position, level, number))
                kept += 1
        if taken == 4 and kept == 3:
            return


def test_ignores_moves_that_take_no_king_where_others_do():
    """Taking a pawn or moving on would leave alone a King that could be taken."""
    layout = "R...../....../....../....../gY...B/Gr...."
    position = GAME.start({"layout": layout, "beads": ring(p22=1, p2=1, p13=2), "first": 0}, 1)
    assert {GAME.write_move(move) for move in position.moves(0)} == {"b1xa1", "b1xb2", "b1-d1"}
    assert {GAME.write_move(move) for move in favourites(position)} <= {"b1xa1", "b1xb2"}
