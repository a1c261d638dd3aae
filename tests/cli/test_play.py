"""`tablier play`, with a script at the keyboard; test_play_terminal.py types in a terminal."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from click.testing import CliRunner
from tablier_cli import main
from tablier_cli.backend import InProcess
from tablier_cli.keyboard import Leaving
from tablier_cli.ongoing_game import OngoingGame
from tablier_cli.play import COMMANDS, LISTED, TerminalPlayer, new_lines
from tablier_client import read_record
from tablier_core.registry import GAMES

from tests.live_server import LiveServer

GAME = "contigo-alignment"


def run(*arguments: str, lines: Sequence[str] = (), status: int = 0, columns: int = 100) -> str:
    """Play, type lines, and return what the terminal shows."""
    environment = {"COLUMNS": str(columns), "LC_ALL": "C"}
    result = CliRunner().invoke(
        main, ["play", *arguments], input="\n".join([*lines, ""]), env=environment
    )
    assert result.exit_code == status, result.output
    return result.output


def play(*lines: str, arguments: Sequence[str] = (), status: int = 0) -> str:
    """Play a game of alignment that the player begins."""
    command = (GAME, "--seed", "3", "-o", "first=0", *arguments)
    return run(*command, lines=lines, status=status)


class Typist:
    """Answers every prompt with a random legal move, and waits or takes back now and then."""

    def __init__(self, player: TerminalPlayer, chance: random.Random, extras: Sequence[str] = ()):
        self._player, self._chance, self._extras = player, chance, extras

    def read(self, prompt: str) -> str:
        player = self._player
        assert prompt == f"Seat {player._seat}> "
        if not player._ongoing.state.actors:
            raise Leaving
        if self._extras and self._chance.random() < 0.2:
            return self._chance.choice(self._extras)
        return self._chance.choice(player._ongoing.legal(player._seat)).notation


def play_to_the_end(name: str, seat: int, level: int, extras: Sequence[str] = ()) -> None:
    game = GAMES[name]
    ongoing = OngoingGame.start(InProcess(), game, {}, 11)
    player = TerminalPlayer(game, ongoing, seat, level, random.Random(1))
    player._keyboard = Typist(player, random.Random(2), extras)  # type: ignore[assignment]
    player.run()


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize(("seat", "level"), [(0, 0), (1, 0), (1, 1)])
def test_any_game_can_be_played_to_the_end(
    name: str, seat: int, level: int, capsys: pytest.CaptureFixture[str]
) -> None:
    play_to_the_end(name, seat, level)
    shown = capsys.readouterr().out
    assert "Game over after" in shown
    assert f"{seat} (you)" in shown
    assert re.search(r"You win\.|You lose\.|A draw\.", shown)


@pytest.mark.parametrize("name", GAMES)
def test_every_command_works_in_any_game(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    play_to_the_end(name, 1, 0, ["moves", "moves 1", "wait", "board", "help", "rules"])
    assert "Game over after" in capsys.readouterr().out


@pytest.mark.parametrize("name", GAMES)
def test_no_move_is_written_like_a_command(name: str) -> None:
    commands = {command.partition(" ")[0] for command, _ in COMMANDS}
    assert not commands & {form.partition(" ")[0] for form, _ in GAMES[name].notation}


def test_draws_the_board_and_says_what_happens() -> None:
    shown = play("a6-a4", "13+1.1", "quit")
    assert shown.count("a  b  c  d  e  f") >= 6
    assert "• Red moves a pawn from a6 to a4" in shown
    assert "• Blue moves a pawn from " in shown
    assert "Red moves a pawn, turn 3 of 200" in shown


def test_has_an_opponent_with_a_level_by_default() -> None:
    assert "the others play at level 3" in play("quit")
    assert "the others move at random" in play("quit", arguments=["--level", "random"])
    assert "--level" in play(arguments=["--level", "11"], status=2)


def test_explains_a_mistake_and_asks_again() -> None:
    shown = play("nonsense", "a6-a5", "", "a6-a4", "quit")
    assert "`nonsense` is not a move of this game" in shown
    assert "Pit 20 holds 2 beads, so a6 reaches a4, not a5" in shown
    assert "Red sows" in shown


def test_reads_moves_as_people_write_them() -> None:
    shown = play("My move: A6 to A4!", "13 + 1,1", "quit")
    assert "Understood: a6-a4" in shown
    assert "Understood: 13+1.1" in shown
    assert "Red sows" in shown
    assert "Understood" not in play("a6-a4", "13+1.1", "quit")


def test_asks_which_move_is_meant_and_plays_none() -> None:
    asked, rest = play("a6-a4 or a6-c6", "is a6-a4 good", "quit").split("Seat 0>")[1:3]
    assert "Which one do you mean?" in asked
    assert re.findall(r"(?m)^│ (\S+) ", asked) == ["a6-a4", "a6-c6"]
    assert "Do you mean this?" in rest
    nothing = play("a6-a5", "x" * 3000, "quit")
    assert "Moves look like this: a6-a4, " in nothing
    assert re.findall(r"(?m)^│ (\S+) ", nothing)[0] == "a6-a4"
    assert "at most 2048 characters" in nothing
    assert "sows" not in nothing.split("Seat 0>", 1)[1].replace("sows, ", "")


def test_lists_moves_in_words_by_prefix_and_never_hundreds_of_them() -> None:
    shown = play("moves", "moves a6", "moves to c1", "moves z", "a6-a4", "moves", "quit")
    everything, some, mentioned, none, _, many, _ = shown.split("Seat 0>")[1:]
    assert everything.count("Red moves a pawn from") == 12
    assert re.findall(r"(?m)^│ (\S+) ", some) == ["a6-a4", "a6-c6"]
    assert re.findall(r"(?m)^│ (\S+) ", mentioned) == ["e1-c1"]
    assert "No legal move starts with z or mentions it." in none
    game = GAMES[GAME]
    count = game.start({"first": 0}, 3).apply(0, game.read_move("a6-a4")).count_moves(0)
    assert f"… and {count - LISTED} more" in many


def test_a_hint_is_a_legal_move_in_words() -> None:
    hint = play("hint", "quit").split("Seat 0>")[1]
    found = re.findall(r"│ (\S+) +│ Red moves a pawn from (\S+) to (\S+) +│ [+-]\d\.\d\d │", hint)
    assert len(found) == 3
    assert all(move == f"{start}-{end}" for move, start, end in found)


def test_takes_back_the_last_own_move_and_all_after_it() -> None:
    shown = play("undo", "a6-a4", "13+1.1", "undo", "quit")
    assert "You have not made a move yet." in shown
    before, after = shown.split("Your last move is taken back.")
    assert "• Blue " in before
    assert "Red sows, turn 1 of 200" in after


def test_saves_a_game_and_continues_it(tmp_path: Path) -> None:
    file = tmp_path / "game.txt"
    play("a6-a4", "13+1.1", "a4-c4", "undo", f"save {file}", "quit")
    record = read_record(file.read_text())
    assert record.players == {0: "player", 1: "level 3"}
    assert [move.notation for move in record.moves[:2]] == ["a6-a4", "13+1.1"]
    assert all(move.variations == () for move in record.moves)
    shown = run(str(file), lines=["undo", "quit"])
    assert "You have seat 0" in shown
    assert "the others play at level 3" in shown
    assert "Your last move is taken back." in shown
    assert "--seed" not in shown
    for strength, words in (("7", "the others play at level 7"), ("random", "the others move at")):
        other = tmp_path / strength
        play(f"save {other}", "quit", arguments=["--level", strength])
        assert words in run(str(other), lines=["quit"])
    assert "the others play at level 2" in run(str(other), "--level", "2", lines=["quit"])
    assert "has its options" in run(str(file), "--seed", "1", status=2)


def test_does_not_overwrite_a_file_that_it_has_not_saved(tmp_path: Path) -> None:
    file = tmp_path / "game.txt"
    file.write_text("precious")
    shown = play(f"save {file}", f"save {tmp_path / 'other'}", f"save {tmp_path / 'other'}", "quit")
    assert shown.count("exists already") == 1
    assert shown.count("Saved.") == 2
    assert file.read_text() == "precious"
    assert "No such file" in play(f"save {tmp_path / 'none' / 'x'}", "quit")


def test_a_finished_game_can_be_saved_and_taken_back(tmp_path: Path) -> None:
    file = tmp_path / "over.txt"
    lines = ["a6-a4", "13+1.1", f"save {file}", "undo", "quit"]
    shown = play(*lines, arguments=["-o", "turn_limit=1"])
    assert "A draw." in shown
    assert read_record(file.read_text()).result == (0, 0)
    assert shown.rstrip().endswith("Seat 0> quit")
    assert "Red sows, turn 1 of 1" in shown.split("A draw.")[1]


def test_a_slip_after_the_end_does_not_leave_the_game(tmp_path: Path) -> None:
    file = tmp_path / "over.txt"
    lines = ["a6-a4", "13+1.1", "hint", f"sav {file}", f"save {file}", ""]
    shown = play(*lines, arguments=["-o", "turn_limit=1"])
    assert "The game is over" in shown
    assert shown.count("Enter leaves") == 2
    assert file.exists()


def test_a_mistake_lists_what_can_be_done_if_that_is_little() -> None:
    lines = ["pass", "on 2", "done", "quit"]
    shown = run("contract", "--seed", "12", lines=lines).split("Seat 0>")
    assert "The first player must begin the round with an influence" in shown[1]
    assert re.findall(r"(?m)^│ (on \d) ", shown[1]) == [f"on {place}" for place in range(1, 6)]
    assert "An influence needs at least one token and one card" in shown[3]
    assert re.findall(r"(?m)^│ (\w+) ", shown[3]) == ["token"]
    assert "Moves look like this" not in shown[1] + shown[3]


def test_shows_the_rules_and_help() -> None:
    assert "# Contigo: alignment" in play("rules", "quit")
    shown = play("help", "quit")
    assert all(command.format(start="a6") in shown for command, _ in COMMANDS)
    assert "moves on" in run("contract", "--seed", "12", lines=["help", "quit"])
    assert all(form in shown for form, _ in GAMES[GAME].notation)


def test_a_seat_that_may_speak_need_not() -> None:
    lines = ["take nothing", "take 1", "wait", "wait", "quit"]
    shown = run("mafia-de-cuba", "--seat", "1", "--seed", "5", lines=["pouch none", *lines])
    spoken = shown.split("type `wait` to let them")
    assert len(spoken) >= 3
    assert re.search(r"• (The Godfather|Seat \d) ", spoken[1])
    assert "Nobody else can move now" in play("wait", "quit")


def test_never_tells_a_secret_move() -> None:
    shown = run("mafia-de-cuba", "--seat", "5", "--seed", "5", lines=["quit"])
    told = [line for line in shown.splitlines() if line.startswith("•")]
    assert "• Seat 1 takes something from the box" in told
    assert not [line for line in told if re.search(r"diamond\w* \d|\d diamond", line)]


def test_within_a_turn_a_long_drawing_shows_only_what_is_new() -> None:
    shown = run("contract", "--seed", "40", lines=["on 2", "token", "board", "quit"])
    _, chosen, placed, again, _ = shown.split("Seat 0>")
    assert "Traffics" not in chosen + placed
    assert "seat 0: 1 token = 1" in placed
    assert "Traffics" in again


def test_finds_new_lines_that_look_like_others() -> None:
    assert new_lines(["1", "x", "2"], ["1", "x", "2", "x"]) == ["x"]
    assert new_lines(["a", "b"], ["a", "c"]) == ["c"]
    assert new_lines(["a"], ["a"]) == []


def test_speaks_french() -> None:
    shown = play("a6-a5", "moves a6", "help", "quit", arguments=["--language", "fr"])
    assert "Place 0>" in shown
    assert "Rouge déplace" in shown
    assert "quitter la partie" in shown
    assert "Seat" not in shown
    assert "legal" not in shown


@pytest.mark.parametrize("name", GAMES)
def test_fits_40_columns(name: str) -> None:
    shown = run(name, "--seed", "2", lines=["help", "moves", "hint", "quit"], columns=40)
    prompts = re.compile(r"^(Seat 0> ?(help|moves|hint|quit)?)+")
    assert [line for line in shown.splitlines() if len(prompts.sub("", line)) > 40] == []


def test_the_end_of_input_quits_the_game() -> None:
    assert play().rstrip().endswith("Seat 0>")


def test_the_same_seed_gives_the_same_game() -> None:
    assert play("a6-a4", "13+1.1", "quit") == play("a6-a4", "13+1.1", "quit")


@pytest.mark.parametrize("level", ["random", "2"])
def test_a_game_on_a_server_is_the_same(live_server: LiveServer, level: str) -> None:
    lines = ["moves", "nonsense", "a6-a5", "a6-a4", "13+1.1", "undo", "quit"]
    here = play(*lines, arguments=["--level", level])
    there = play(*lines, arguments=["--level", level, "--server", live_server.grpc_address])
    assert there == here


def test_the_others_play_what_the_advisor_suggests_at_that_level() -> None:
    """The strongest level always finds a win in one move, which random play usually misses."""
    game = GAMES[GAME]
    options = {"first": 1, "layout": "...R.B/R.RBR./....../.B.B.B/BR.R../..B.R."}
    position = game.start(options, 1)
    winning = [move for move in position.moves(1) if position.apply(1, move).over]
    assert 0 < len(winning) < len(position.moves(1)) / 2
    pairs = [f"--option={name}={value}" for name, value in options.items()]
    for seed in ("1", "2", "3"):
        shown = run(GAME, *pairs, "--level", "10", "--seed", seed)
        assert "You lose." in shown
        words = position.words(1, moves=winning)
        assert any(f"• {each}" in shown for each in words)


def test_sends_options_in_words_to_a_server(live_server: LiveServer) -> None:
    command = [GAME, "--seed", "3", "-o", "first=random", "-o", "turn_limit=9"]
    here = run(*command, lines=["quit"])
    there = run(*command, "--server", live_server.grpc_address, lines=["quit"])
    assert "of 9" in there
    assert there == here


def test_reports_that_no_server_is_running() -> None:
    shown = play("quit", arguments=["--server", "127.0.0.1:1"], status=1)
    assert shown.startswith("Error: ")
    assert "127.0.0.1:1" in shown


def test_offers_commands_and_moves_that_complete_a_line() -> None:
    game = GAMES[GAME]
    ongoing = OngoingGame.start(InProcess(), game, {"first": 0}, 3)
    player = TerminalPlayer(game, ongoing, 0, 3, random.Random(1))

    def offered(typed: str) -> Iterator[str]:
        return (text for text, meaning in player._offer(typed) if meaning)

    assert list(offered("a6")) == ["a6-a4", "a6-c6"]
    assert list(offered("moves a6")) == ["moves a6-a4", "moves a6-c6"]
    assert list(offered("h")) == ["hint", "help"]
    assert {"save", "undo", "quit", "a6-a4"} <= set(offered(""))
