"""Random play in bulk: its totals, and that play-throughs are the same games."""

from __future__ import annotations

import pytest
from tablier_core.registry import GAMES
from tablier_core.testing import playthrough
from tablier_core.testing.games import TESTING_GAMES, TIC_TAC_TOE
from tablier_core.testing.playouts import playouts

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
    assert whole["wins"] == [sum(tally["wins"][seat] for tally in single) for seat in range(2)]
    # Nine free cells, then one less after each move.
    assert all(
        tally["generated"] == sum(9 - ply for ply in range(tally["moves"])) for tally in single
    )


def test_games_are_cut_at_the_limit():
    tally = playouts(TIC_TAC_TOE, {}, 1, 10, limit=4)
    assert (tally["moves"], tally["unfinished"]) == (40, 10)
    assert (tally["wins"], tally["returns"]) == ([0, 0], [0, 0])


def test_no_games_give_empty_totals():
    assert playouts(TIC_TAC_TOE, {}, 1, 0)["games"] == 0
