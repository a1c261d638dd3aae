"""Who can play in a match, and what they get to see."""

from random import Random

import pytest
from tablier_cli.matches.players import (
    Budget,
    Thinker,
    UnknownPlayer,
    find_player,
    play_at_random,
)
from tablier_core.position import Position
from tablier_core.registry import GAMES

BUDGET = Budget(milliseconds=100)


def play_first(position: Position, seat: int, rng: Random) -> int:
    """Somebody else's bot."""
    return position.moves(seat)[0]


def test_levels_and_budgets_are_read_from_names() -> None:
    assert find_player("7", BUDGET) == Thinker(7, BUDGET)
    assert find_player("best", BUDGET) == Thinker(0, BUDGET)
    assert find_player("best@50ms", BUDGET) == Thinker(0, Budget(milliseconds=50))
    assert find_player("10@300it", BUDGET) == Thinker(10, Budget(iterations=300))
    assert find_player("random", BUDGET) is play_at_random


def test_somebody_elses_function_is_imported() -> None:
    assert find_player(f"{__name__}:play_first", BUDGET) is play_first


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("0", "1 to 10"),
        ("11", "1 to 10"),
        ("strong", "level from 1 to 10"),
        ("best@0ms", "time to think"),
        ("best@5s", "no player"),
        ("no.such.module:bot", "cannot be imported"),
        ("math:no_such_bot", "cannot be imported"),
        ("math:pi", "no function"),
    ],
)
def test_other_names_are_nobodys(name: str, told: str) -> None:
    with pytest.raises(UnknownPlayer, match=told):
        find_player(name, BUDGET)


def test_a_thinker_plays_the_same_move_for_the_same_chance() -> None:
    position = GAMES["contigo-alignment"].start({}, 3)
    seat = position.actors[0]
    player = find_player("best@20it", BUDGET)
    chosen = player(position, seat, Random(5))
    assert position.is_legal(seat, chosen)
    assert player(position, seat, Random(5)) == chosen


class Counter:
    """Somebody else's bot that wants to know how long it may think."""

    def __init__(self, budget: Budget) -> None:
        self.budget = budget

    def __call__(self, position: Position, seat: int, rng: Random) -> int:
        return position.moves(seat)[0]


def test_a_class_is_told_the_budget_and_made_anew() -> None:
    first, second = (find_player(f"{__name__}:Counter", BUDGET) for _ in range(2))
    assert isinstance(first, Counter)
    assert first.budget == BUDGET
    assert first is not second
