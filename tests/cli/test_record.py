"""`tablier record`: check, show and convert."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner
from tablier_cli import main
from tablier_cli.backend import InProcess
from tablier_client import Record, read_record, write_record

TEXT = (Path(__file__).parents[1] / "data" / "records" / "branched.txt").read_text()


def run(*arguments: str, text: str | bytes = TEXT, status: int = 0, columns: int = 100) -> str:
    """Run a command with a record as its input; return its output, or its standard error."""
    result = CliRunner().invoke(
        main, ["record", *arguments], input=text, env={"COLUMNS": str(columns)}
    )
    assert result.exit_code == status, result.output
    return result.stderr if status else result.stdout


def hidden_record(viewer: int) -> str:
    """The record of three moves of Contrast, as a seat saw them."""
    backend = InProcess()
    state = backend.send(backend.calls.start("contrast", {"seats": 3}, seed=3))
    moves = [backend.send(backend.calls.moves(state, seat))[0] for seat in range(3)]
    record: Record = backend.send(
        backend.calls.record("contrast", moves, {"seats": 3}, seed=3, viewer=viewer)
    )
    return write_record(record)


def test_check_replays_a_record(tmp_path: Path) -> None:
    assert run("check") == "The record is valid: 3 moves of contigo-alignment.\n"
    (tmp_path / "game.txt").write_text(TEXT)
    assert "is valid" in run("check", str(tmp_path / "game.txt"), text="")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"7"', "7", 'record.Seed: line 5, column 7: expected `"`'),
        ("13+1.1", "13+9", "record.moves: line 17: not a move of this game"),
        ("e1-c1", "e1-e2", "record.moves: line 15: "),
        ("0 0", "1 0", "record.Scores: the moves lead to other scores"),
        ('Rules "1"', 'Rules "9"', "record.Rules: this service has version 1 of the rules"),
        ("contigo-alignment", "chess", "there is no game with this name"),
        ("record 1", "record 2", "record: line 1, column 21: the format has version 2"),
    ],
)
def test_check_says_what_is_wrong(old: str, new: str, message: str) -> None:
    assert message in run("check", text=TEXT.replace(old, new), status=1)


def test_bytes_that_are_no_text_are_an_error() -> None:
    assert "line 1, column 1: not UTF-8" in run("show", text=b"\xff\xfe", status=1)


def test_check_reads_a_record_that_cannot_be_replayed() -> None:
    text = run("check", text=hidden_record(1))
    assert text.startswith("The record is well-formed, but cannot be replayed; this is what seat 1")
    assert "2 of its 3 moves are hidden" in text


def test_show_prints_tags_moves_and_variations() -> None:
    lines = [line.split() for line in run("show").splitlines()]
    assert ["seat", "0", "Ann"] in lines
    assert ["Event", "Sunday"] in lines
    assert ["1", "Ann", "a6-a4", "values", "0.25", "-0.25"] in lines
    assert ["Good."] in lines
    assert ["1", "Ann", "e1-c1"] in lines
    assert ["2", "Ann", "13+1.1"] in lines


def test_show_fits_a_narrow_terminal() -> None:
    lines = run("show", columns=40).splitlines()
    assert max(map(len, lines)) <= 40
    assert any("a6-a4" in line for line in lines)


def test_show_works_for_a_viewer() -> None:
    text = run("show", text=hidden_record(1))
    assert text.count("(hidden)") == 2
    assert "seat 1; 2 hidden moves" in text


def test_convert_prints_the_same_record_or_that_of_a_viewer() -> None:
    assert run("convert") == TEXT
    assert run("convert", text=TEXT.replace('[Scores "0 0"]\n', "")) == TEXT
    seen = read_record(run("convert", "--viewer", "1"))
    assert (seen.viewer, seen.seed, seen.comment, len(seen.moves)) == (1, None, "", 3)
    assert run("convert", text=write_record(seen)) == run("convert", "--viewer", "1")


def test_convert_needs_a_complete_record_and_a_seat_of_the_game() -> None:
    assert "the record cannot be replayed" in run("convert", text=hidden_record(0), status=1)
    assert "Invalid value for --viewer: " in run("convert", "--viewer", "5", status=2)
