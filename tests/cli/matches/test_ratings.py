"""Win rates, intervals and ratings, compared with published or hand-computed figures."""

import pytest
from tablier_cli.matches.games import GameResult
from tablier_cli.matches.ratings import elo, interval, standings


def duel(first: float, second: float) -> GameResult:
    return GameResult((first, second), (1, 2), (0.5, 0.1))


def test_computes_wilsons_interval_of_8_in_10() -> None:
    # Newcombe (1998), method 3, gives 0.4902 and 0.9433.
    low, high = interval(0.8, 10)
    assert low == pytest.approx(0.4902, abs=1e-4)
    assert high == pytest.approx(0.9433, abs=1e-4)


def test_an_interval_stays_within_0_and_1() -> None:
    low, high = interval(1.0, 50)
    assert high == pytest.approx(1.0)
    assert 0.9 < low < 1.0


def test_three_wins_in_four_are_191_points() -> None:
    results = [duel(1, -1)] * 3000 + [duel(-1, 1)] * 1000
    strong, weak = elo(["a", "b"], ["a", "b"], results)
    assert strong - weak == pytest.approx(190.8, abs=0.5)
    assert strong + weak == pytest.approx(0.0, abs=1e-6)


def test_draws_and_shared_wins_count_as_fractions() -> None:
    first, second = standings(["a", "b"], [duel(1, -1), duel(0, 0)])
    assert (first.name, first.wins) == ("a", 0.75)
    assert second.wins == 0.25
    assert first.milliseconds == pytest.approx(500)
    assert second.milliseconds == pytest.approx(50)


def test_seats_with_the_same_name_are_one_player() -> None:
    game = GameResult((1.0, -1.0, -1.0), (1, 1, 1), (0.0, 0.0, 0.0))
    best, others = standings(["a", "b", "b"], [game] * 10)
    assert (best.wins, best.games) == (1.0, 10)
    assert (others.wins, others.games) == (0.0, 20)


def test_more_games_reduce_the_error_of_ratings() -> None:
    few = standings(["a", "b"], [duel(1, -1), duel(1, -1), duel(-1, 1)] * 5)
    many = standings(["a", "b"], [duel(1, -1), duel(1, -1), duel(-1, 1)] * 100)
    assert 0 < many[0].elo_error < few[0].elo_error / 2
