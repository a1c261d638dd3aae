"""Players of a match are found by their names."""

import sys
from pathlib import Path
from random import Random

import pytest
from tablier_cli.matches.players import (
    AdvisorPlayer,
    Budget,
    UnknownPlayer,
    find_player,
    play_at_random,
)
from tablier_core.position import Position
from tablier_core.registry import GAMES

BUDGET = Budget(milliseconds=100)


def play_first(position: Position, seat: int, rng: Random) -> int:
    """A bot that is a function."""
    return position.moves(seat)[0]


def test_reads_levels_and_budgets_from_names() -> None:
    assert find_player("7", BUDGET) == AdvisorPlayer(7, BUDGET)
    assert find_player("best", BUDGET) == AdvisorPlayer(0, BUDGET)
    assert find_player("best@50ms", BUDGET) == AdvisorPlayer(0, Budget(milliseconds=50))
    assert find_player("10@300it", BUDGET) == AdvisorPlayer(10, Budget(iterations=300))
    assert find_player("random", BUDGET) is play_at_random


def test_imports_a_function() -> None:
    assert find_player(f"{__name__}:play_first", BUDGET) is play_first


def test_imports_from_the_current_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "my_own_bots.py").write_text("def lazy(position, seat, rng): ...\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [path for path in sys.path if path])
    assert find_player("my_own_bots:lazy", BUDGET).__module__ == "my_own_bots"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("0", "1 to 10"),
        ("11", "1 to 10"),
        ("strong", "level from 1 to 10"),
        ("best@0ms", "must be positive"),
        ("best@5s", "not a player"),
        ("no.such.module:bot", "cannot import"),
        ("math:no_such_bot", "cannot import"),
        ("math:pi", "not callable"),
    ],
)
def test_rejects_other_names(name: str, message: str) -> None:
    with pytest.raises(UnknownPlayer, match=message):
        find_player(name, BUDGET)


def test_the_advisor_plays_the_same_move_for_the_same_random_numbers() -> None:
    position = GAMES["contigo-alignment"].start({}, 3)
    seat = position.actors[0]
    player = find_player("best@20it", BUDGET)
    chosen = player(position, seat, Random(5))
    assert position.is_legal(seat, chosen)
    assert player(position, seat, Random(5)) == chosen


class Counter:
    """A bot that is a class and takes the budget."""

    def __init__(self, budget: Budget) -> None:
        self.budget = budget

    def __call__(self, position: Position, seat: int, rng: Random) -> int:
        return position.moves(seat)[0]


def test_creates_an_instance_of_a_class_with_the_budget() -> None:
    first, second = (find_player(f"{__name__}:Counter", BUDGET) for _ in range(2))
    assert isinstance(first, Counter)
    assert first.budget == BUDGET
    assert first is not second
