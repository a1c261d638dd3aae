"""The command `tablier match`."""

from click.testing import CliRunner, Result
from tablier_cli import main
from tablier_cli.match import rating
from tablier_cli.matches.games import GameResult
from tablier_cli.matches.ratings import standings

WON = GameResult((1.0, -1.0), (1, 1), (0.0, 0.0))
LOST = GameResult((-1.0, 1.0), (1, 1), (0.0, 0.0))


def run(*arguments: str) -> Result:
    return CliRunner(catch_exceptions=False).invoke(main, ["match", *arguments])


def test_prints_win_rates_intervals_and_ratings() -> None:
    result = run(
        "contigo-alignment", "--players", "best,random", "--games", "4", "--iterations", "50"
    )
    assert result.exit_code == 0
    best = next(line for line in result.stdout.splitlines() if " best " in line)
    assert "100.0%" in best
    assert "51.0-100.0%" in best
    # It won every game, so the error of its rating is unknown.
    assert "±" not in best


def test_a_rating_has_an_error_when_results_differ() -> None:
    strong, weak = standings(["a", "b"], [WON, WON, LOST])
    assert rating(strong).startswith(f"{strong.elo:+.0f} ± ")
    assert rating(weak).startswith("-")


def test_names_the_unknown_player() -> None:
    result = run("contigo-alignment", "--players", "best,nobody", "--games", "1")
    assert result.exit_code == 2
    assert "nobody" in result.stderr


def test_rejects_a_budget_in_both_units() -> None:
    result = run("contrast", "--players", "1", "--ms", "5", "--iterations", "5")
    assert result.exit_code == 2
    assert "not both" in result.stderr


def test_rejects_more_players_than_seats() -> None:
    result = run("contigo-alignment", "--players", "1,2,3")
    assert result.exit_code == 2
    assert "2 seats" in result.stderr
