"""`make strength` reports what was played: small matches, and players that do badly."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from click.testing import CliRunner
from tablier_cli.matches.players import Budget, find_player
from tablier_core.games.contigo_alignment import GAME
from tablier_core.registry import GAMES

from campaigns import strength, tactics
from campaigns.kept import Kept, Workers
from campaigns.players.open_spiel import Searcher
from campaigns.punctuality import cancel_served, overshoot_served, summary
from campaigns.strength import fill, main
from campaigns.strength_rows import NOT_MEASURED, Plan, all_rows, duel, judge, ratio_figure
from campaigns.strength_targets import target_rows

QUICK = Budget(iterations=5)


@pytest.fixture
def plan(tmp_path: Path) -> Iterator[Plan]:
    """A quick plan whose results are forgotten."""
    with Workers(1) as workers:
        yield Plan(5, workers, 1, Kept(tmp_path / "games.jsonl", "test"))


def nothing() -> None:
    """Ignore progress."""


def test_every_requirement_has_its_rows() -> None:
    names = [row.name for row in all_rows()]
    assert len(set(names)) == len(names)
    for group, count in (
        ("alignment", 4),
        ("capture", 2),
        ("contrat500", 3),
        ("contract", 3),
        ("contrast", 2),
        ("mafia", 5),
        ("double", 4),
        ("levels", 18),
        ("tactics", 6),
        ("time", 4),
    ):
        assert sum(name.startswith(group) for name in names) == count


def test_measures_the_share_of_the_first_player(plan: Plan) -> None:
    for players, measured, verdict in (
        (["best", "random"], "100.0%", "ok"),
        (["random", "best"], "0.0%", "BELOW"),
    ):
        row = duel(
            "x", "contigo-alignment", players, 0.9, 4, against="", budget=Budget(iterations=50)
        )
        figure = row.measure(plan, 4, nothing)
        assert (figure.measured, figure.verdict) == (measured, verdict)


def test_reports_below_only_when_the_whole_interval_is_below() -> None:
    assert judge(0.9, 0.95, 0.9) == "ok"
    assert judge(0.89, 0.95, 0.9) == "unsure"
    assert judge(0.5, 0.8, 0.9) == "BELOW"


def test_ratios_have_intervals() -> None:
    often, seldom = [1.0] * 60 + [0.0] * 40, [1.0] * 20 + [0.0] * 80
    figure = ratio_figure(often, seldom, 2.0)
    assert figure.measured.startswith("2.9")
    assert figure.verdict == "ok"
    assert ratio_figure(seldom, often, 1.0).verdict == "BELOW"
    assert ratio_figure([0.0] * 10, [0.0] * 10, 1.0).measured.startswith("1.00")
    # "More often" must be more than luck.
    assert ratio_figure(often, seldom, 1.0, surely=True).verdict == "ok"
    assert ratio_figure([1.0, 0.0, 0.0], [0.0] * 3, 1.0, surely=True).verdict == "unsure"
    assert ratio_figure([0.0] * 10, [0.0] * 10, 1.0, surely=True).verdict == "unsure"


@pytest.mark.parametrize(
    ("name", "games"),
    [
        ("target-contract-2", 2),
        ("target-contrast-best", 4),
        ("target-contrast-team-sharp", 4),
        ("target-mafia-6", 10),
        ("target-mafia-agents-10", 2),
        ("target-capture-full-greedy", 0),
    ],
)
def test_measures_the_rows_with_targets(plan: Plan, name: str, games: int) -> None:
    row = next(each for each in target_rows() if each.name == name)
    figure = row.measure(replace(plan, milliseconds=1), games, nothing)
    if games:
        assert "%" in figure.measured
        assert figure.verdict in ("ok", "unsure", "BELOW", "ABOVE")
    else:
        assert figure == NOT_MEASURED


def test_shows_kept_games_when_the_time_is_over(plan: Plan) -> None:
    row = duel("x", "contigo-alignment", ["best", "random"], 0.9, 4, against="", budget=QUICK)
    late = replace(plan, go_on=lambda: False)
    assert row.measure(late, 2, nothing) == NOT_MEASURED
    figure = row.measure(plan, 2, nothing)
    assert figure != NOT_MEASURED
    assert list(fill([row], late, 4)) == [(row, 2, figure)]


def test_prints_the_requested_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(strength, "BUILD", tmp_path)
    result = CliRunner().invoke(
        main, ["--rows", "contrast-2", "--games", "2", "--ms", "1", "--processes", "1"]
    )
    assert result.exit_code == 0, result.output
    assert "contrast-2" in result.stdout
    assert "95%" in result.stdout
    assert "contrast-4" not in result.stdout
    wrong = CliRunner().invoke(main, ["--rows", "chess"])
    assert wrong.exit_code == 2
    assert "contrast-2" in wrong.stderr


@pytest.mark.parametrize("kind", ["win", "loss", "force"])
def test_questions_have_correct_and_wrong_answers(kind: tactics.Kind) -> None:
    asked = tactics.Asked(kind, advanced=False, milliseconds=5)
    found = next(
        position
        for position in (tactics.question_of(asked, number) for number in range(60))
        if position is not None
    )
    verdicts = {tactics.is_right(kind, found, move) for move in found.moves(found.actors[0])}
    assert verdicts == {True, False}


def test_a_quiet_position_is_not_a_question() -> None:
    assert not any(tactics.is_question(kind, GAME.start({}, 1)) for kind in tactics.MEANINGS)


def test_asks_until_there_are_enough_answers() -> None:
    asked = tactics.Asked("win", advanced=False, milliseconds=5)
    assert list(tactics.answers(asked, 3, 1)) == [True] * 3


@pytest.mark.parametrize(
    ("game", "options", "who"),
    [("contigo-alignment", {}, "Mcts"), ("contract", {"seats": 2}, "Ismcts")],
)
def test_open_spiel_searches_stay_within_their_budget(
    game: str, options: dict[str, object], who: str
) -> None:
    chance = Random(3)
    position = GAMES[game].start(options, 2)
    for budget in (Budget(iterations=30), Budget(milliseconds=60)):
        player = find_player(f"campaigns.players.open_spiel:{who}", budget)
        assert isinstance(player, Searcher)
        for _ in range(4):
            seat = position.actors[0]
            action = player(position.view_of(seat), seat, chance)
            assert position.is_legal(seat, action)
            if position.count_moves(seat) > 1:
                assert player.simulations == 30 if budget.iterations else player.simulations >= 1
            position = position.apply(seat, action)


def test_measures_a_service_from_outside() -> None:
    late = [seconds for seconds in overshoot_served(2) if seconds is not None]
    assert late
    assert all(-0.05 < seconds < 10 for seconds in late)
    spent = [seconds for seconds in cancel_served(2) if seconds is not None]
    assert spent
    assert all(0 <= seconds < 10 for seconds in spent)


def test_judges_the_percentile_that_decides() -> None:
    seconds = [0.001] * 99 + [1.0]
    assert summary(seconds, 99, 0.5)[2] == "ok"
    assert summary(seconds, 100, 0.5)[2] == "ABOVE"
