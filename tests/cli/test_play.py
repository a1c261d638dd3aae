"""`tablier play`, with a script at the keyboard."""

import random
from collections.abc import Callable, Sequence
from typing import cast

import pytest
from click.testing import CliRunner
from tablier_cli import main
from tablier_cli.backend import InProcess
from tablier_cli.ongoing_game import OngoingGame
from tablier_cli.play import LISTED, TerminalPlayer
from tablier_core.position import Game
from tablier_core.registry import GAMES

from tests.live_server import LiveServer

GAME = "contigo-alignment"


def play(*lines: str, arguments: Sequence[str] = (), status: int = 0) -> str:
    """Type lines and return what the terminal shows."""
    command = ["play", GAME, "--seed", "3", "-o", "first=0", *arguments]
    result = CliRunner().invoke(main, command, input="\n".join([*lines, ""]))
    assert result.exit_code == status, result.output
    return result.output


def typist(player: TerminalPlayer, chance: random.Random) -> Callable[..., str]:
    """Answer every prompt with a random legal move."""

    def answer(text: str, **settings: object) -> str:
        assert text.startswith(f"seat {player._seat}, ")
        return chance.choice(player._ongoing.notations(player._seat))

    return answer


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("seat", [0, 1])
def test_any_game_can_be_played_to_the_end(
    name: str, seat: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    game = GAMES[name]
    ongoing = OngoingGame(InProcess(), game, {}, 11)
    player = TerminalPlayer(game, ongoing, seat, None, random.Random(1))
    monkeypatch.setattr("click.prompt", typist(player, random.Random(2)))
    player.run()
    shown = capsys.readouterr().out
    assert "Game over after" in shown
    assert f"{seat} (you)" in shown
    assert shown.rstrip().endswith(("You win.", "You lose.", "A draw."))


def test_draws_the_board_and_makes_moves() -> None:
    shown = play("a6-a4", "13+1.1", "quit")
    assert shown.count("a  b  c  d  e  f") >= 6
    assert "Red moves a pawn, turn 1 of 200" in shown
    assert "Red sows, turn 1 of 200" in shown
    assert "seat 1 plays " in shown
    assert "Red moves a pawn, turn 3 of 200" in shown


def test_explains_a_mistake_and_asks_again() -> None:
    shown = play("nonsense", "a6-a5", "", "a6-a4", "quit")
    assert "not a move of this game" in shown
    assert "Pit 20 holds 2 beads, so a6 reaches a4, not a5" in shown
    assert "Red sows" in shown


def test_lists_moves_by_prefix_and_never_hundreds_of_them() -> None:
    shown = play("moves", "moves a6", "moves z", "a6-a4", "moves", "quit")
    everything, some, none, _, many = [part.split() for part in shown.split("seat 0, ")[1:-1]]
    assert len(everything) == len(["pawn>", "moves"]) + 12
    assert some == ["pawn>", "moves", "a6", "a6-a4", "a6-c6"]
    assert " ".join(none) == "pawn> moves z no legal move starts with z"
    game = GAMES[GAME]
    count = game.start({"first": 0}, 3).apply(0, game.read_move("a6-a4")).count_moves(0)
    assert f"... and {count - LISTED} more" in " ".join(many)


def test_help_shows_commands_and_notation() -> None:
    shown = play("help", "quit")
    assert "moves TEXT" in shown
    assert all(form in shown for form, _ in GAMES[GAME].notation)


def test_the_end_of_input_quits_the_game() -> None:
    assert "seat 0, pawn>" in play()


def test_the_same_seed_gives_the_same_game() -> None:
    assert play("a6-a4", "13+1.1", "quit") == play("a6-a4", "13+1.1", "quit")


def test_does_not_print_secret_moves(capsys: pytest.CaptureFixture[str]) -> None:
    class Secretive:
        has_hidden_information = True

    ongoing = OngoingGame(InProcess(), GAMES[GAME], {"first": 1}, 3)
    player = TerminalPlayer(cast("Game", Secretive()), ongoing, 0, None, random.Random(1))
    player._move_another(1)
    assert capsys.readouterr().out == "seat 1 moves\n"


@pytest.mark.parametrize("level", [[], ["--level", "2"]], ids=["random", "level 2"])
def test_a_game_on_a_server_is_the_same(live_server: LiveServer, level: list[str]) -> None:
    lines = ["moves", "nonsense", "a6-a5", "a6-a4", "13+1.1", "quit"]
    here = play(*lines, arguments=level)
    assert play(*lines, arguments=["--server", live_server.grpc_address, *level]) == here
    assert ("play at level 2" if level else "move at random") in here


@pytest.mark.parametrize("name", GAMES)
def test_any_game_can_be_played_against_a_level(
    name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    game = GAMES[name]
    ongoing = OngoingGame(InProcess(), game, {}, 5)
    player = TerminalPlayer(game, ongoing, 1, 1, random.Random(1))
    monkeypatch.setattr("click.prompt", typist(player, random.Random(2)))
    player.run()
    assert "Game over after" in capsys.readouterr().out


def test_the_others_play_what_the_advisor_suggests_at_that_level() -> None:
    """The strongest level always finds a win in one move, which random play usually misses."""
    game = GAMES[GAME]
    options = {"first": 1, "layout": "...R.B/R.RBR./....../.B.B.B/BR.R../..B.R."}
    position = game.start(options, 1)
    winning = [
        text
        for text, move in zip(position.notations(1), position.moves(1), strict=True)
        if position.apply(1, move).over
    ]
    assert 0 < len(winning) < len(position.moves(1)) / 2
    pairs = [f"--option={name}={value}" for name, value in options.items()]
    for seed in ("1", "2", "3"):
        command = ["play", GAME, *pairs, "--level", "10", "--seed", seed]
        shown = CliRunner().invoke(main, command).output
        assert shown.rstrip().endswith("You lose.")
        assert any(f"seat 1 plays {text}\n" in shown for text in winning)


def test_sends_options_in_words_to_a_server(live_server: LiveServer) -> None:
    command = ["play", GAME, "--seed", "3", "-o", "first=random", "-o", "turn_limit=9"]
    here = CliRunner().invoke(main, command, input="quit\n")
    there = CliRunner().invoke(
        main, [*command, "--server", live_server.grpc_address], input="quit\n"
    )
    assert "of 9" in there.output
    assert there.output == here.output


def test_reports_that_no_server_is_running() -> None:
    shown = play("quit", arguments=["--server", "127.0.0.1:1"], status=1)
    assert shown.startswith("Error: ")
    assert "127.0.0.1:1" in shown
