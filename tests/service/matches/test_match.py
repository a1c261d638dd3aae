"""`tablier match` as people run it."""

from click.testing import CliRunner, Result
from tablier_service.cli import main


def run(*arguments: str) -> Result:
    return CliRunner(catch_exceptions=False).invoke(main, ["match", *arguments])


def test_a_match_prints_shares_intervals_and_ratings() -> None:
    result = run(
        "contigo-alignment", "--players", "best,random", "--games", "4", "--iterations", "50"
    )
    assert result.exit_code == 0
    best = next(line for line in result.stdout.splitlines() if " best " in line)
    assert "100.0%" in best
    assert "51.0-100.0%" in best
    assert "±" in best


def test_a_match_says_who_is_no_player() -> None:
    result = run("contigo-alignment", "--players", "best,nobody", "--games", "1")
    assert result.exit_code == 2
    assert "nobody" in result.stderr


def test_a_budget_is_in_one_unit() -> None:
    result = run("contrast", "--players", "1", "--ms", "5", "--iterations", "5")
    assert result.exit_code == 2
    assert "not in both" in result.stderr


def test_more_players_than_seats_are_refused() -> None:
    result = run("contigo-alignment", "--players", "1,2,3")
    assert result.exit_code == 2
    assert "2 seats" in result.stderr
