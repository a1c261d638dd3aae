"""The engine of the alignment game, compared with plain enumeration in random games."""

from __future__ import annotations

import random
from itertools import islice

import pytest
from tablier_core.advice import advise
from tablier_core.games.contigo_alignment import GAME
from tablier_core.position import Position
from tablier_core.testing.tactics import can_force, forcing_moves, opinion

from tests.core.games.random_play import mover, random_play

VARIANTS = [{}, {"advanced": True}, {"turn_limit": 12}]
# Enough for every proof in these games. A number rather than a time makes the tests exact.
PLENTY = 2_000
# Enough for most of them.
SOME = 500
# Full strength, with few iterations, and the levels that never slip.
FULL_STRENGTH = 0
ITERATIONS_AT_FULL_STRENGTH = 20
LEVELS = [FULL_STRENGTH, 9, 10]


def best(weights: dict[int, float]) -> list[int]:
    most = max(weights.values())
    return [move for move, weight in weights.items() if weight == most]


def advised(position: Position, level: int, seed: int) -> int:
    iterations = ITERATIONS_AT_FULL_STRENGTH if level == FULL_STRENGTH else 0
    report = advise(position, mover(position), iterations=iterations, level=level, seed=seed)
    return report.suggestions[0].action


def wins_next(position: Position, seat: int) -> bool:
    """Whether a seat has won, or can win with its next pawn move."""
    return can_force(position, seat, 1)


@pytest.mark.parametrize("options", VARIANTS, ids=str)
def test_finds_every_win_in_one_pawn_move(options: dict[str, object]):
    found = 0
    for position in random_play(GAME, options, seed=11):
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
def test_prevents_every_preventable_loss_in_one(options: dict[str, object], phase: str):
    """Moves that lose at once have no weight if there is another."""
    found = 0
    for position in random_play(GAME, options, seed=12):
        seat = mover(position)
        if position.phase != phase or wins_next(position, seat):
            continue
        losing = set(forcing_moves(position, 1 - seat, 1))
        if not losing:
            continue
        safe = set(position.moves(seat)) - losing
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


@pytest.mark.parametrize(
    ("options", "count"), [({}, 40), ({"advanced": True}, 15), ({"turn_limit": 12}, 20)], ids=str
)
def test_finds_wins_within_two_turns_exactly_where_there_are_any(
    options: dict[str, object], count: int
):
    rng = random.Random(14)
    asked = found = 0
    for position in random_play(GAME, options, seed=14):
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
        if asked >= count and found:
            break


@pytest.mark.parametrize(("options", "count"), [({}, 6), ({"advanced": True}, 3)], ids=str)
def test_plays_forced_wins_in_two_turns_to_the_end(options: dict[str, object], count: int):
    """Check a claimed win against all defences, then play it out against a random one."""
    rng = random.Random(15)
    found = 0
    for position in islice(random_play(GAME, options, seed=15), 10_000):
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
    pytest.fail(f"found only {found} forced wins in many games")


@pytest.fixture(scope="module", params=VARIANTS, ids=str)
def tactics(request: pytest.FixtureRequest) -> tuple[list[Position], dict[Position, list[int]]]:
    """Positions where a pawn move wins, and others with the moves that lose there."""
    wins: list[Position] = []
    saves: dict[Position, list[int]] = {}
    for position in random_play(GAME, request.param, seed=17):
        seat = mover(position)
        if position.phase == "pawn" and wins_next(position, seat):
            wins.append(position)
        elif len(saves) < 3:
            losing = forcing_moves(position, 1 - seat, 1)
            if 0 < len(losing) < len(position.moves(seat)):
                saves[position] = losing
        if len(wins) >= 20 and len(saves) == 3:
            break
    return wins, saves


@pytest.mark.parametrize("level", LEVELS)
def test_advice_wins_in_one_pawn_move_and_stops_the_rival_from_doing_so(
    tactics: tuple[list[Position], dict[Position, list[int]]], level: int
):
    """Advice follows what the engine has proven, whatever the search finds."""
    wins, saves = tactics
    for seed, position in enumerate(wins):
        seat = mover(position)
        after = position.apply(seat, advised(position, level, seed))
        assert after.over
        assert after.returns[seat] == 1
    for seed, (position, losing) in enumerate(saves.items()):
        assert advised(position, level, seed) not in losing


@pytest.mark.parametrize("options", VARIANTS, ids=str)
def test_the_same_number_of_iterations_gives_the_same_opinion(options: dict[str, object]):
    rng = random.Random(16)
    asked = 0
    for position in random_play(GAME, options, seed=16):
        if rng.random() > 0.1:
            continue
        seat = mover(position)
        first = opinion(position, seat, iterations=50, seed=3)
        again = GAME.unpack(position.pack())
        assert opinion(again, seat, iterations=50, seed=3) == first
        asked += 1
        if asked == 20:
            return
