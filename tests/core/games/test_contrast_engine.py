"""The engine of Contrast: exact values, learning, random choices, foresight, teams, strength."""

from __future__ import annotations

import random
from itertools import product
from statistics import fmean

import pytest
from tablier_core.advice import Report, advise
from tablier_core.position import Position
from tablier_core.registry import GAMES

from campaigns.players.contrast import people
from tests.core.games.contrast_positions import packed

GAME = GAMES["contrast"]
RED, YELLOW, BLUE = 0, 1, 2
SYMBOLS = 12


def think(position: Position, seat: int = 0, seed: int = 1, iterations: int = 24) -> Report:
    return advise(position, seat, iterations=iterations, seed=seed)


def choose(position: Position, seat: int, rng: random.Random, iterations: int = 8) -> int:
    report = think(position, seat, rng.getrandbits(32), iterations)
    return report.suggestions[0].action


def values(position: Position, seat: int = 0) -> dict[int, tuple[float, ...]]:
    return {found.action: found.values for found in think(position, seat).suggestions}


def reveal(position: Position, choices: list[int]) -> Position:
    for seat, symbol in enumerate(choices):
        position = position.apply(seat, symbol)
    return position


# ---- Chances -------------------------------------------------------------------------------------

# Seats 0 and 1 have won an image for red.
ROWS = ((2, 4), (1, 4), (3, 5), (2, 1))
FIRST_ROUND = (0, 0, 2, 10)


@pytest.mark.parametrize("seat", [0, 2])
@pytest.mark.parametrize(
    ("rows", "rounds"),
    [
        (ROWS[:3], [FIRST_ROUND[:3]]),
        (ROWS, [FIRST_ROUND]),
        ([(0, 1, 2), (1, 2, 3), (2, 3, 4), (3, 4, 5), (4, 5, 0)], []),
    ],
    ids=["three", "four", "five, expert"],
)
def test_values_are_exact_in_the_last_round(
    rows: list[tuple[int, ...]], rounds: list[tuple[int, ...]], seat: int
):
    # All symbols fit a plain picture equally, so the others choose uniformly.
    data = packed(len(rows), rows=rows, rounds=rounds, pile=3 if rounds else 1)
    position = GAME.unpack(data)
    advice = values(position, seat)
    others = [position.moves(other) for other in range(len(rows)) if other != seat]
    for symbol in position.moves(seat):
        after = [
            reveal(position, [*choices[:seat], symbol, *choices[seat:]])
            for choices in product(*others)
        ]
        assert all(position.over for position in after)
        expected = [fmean(seats) for seats in zip(*(end.returns for end in after), strict=True)]
        assert advice[symbol] == pytest.approx(expected)


def one_image(affinities: list[float], later: list[float], seats: int = 4) -> list[list[float]]:
    """Return a deck with this image on top of the pile, in the order of `packed`."""
    deck = [later] * 74
    deck[38 - 4 * seats] = affinities
    return deck


def lay(deck: list[list[float]], rows: list[tuple[int, ...]]) -> Position:
    data = bytearray(packed(len(rows), rows=rows, pile=74 - (38 - 4 * len(rows))))
    data[-12 * 74 :] = bytes(round(200 * affinity) for image in deck for affinity in image)
    return GAME.unpack(bytes(data))


PLAIN = [0.5] * SYMBOLS
ONLY_RED = [1.0] + [0.0] * 11


def test_avoids_a_symbol_that_nobody_else_holds_however_well_it_fits():
    position = lay(one_image(ONLY_RED, PLAIN), [(2, 4), (0, 4), (0, 5), (0, 1)])
    assert RED in position.moves(0)
    found = values(position)
    assert found[RED][0] < max(worth[0] for worth in found.values()) - 0.01
    assert all(choose(position, 0, random.Random(seed)) != RED for seed in range(10))


def test_chooses_a_symbol_that_most_others_want_but_one_does_not_hold():
    position = lay(one_image(ONLY_RED, PLAIN), [(2, 4), (2, 4), (2, 4), (0, 1)])
    assert all(choose(position, 0, random.Random(seed)) == RED for seed in range(10))


def test_learns_how_closely_rivals_follow_the_picture():
    """Both games play the same cards in the same order, but one always the symbol that fits."""
    fits = [1.0, 0.0] * 6
    order = (0, 1, 3, 5, 2, 4)
    rows = [(order[(seat + 4) % 6], order[(seat + 5) % 6]) for seat in range(4)]

    def advantage(side: int) -> float:
        """Return how much better the symbols that fit are, in the last round of thirteen."""
        # No two seats ever choose the same symbol, so each round uses one image.
        rounds = [[2 * order[(seat + i) % 6] + side for seat in range(4)] for i in range(12)]
        data = bytearray(packed(4, rows=rows, rounds=rounds, pile=13))
        data[-12 * 35 :] = bytes(round(200 * affinity) for affinity in fits * 35)
        worth = values(GAME.unpack(bytes(data)))
        return fmean(worth[symbol][0] * (1 if symbol % 2 == 0 else -1) for symbol in worth)

    assert advantage(0) > 0.08
    assert advantage(1) == pytest.approx(0.0, abs=0.02)


# ---- Later rounds --------------------------------------------------------------------------------


def test_keeps_a_card_for_the_next_round():
    # All symbols fit equally now; from the next round on everyone wants red.
    found = values(lay(one_image(PLAIN, ONLY_RED), [(2, 4)] * 4))
    cost = min(worth[0] for symbol, worth in found.items() if symbol not in {RED, YELLOW})
    assert max(found[RED][0], found[YELLOW][0]) < cost - 0.01


# ---- Random choices ------------------------------------------------------------------------------


def test_draws_among_near_equal_symbols():
    # Only this round counts; every second symbol fits very slightly better.
    data = bytearray(packed(4, pile=1))
    data[-12:] = [100, 101] * 6
    position = GAME.unpack(bytes(data))
    worth = values(position)
    assert all(0.0 < worth[2 * card + 1][0] - worth[2 * card][0] < 0.02 for card in (0, 1, 3, 5))
    drawn = {choose(position, 0, random.Random(seed)) for seed in range(30)}
    assert len(drawn) > 4
    assert {symbol % 2 for symbol in drawn} == {0, 1}


def test_equal_players_rarely_all_choose_the_same_symbol():
    rounds = alike = 0
    won = 0.0
    for game in range(3):
        rng = random.Random(game)
        position = GAME.start({}, game)
        while not position.over:
            choices = [choose(position, seat, rng, iterations=4) for seat in range(4)]
            rounds += 1
            alike += len(set(choices)) == 1
            position = reveal(position, choices)
        won += sum(position.scores)
    assert alike < 0.45 * rounds
    assert won > rounds


# ---- Teams ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("expert", [False, True])
def test_a_team_of_two_engines_matches_in_nearly_every_round(expert: bool):
    for deal in range(20):
        position = GAME.start({"seats": 2, "expert": expert}, deal)
        rng = random.Random(deal)
        while not position.over:
            position = reveal(position, [choose(position, seat, rng) for seat in range(2)])
        assert position.scores[0] >= (43 if expert else 44)


def test_a_team_chooses_the_best_fitting_symbol_that_both_hold():
    affinities = [0.9, 0.1, 0.4, 0.3, 0.2, 0.1, 0.8, 0.1, 0.6, 0.1, 0.1, 0.7]
    # Red and heavy are in the partner's row, square is in its own; thick is in both hands.
    position = lay(one_image(affinities, PLAIN, seats=2), [(1, 5), (0, 3)])
    report = think(position)
    assert GAME.write_move(report.suggestions[0].action) == "thick"
    assert report.suggestions[0].values[0] == max(found.values[0] for found in report.suggestions)


def test_a_team_without_a_common_card_gets_one_in_the_next_round():
    position = lay(one_image(PLAIN, PLAIN, seats=2), [(0, 1, 2), (3, 4, 5)])
    rng = random.Random(1)
    position = reveal(position, [choose(position, seat, rng) for seat in range(2)])
    assert set(position.moves(0)) & set(position.moves(1))


def test_the_value_for_a_team_depends_on_the_missing_points():
    # One round is left: with 21 points the team can win, with 20 it cannot.
    rounds = [(0, 0), (2, 2), (4, 4)] * 7
    near = packed(2, rounds=rounds, pile=22)
    lost = packed(2, rounds=rounds[:20], pile=21)
    assert max(worth[0] for worth in values(GAME.unpack(near)).values()) > 0.5
    assert {worth[0] for worth in values(GAME.unpack(lost)).values()} == {-1.0}


# ---- No peeking, and bounds ----------------------------------------------------------------------


def walk(options: dict[str, object], seed: int) -> list[tuple[Position, int]]:
    """Return the positions of a game between people, each with the seat that chooses next."""
    rng = random.Random(seed)
    position = GAME.start(options, seed)
    found = []
    while not position.over:
        seat = rng.choice(position.actors)
        found.append((position, seat))
        position = position.apply(seat, people(position, seat, rng))
    return found


@pytest.mark.parametrize("expert", [False, True])
@pytest.mark.parametrize("seats", [2, 3, 4, 5, 6])
def test_advice_depends_only_on_what_the_seat_knows_and_the_seed(seats: int, expert: bool):
    for position, seat in walk({"seats": seats, "expert": expert}, seats)[1::7]:
        advice = think(position, seat, iterations=2).suggestions
        assert think(position.determinize(seat, 3), seat, iterations=2).suggestions == advice
        assert {found.action for found in advice} == set(position.moves(seat))
        for found in advice:
            assert all(-1.0 <= value <= 1.0 for value in found.values)
            if seats > 2:
                assert sum(found.values) == pytest.approx(2 - seats)


@pytest.mark.parametrize("seats", [2, 4, 6])
def test_answers_even_without_time(seats: int):
    position = GAME.start({"seats": seats}, 1)
    report = advise(position, 1, seconds=1e-9, seed=1)
    assert {found.action for found in report.suggestions} == set(position.moves(1))
    for found in report.suggestions:
        assert found.weight > 0
        if seats > 2:
            assert sum(found.values) == pytest.approx(2 - seats)


# ---- Strength ------------------------------------------------------------------------------------


@pytest.mark.parametrize("expert", [False, True])
def test_beats_people(expert: bool):
    ahead = []
    for game in range(8):
        rng = random.Random(game)
        position = GAME.start({"expert": expert}, game)
        own = game % 4
        while not position.over:
            choices = [
                choose(position, seat, rng) if seat == own else people(position, seat, rng)
                for seat in range(4)
            ]
            position = reveal(position, choices)
        ahead.append(position.scores[own] - fmean(position.scores))
    assert fmean(ahead) > 1.5
