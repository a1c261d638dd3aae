"""Random play in bulk: its totals, and that play-throughs are the same games."""

from __future__ import annotations

import pytest
from tablier_core.registry import GAMES
from tablier_core.testing import playthrough
from tablier_core.testing.games import TESTING_GAMES, TIC_TAC_TOE
from tablier_core.testing.playouts import playouts

from tests.core.variants import cases, label

EVERY_GAME = [*TESTING_GAMES.values(), *GAMES.values()]


@pytest.mark.parametrize("game", EVERY_GAME, ids=lambda game: game.name)
@pytest.mark.parametrize("seed", [0, 1, 2**64 - 1])
def test_play_throughs_are_the_same_games(game, seed):
    limit = 60
    lines = playthrough.write(game, {}, seed, limit).splitlines()
    tally = playouts(game, {}, seed, 1, limit)
    assert tally["games"] == 1
    assert tally["moves"] == sum(line.startswith("plays: ") for line in lines)
    ended = [line.removeprefix("returns: ") for line in lines if line.startswith("returns: ")]
    assert tally["unfinished"] == (0 if ended else 1)
    if ended:
        assert tally["returns"] == [float(number) for number in ended[0].split()]


def test_totals_are_the_sums_of_single_games():
    whole = playouts(TIC_TAC_TOE, {}, 100, 50)
    single = [playouts(TIC_TAC_TOE, {}, 100 + i, 1) for i in range(50)]
    assert whole["games"] == 50
    assert whole["moves"] == sum(tally["moves"] for tally in single)
    assert whole["generated"] == sum(tally["generated"] for tally in single)
    assert whole["wins_by_seat"] == [
        sum(tally["wins_by_seat"][seat] for tally in single) for seat in range(2)
    ]
    # Nine free cells, then one less after each move.
    assert all(
        tally["generated"] == sum(9 - ply for ply in range(tally["moves"])) for tally in single
    )


@pytest.mark.parametrize(("game", "options"), cases(), ids=label)
def test_every_game_is_a_win_a_draw_a_loss_or_unfinished(game, options):
    tally = playouts(game, options, 7, 200, limit=100)
    endings = tally["wins"] + tally["draws"] + tally["losses"] + tally["unfinished"]
    assert endings == tally["games"] == 200
    # More than one seat can win the same game.
    assert max(tally["wins_by_seat"]) <= tally["wins"] <= sum(tally["wins_by_seat"])


def test_a_team_that_misses_its_goal_has_lost():
    tally = playouts(GAMES["contrast"], {"seats": 2}, 1, 200)
    assert (tally["draws"], tally["unfinished"]) == (0, 0)
    assert tally["losses"] > 0
    assert tally["wins_by_seat"] == [tally["wins"]] * 2


def test_a_shared_win_is_a_draw():
    options = {"seats": 4, "max_deals": 1}
    tally = playouts(GAMES["contrat500"], options, 1, 500)
    shared = sum(
        max(playouts(GAMES["contrat500"], options, seed, 1)["returns"]) <= 0
        for seed in range(1, 501)
    )
    assert 0 < tally["draws"] == shared
    assert tally["wins"] == sum(tally["wins_by_seat"]) == 500 - shared


def test_games_are_cut_at_the_limit():
    tally = playouts(TIC_TAC_TOE, {}, 1, 10, limit=4)
    assert (tally["moves"], tally["unfinished"]) == (40, 10)
    assert (tally["wins_by_seat"], tally["returns"]) == ([0, 0], [0, 0])


def test_no_games_give_empty_totals():
    assert playouts(TIC_TAC_TOE, {}, 1, 0)["games"] == 0
