"""Iterations without a tree: the same policy and the same play-outs as in a search."""

from __future__ import annotations

from array import array
from random import Random

import pytest
from tablier_core.advice import advise
from tablier_core.position import Position
from tablier_core.registry import GAMES
from tablier_core.testing.engines import engage
from tablier_core.testing.games import TESTING_GAMES, TIC_TAC_TOE
from tablier_core.testing.treeless import Treeless

# Games without simultaneous moves at the start: in those, a search chooses the order of the seats.
IN_TURN = [
    game
    for game in [*TESTING_GAMES.values(), *GAMES.values()]
    if len(game.start({}, 1).actors) == 1
]


def positions(name: str) -> list[Position]:
    """Return positions of a random game in which a single seat is to move."""
    game = next(game for game in IN_TURN if game.name == name)
    if name in GAMES:
        game = engage(game, "no opinion", {})  # its own engine would choose instead of the search
    found, chance = [], Random(1)
    position = game.start({}, 1)
    for _ in range(24):
        if position.over:
            break
        if len(position.actors) == 1:
            found.append(position)
        seat = chance.choice(position.actors)
        position = position.apply(seat, chance.choice(position.moves(seat)))
    return found


@pytest.mark.parametrize("name", [game.name for game in IN_TURN])
def test_the_first_iteration_is_the_same_without_a_tree(name: str):
    """All moves are new to it, so it follows the policy, to the last bit."""
    for position in positions(name):
        seat = position.actors[0]
        for seed in range(5):
            searched = advise(position, seat, iterations=1, seed=seed)
            assert Treeless(position, seat, seed=seed).play(array("I", [1])) == list(
                searched.suggestions[0].values
            )


def test_depths_grow_with_the_tree():
    search = Treeless(TIC_TAC_TOE.start({}, 1), 0)
    depths = search.depths(2000)
    assert depths[0] == 1
    assert 2 < max(depths) <= 9
    assert sum(depths[1000:]) > sum(depths[:1000])


def test_depth_zero_is_a_random_play_out():
    position = TIC_TAC_TOE.start({}, 1)
    first, second = Treeless(position, 0).play(array("I", [0] * 4000))
    assert first == -second
    # In random play the first seat wins 58.5% of the games and the second 28.8%.
    assert 0.25 < first / 4000 < 0.35
