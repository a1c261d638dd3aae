"""The commands `tablier suggest` and `tablier analyze`."""

from __future__ import annotations

import base64
import json
import os
import pty
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from tablier_cli import main
from tablier_core import codec
from tablier_core.advice import Analysis, advise
from tablier_core.position import Position
from tablier_core.registry import GAMES
from tablier_service.security.sealing import SealedTokens

from tests.live_server import LiveServer, start_server, wait_until

GAME = "contigo-alignment"
REPORT = re.compile(r"(?P<ms>[\d,]+) ms, (?P<iterations>[\d,]+) iterations: (?P<move>\S+) \(.*\)")


def run(*arguments: str, status: int = 0, stdin: bytes | str | None = None) -> Result:
    result = CliRunner(catch_exceptions=False).invoke(
        main, arguments, input=stdin, env={"COLUMNS": "200"}
    )
    assert result.exit_code == status, result.output
    return result


def suggest(*arguments: str) -> dict[str, Any]:
    """Run `suggest --json` and return its report."""
    report: dict[str, Any] = json.loads(run("suggest", *arguments, "--json").stdout)
    return report


def position_after(name: str, moves: int, **options: object) -> Position:
    position = GAMES[name].start(options, 3)
    for _ in range(moves):
        seat = position.actors[0]
        position = position.apply(seat, position.moves(seat)[0])
    return position


def token_of(position: Position) -> str:
    return base64.b64encode(codec.encode(position)).decode()


def rows(output: str) -> list[list[str]]:
    """The cells of a printed table, without its header."""
    return [
        [cell.strip() for cell in line.split("│")[1:-1]]
        for line in output.splitlines()
        if line.startswith("│")
    ]


# ---- suggest -------------------------------------------------------------------------------------


def test_prints_what_the_core_advises() -> None:
    position = position_after(GAME, 2)
    seat = position.actors[0]
    expected = advise(position, seat, iterations=300, seed=5)
    report = suggest(token_of(position), "--iterations", "300", "--seed", "5", "--top", "3")
    assert (report["game"], report["seat"], report["ply"]) == (GAME, seat, 2)
    assert (report["iterations"], report["stopped"], report["milliseconds"]) == (
        300,
        "iterations",
        0,
    )
    assert len(report["suggestions"]) == 3
    for shown, found in zip(report["suggestions"], expected.suggestions, strict=False):
        assert shown["move"]["action"] == found.action
        assert shown["move"]["notation"] == GAMES[GAME].write_move(found.action)
        assert shown["values"] == list(found.values)
        assert (shown["visits"], shown["spread"]) == (found.visits, found.spread)
        assert [(move["seat"], move["action"]) for move in shown["line"]] == list(found.line)


def test_the_table_ranks_moves_and_states_why_the_search_ended() -> None:
    arguments = (token_of(position_after("contract", 3)), "--iterations", "400", "--top", "4")
    report = suggest(*arguments)
    output = run("suggest", *arguments).stdout
    assert f"Contract, seat {report['seat']} to move (pieces), after 3 moves" in output
    assert "400 iterations; iteration limit reached" in output
    shown = rows(output)
    assert [row[0] for row in shown if row[0]] == ["1", "2", "3", "4"]
    for row, suggestion in zip(
        [row for row in shown if row[0]], report["suggestions"], strict=True
    ):
        assert row[1] == suggestion["move"]["notation"]
        assert row[2] == " ".join(f"{value:+.2f}" for value in suggestion["values"])
        assert row[3] == f"{suggestion['spread']:.2f}"
        assert row[4] == f"{suggestion['visits']:,}"
        assert row[6].startswith(f"{report['seat']}:{suggestion['move']['notation']}")


def test_ends_at_the_limit_that_it_reaches_first() -> None:
    assert suggest(GAME, "--ms", "30")["stopped"] == "time"
    assert suggest(GAME, "--ms", "20000", "--iterations", "20")["stopped"] == "iterations"
    assert "; time is up" in run("suggest", GAME, "--ms", "20").stdout


def test_a_level_limits_the_iterations() -> None:
    assert suggest(GAME, "--level", "3")["iterations"] == 64


def test_applies_options_and_the_seed_to_a_new_game() -> None:
    report = suggest(GAME, "-o", "first=1", "--iterations", "10")
    assert report["seat"] == 1
    # The hands of Contrast are dealt at random, so another seed is another game.
    first, second = (
        {
            suggestion["move"]["notation"]
            for suggestion in suggest(
                "contrast", "--seat", "0", "--seed", seed, "--iterations", "20"
            )["suggestions"]
        }
        for seed in ("1", "2")
    )
    assert first != second


@pytest.mark.parametrize("form", ["argument", "url", "text file", "raw file", "stdin", "raw stdin"])
def test_reads_a_token_in_every_form(form: str, tmp_path: Path) -> None:
    # Choose a state whose base64 contains a + or a /, which differ in base64url.
    position = next(
        found
        for found in (position_after("contract", moves) for moves in range(40))
        if {"+", "/"} & set(token_of(found))
    )
    raw, text = codec.encode(position), token_of(position)
    file = tmp_path / "state"
    argument, stdin = str(file), None
    if form == "argument":
        argument = text
    elif form == "url":
        argument = base64.urlsafe_b64encode(raw).decode().rstrip("=")
    elif form == "text file":
        file.write_text(f"{text[:20]}\n{text[20:]}\n")
    elif form == "raw file":
        file.write_bytes(raw)
    else:
        argument, stdin = "-", text.encode() if form == "stdin" else raw
    report = json.loads(
        run("suggest", argument, "--iterations", "30", "--json", stdin=stdin).stdout
    )
    assert report == suggest(text, "--iterations", "30")
    assert report["ply"] == position.ply


def test_a_view_token_gives_the_same_advice_as_the_state() -> None:
    position = position_after("contract", 4)
    view = position.view_of(position.actors[0])
    arguments = ("--iterations", "100")
    assert suggest(token_of(view), *arguments) == suggest(token_of(position), *arguments)


def test_a_server_gives_the_same_advice(live_server: LiveServer) -> None:
    for arguments in (
        (GAME, "--iterations", "50", "-o", "advanced=true", "--seed", "4"),
        (token_of(position_after("contract", 5)), "--level", "2", "--top", "1"),
        ("contrast", "--seat", "2", "-o", "seats=4", "--iterations", "20"),
    ):
        assert suggest(*arguments, "--server", live_server.grpc_address) == suggest(*arguments)


def test_a_sealed_token_needs_its_service() -> None:
    keys = SealedTokens(GAMES, {1: bytes(range(32))})
    sealed = base64.b64encode(keys.write(position_after("contract", 1), "final")).decode()
    assert "--server" in run("suggest", sealed, status=2).stderr
    server = start_server(TABLIER_SEAL_KEYS=f"1:{base64.b64encode(bytes(range(32))).decode()}")
    try:
        where = ("--server", server.grpc_address)
        report = suggest(sealed, "--match", "final", "--iterations", "20", *where)
        assert report["iterations"] == 20
        run("suggest", sealed, "--match", "other", *where, status=2)
    finally:
        server.stop()
        server.close()


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (("suggest", "nonsense"), 2, "STATE: not a file, a game name or a valid token"),
        (("suggest", "chess!"), 2, "STATE: not a file, a game name or a valid token"),
        (("suggest", __file__), 2, f"STATE: no valid token in {__file__}"),
        (("suggest", "contrast"), 2, "--seat: several seats are to move"),
        (("suggest", GAME, "-o", "first=0", "--seat", "1"), 2, "--seat: seat 1 is not to move"),
        (("suggest", GAME, "--iterations", "99999999"), 2, "--iterations: must be at most"),
        (("suggest", GAME, "--level", "11"), 2, "--level"),
        (("suggest", GAME, "-o", "first=7"), 2, "--option first"),
        (("analyze", "contrast"), 2, "--seat: several seats are to move"),
        (("analyze", GAME, "--interval", "1"), 2, "--interval"),
        (("suggest", GAME, "--server", "127.0.0.1:1"), 1, "no server listens on 127.0.0.1:1"),
        (("analyze", GAME, "--server", "127.0.0.1:1"), 1, "no server listens on 127.0.0.1:1"),
    ],
)
def test_names_the_wrong_argument(arguments: tuple[str, ...], status: int, message: str) -> None:
    assert re.search(message, run(*arguments, status=status).stderr)


def test_rejects_options_for_a_token() -> None:
    state = token_of(position_after(GAME, 1))
    assert "new game" in run("suggest", state, "-o", "first=0", status=2).stderr


def test_reports_that_the_game_is_over() -> None:
    position = GAMES[GAME].start({"turn_limit": 1}, 1)
    while not position.over:
        position = position.apply(position.actors[0], position.moves(position.actors[0])[0])
    assert "STATE: the game is over" in run("suggest", token_of(position), status=2).stderr


# ---- analyze -------------------------------------------------------------------------------------


def test_prints_every_report_and_then_the_last_table() -> None:
    output = run("analyze", GAME, "--ms", "120", "--interval", "30").stdout
    lines = [found for line in output.splitlines() if (found := REPORT.fullmatch(line))]
    made = [int(found["iterations"].replace(",", "")) for found in lines]
    assert len(made) > 1
    assert made == sorted(set(made))
    last = lines[-1]
    assert f"{last['iterations']} iterations in {last['ms']} ms; time is up" in output
    assert rows(output)[0][1] == last["move"]


def test_prints_every_report_as_a_line_of_json() -> None:
    output = run("analyze", GAME, "--ms", "120", "--interval", "30", "--json").stdout
    reports = [json.loads(line) for line in output.splitlines()]
    assert len(reports) > 1
    assert [report["stopped"] for report in reports] == ["unspecified"] * (len(reports) - 1) + [
        "time"
    ]


def test_an_analysis_by_iterations_equals_the_core() -> None:
    output = run("analyze", GAME, "--iterations", "200", "--seed", "3", "--json", "--top", "1024")
    last = json.loads(output.stdout.splitlines()[-1])
    position = GAMES[GAME].start({}, 3)
    report = Analysis(position, position.actors[0], seed=3).think(iterations=200)
    assert [
        (suggestion["move"]["action"], suggestion["visits"]) for suggestion in last["suggestions"]
    ] == [(suggestion.action, suggestion.visits) for suggestion in report.suggestions]


def analyzing(*arguments: str, stdout: int = subprocess.PIPE) -> subprocess.Popen[str]:
    """Start an analysis in another process."""
    return subprocess.Popen(
        [sys.executable, "-m", "tablier_cli", "analyze", GAME, *arguments],
        stdout=stdout,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "PYTHONUNBUFFERED": "1"},
    )


@pytest.mark.parametrize("remote", [False, True], ids=["in this process", "on a server"])
def test_ctrl_c_ends_the_search_with_a_report(remote: bool, live_server: LiveServer) -> None:
    server = ("--server", live_server.grpc_address) if remote else ()
    process = analyzing("--interval", "20", *server)
    assert process.stdout is not None
    first = process.stdout.readline()
    assert REPORT.fullmatch(first.strip())
    process.send_signal(signal.SIGINT)
    output, errors = process.communicate(timeout=30)
    assert (process.returncode, errors) == (0, "")
    lines = [line for line in output.splitlines() if REPORT.fullmatch(line)] or [first.strip()]
    shown = REPORT.fullmatch(lines[-1])
    assert shown is not None
    # The table has the latest report. Ctrl-C may have come before that was printed as a line.
    final = re.search(r"([\d,]+) iterations in [\d,]+ ms; interrupted", output)
    assert final is not None
    assert number(final[1]) >= number(shown["iterations"])


def number(text: str) -> int:
    return int(text.replace(",", ""))


def test_ctrl_c_does_not_wait_for_the_next_report() -> None:
    """The signal ends the search itself: the next report would come in an hour."""
    process = analyzing("--interval", "3600000")
    wait_until_searching(process.pid)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=30)
    assert process.returncode == 0


def wait_until_searching(pid: int) -> None:
    """Wait until the process has a second thread: that of the search."""
    threads = Path(f"/proc/{pid}/task")
    wait_until(lambda: len(list(threads.iterdir())) > 1, "a search's thread")


def test_updates_one_table_in_a_terminal() -> None:
    ours, theirs = pty.openpty()
    process = analyzing("--ms", "100", "--interval", "20", stdout=theirs)
    os.close(theirs)
    shown = b""
    try:
        while part := os.read(ours, 65536):
            shown += part
    except OSError:
        # Reading from a terminal fails once its last writer has closed it.
        pass
    os.close(ours)
    process.communicate(timeout=30)
    assert process.returncode == 0
    text = shown.decode()
    assert text.count("value by seat") > 2
    assert "\x1b[" in text
    assert not any(REPORT.fullmatch(line) for line in text.splitlines())
    assert "time is up" in text.splitlines()[-1]
