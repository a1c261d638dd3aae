"""`tablier start`, `moves`, `interpret`, `apply`, `show` and `render`, alone and in pipes."""

from __future__ import annotations

import base64
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner
from tablier_cli import main
from tablier_client import read_record
from tablier_core import codec
from tablier_core.drawing import Look
from tablier_core.languages import catalogue
from tablier_core.png import draw_png
from tablier_core.position import Position
from tablier_core.registry import GAMES

from tests.live_server import LiveServer

GAME = "contigo-alignment"
HIDDEN = ["contract", "contrast", "contrat500", "mafia-de-cuba"]


def run(*arguments: str, text: str | bytes = "", status: int = 0) -> str:
    """Run a command with a state as its input; return its output, or its standard error."""
    result = CliRunner().invoke(main, arguments, input=text, env={"LC_ALL": "C", "COLUMNS": "100"})
    assert result.exit_code == status, result.output
    return result.stderr if status else result.stdout


def read_token(text: str) -> Position:
    return codec.decode(base64.urlsafe_b64decode(text.strip()), GAMES)


def hidden_token(name: str, seed: int, moves: int = 3) -> str:
    position = GAMES[name].start({}, seed)
    for _ in range(moves):
        seat = position.actors[-1]
        position = position.apply(seat, position.moves(seat)[0])
    return base64.urlsafe_b64encode(codec.encode(position)).decode()


def test_start_prints_a_token() -> None:
    token = run("start", GAME, "--seed", "7", "-o", "first=1")
    assert token.count("\n") == 1
    assert read_token(token) == GAMES[GAME].start({"first": 1}, 7)
    assert run("start", "contract") != run("start", "contract")


def test_start_prints_json_and_records() -> None:
    facts = json.loads(run("start", "contract", "--seed", "7", "--json"))
    assert (facts["game"], facts["seed"], facts["actors"]) == ("contract", "7", [0])
    assert read_token(facts["token"]) == GAMES["contract"].start({}, 7)
    record = read_record(run("start", "contract", "--seed", "7", "--record", "-o", "seats=4"))
    assert (record.game, record.seed, record.options) == ("contract", 7, {"seats": 4})


def test_a_real_pipe_works() -> None:
    tablier = f"{sys.executable} -m tablier_cli"
    command = " | ".join(
        f"{tablier} {part}"
        for part in (f"start {GAME} --seed 7 -o first=0", "apply a6-a4", "apply 13+1.1", "show")
    )
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", command], capture_output=True, text=True, check=True
    )
    assert "Blue moves a pawn, turn 2 of 200" in done.stdout
    assert done.stderr == ""


def test_moves_are_lines_with_tabs_in_a_pipe() -> None:
    lines = run("moves", text=run("start", GAME, "--seed", "7", "-o", "first=0")).splitlines()
    assert lines[-1] == "b6-d6\t0\tRed moves a pawn from b6 to d6"
    assert len(lines) == 12
    listed = json.loads(run("moves", "contrast", "--seat", "1", "--json", "--language", "fr"))
    assert {move["seat"] for move in listed} == {1}
    assert listed[0]["words"].startswith("La place 1 choisit")


def test_interpret_prints_the_notation_of_a_text() -> None:
    token = run("start", GAME, "--seed", "7", "-o", "first=0")
    assert run("interpret", "**A6 to A4**", text=token) == "a6-a4\n"
    facts = json.loads(run("interpret", "a6 en a4", "--json", "--language", "fr", text=token))
    assert facts["outcome"] == "normalised"
    assert facts["move"]["notation"] == "a6-a4"
    assert facts["move"]["words"].startswith("Rouge ")


def test_interpret_explains_why_a_text_is_no_move() -> None:
    token = run("start", GAME, "--seed", "7", "-o", "first=0")
    assert "reaches a4, not a5" in run("interpret", "A6-A5", text=token, status=1)
    unsure = run("interpret", "a6-a4 or a6-c6", text=token, status=1)
    assert "a6-a4\tRed" in unsure
    assert "a6-c6\tRed" in unsure
    assert "must not be empty" in run("interpret", " ", text=token, status=1)


def test_apply_extends_a_record(tmp_path: Path) -> None:
    started = run("start", GAME, "--seed", "7", "-o", "first=0", "--record")
    longer = run("apply", "a6-a4", "13+1.1", text=started)
    assert [move.notation for move in read_record(longer).moves] == ["a6-a4", "13+1.1"]
    file = tmp_path / "game.txt"
    file.write_text(longer)
    assert "Blue moves a pawn" in run("show", str(file))
    assert run("record", "check", str(file)).startswith("The record is valid")
    report = json.loads(run("suggest", str(file), "--iterations", "10", "--json"))
    assert report["ply"] == 2


def test_apply_names_seats_and_prints_json() -> None:
    token = run("start", "contrast", "--seed", "7")
    first, second = (
        json.loads(run("moves", "--seat", seat, "--json", text=token))[0]["notation"]
        for seat in ("0", "1")
    )
    moves = (f"0: {first}", f"1: {second}")
    facts = json.loads(run("apply", *moves, "--json", "--viewer", "0", text=token))
    assert [(move["seat"], move["notation"]) for move in facts["moves"]] == [
        (0, first),
        (1, second),
    ]
    assert facts["moves"][1]["words"] == "Seat 1 chooses a symbol"
    assert facts["ply"] == read_token(facts["token"]).ply == 2
    assert run("apply", first, "--seat", "0", text=token) == run("apply", moves[0], text=token)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["apply", "a6-a5"], "MOVE: a6-a5: Pit 20 holds 2 beads, so a6 reaches a4, not a5"),
        (["apply", "a6-a4", "nonsense"], "MOVE: nonsense: "),
        (["apply", "1: a6-a4"], "MOVE: 1: a6-a4: "),
        (["show", "nonsense"], "not a file, a game name or a valid token"),
        (["show", "--seat", "5"], "--seat: "),
        (["render", "--bottom", "5"], "--bottom"),
        (["render", "--arrow", "a6"], "--arrow: must be two parts"),
    ],
)
def test_says_what_is_wrong(arguments: list[str], message: str) -> None:
    token = run("start", GAME, "--seed", "7", "-o", "first=0")
    assert message in run(*arguments, text=token, status=2)


def test_an_incomplete_record_cannot_be_shown() -> None:
    started = run("start", "contrast", "--seed", "7", "--record")
    chosen = run("moves", "--seat", "0", text=started).split("\t")[0]
    made = run("apply", f"0: {chosen}", text=started)
    seen = run("record", "convert", "--viewer", "1", text=made)
    assert "the record cannot be replayed" in run("show", text=seen, status=1)


def test_shows_in_every_language_and_as_json() -> None:
    token = run("start", "contract", "--seed", "7")
    position = read_token(token)
    assert run("show", "--seat", "1", text=token) == position.draw_text(1) + "\n"
    french = run("show", "--language", "fr", text=token)
    assert french == position.draw_text(-1, catalogue("fr")) + "\n"
    facts = json.loads(run("show", "--json", text=token))
    assert facts["view"]["contract"]
    assert read_token(facts["token"]) == position


@pytest.mark.parametrize("name", HIDDEN)
def test_nothing_for_a_seat_depends_on_what_it_cannot_know(name: str) -> None:
    """The same for every world that the seat cannot distinguish from the true one."""
    token = hidden_token(name, 7)
    world = read_token(token).determinize(0, 99)
    other = base64.urlsafe_b64encode(codec.encode(world)).decode()
    assert other != token
    for command in (["show"], ["show", "--json"], ["render"], ["moves"]):
        shown = [run(*command, "--seat", "0", text=text) for text in (token, other)]
        assert shown[0] == shown[1]
    assert run("show", text=token) != run("show", "--seat", "0", text=token)


def test_renders_with_a_look(tmp_path: Path) -> None:
    token = run("start", GAME, "--seed", "7", "-o", "first=0")
    position = read_token(token)
    assert run("render", text=token) == position.draw_svg() + "\n"
    look = ("--seat", "0", "--theme", "dark", "--width", "300", "--bottom", "1", "--language", "fr")
    svg = run("render", *look, "--mark", "a6", "--arrow", "a6>a4", "--mark-starts", text=token)
    assert 'width="300"' in svg
    assert "<line" in svg
    assert "stroke-dasharray" in svg
    assert "Rouge" in svg
    file = tmp_path / "game.png"
    run("render", "--output", str(file), "--width", "200", text=token)
    assert file.read_bytes() == draw_png(position.draw_svg(look=Look(width=200)), 200)
    result = CliRunner().invoke(main, ["render", "--format", "png"], input=token)
    assert result.stdout_bytes.startswith(b"\x89PNG")


def test_a_server_gives_the_same_answers(live_server: LiveServer) -> None:
    where = ("--server", live_server.grpc_address)
    token = run("start", GAME, "--seed", "7", "-o", "first=0")
    assert run("start", GAME, "--seed", "7", "-o", "first=0", *where) == token
    for command in (["moves"], ["apply", "a6-a4"], ["show"], ["render"], ["show", "--json"]):
        assert run(*command, *where, text=token) == run(*command, text=token)


def test_coloured_drawings_are_only_for_terminals() -> None:
    assert not re.search("\x1b", run("show", GAME))
