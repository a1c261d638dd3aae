"""`tablier rules`: in a pipe, in a terminal and in a pager, in the language of the reader."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys
from collections.abc import Mapping

import pytest
from click.testing import CliRunner
from tablier_cli import main
from tablier_cli.flags import tag_of
from tablier_core.registry import GAMES
from tablier_core.rulebook import text_page

from tests.live_server import LiveServer

NO_LOCALE = {"LC_ALL": "", "LC_MESSAGES": "", "LANG": ""}
ESCAPES = re.compile(r"\x1b\[[0-9;]*m")


def run(*arguments: str, status: int = 0, environment: Mapping[str, str] = NO_LOCALE) -> str:
    """Run a command whose output goes to a pipe."""
    result = CliRunner().invoke(main, ["rules", *arguments], env={**NO_LOCALE, **environment})
    assert result.exit_code == status, result.output
    return result.stderr if status else result.stdout


def run_in_terminal(*arguments: str, columns: int, lines: int) -> str:
    """Run a command in a terminal, with a pager that marks its output."""
    leader, follower = pty.openpty()
    environment = {**os.environ, "COLUMNS": str(columns), "LINES": str(lines), "TERM": "xterm"}
    # The pager prints each line with a mark in front.
    environment["PAGER"] = "sed s/^/paged:/"
    command = [sys.executable, "-m", "tablier_cli", "rules", *arguments]
    with subprocess.Popen(command, stdin=follower, stdout=follower, env=environment) as process:
        os.close(follower)
        output = b""
        try:
            while part := os.read(leader, 65536):
                output += part
        except OSError:
            # Linux reports the end of a terminal in this way.
            pass
    os.close(leader)
    assert process.returncode == 0
    return output.decode().replace("\r\n", "\n")


@pytest.mark.parametrize("name", GAMES)
def test_prints_the_whole_page_as_markdown_into_a_pipe(name: str) -> None:
    assert run(name) == text_page(GAMES[name], "en")
    assert run(name, "--language", "fr-CA") == text_page(GAMES[name], "fr")


@pytest.mark.parametrize(
    ("environment", "language"),
    [
        ({}, "en"),
        ({"LANG": "fr_FR.UTF-8"}, "fr"),
        ({"LANG": "de_DE.UTF-8"}, "en"),
        ({"LANG": "fr_FR.UTF-8", "LC_ALL": "C"}, "en"),
        ({"LANG": "C.UTF-8", "LC_MESSAGES": "fr_CA@euro"}, "fr"),
    ],
)
def test_uses_the_language_of_the_system(environment: dict[str, str], language: str) -> None:
    assert run("contract", environment=environment) == text_page(GAMES["contract"], language)
    english = run("contract", "--language", "en", environment=environment)
    assert english == text_page(GAMES["contract"], "en")


@pytest.mark.parametrize(
    ("locale", "tag"),
    [("", ""), ("C", ""), ("POSIX", ""), ("C.UTF-8", ""), ("fr_CA.UTF-8", "fr-CA"), ("fr", "fr")],
)
def test_reads_the_tag_of_a_locale(locale: str, tag: str) -> None:
    assert tag_of(locale) == tag


def test_asks_a_service(live_server: LiveServer) -> None:
    flags = ("--server", live_server.grpc_address, "--language", "fr")
    assert run("contrast", *flags) == text_page(GAMES["contrast"], "fr")


def test_reports_an_unknown_game(live_server: LiveServer) -> None:
    assert "unknown game 'chess'" in run("chess", status=2)
    assert "no game with this name" in run("chess", "--server", live_server.grpc_address, status=1)


@pytest.mark.parametrize("columns", [40, 80])
def test_formats_the_page_for_the_terminal_and_pages_it(columns: int) -> None:
    shown = run_in_terminal("contract", columns=columns, lines=24)
    assert "\x1b[1m" in shown
    lines = ESCAPES.sub("", shown).splitlines()
    assert all(line.startswith("paged:") for line in lines)
    text = [line.removeprefix("paged:") for line in lines]
    assert max(map(len, text)) == columns
    assert not any(line.startswith(("#", "|", "```")) for line in text)


def test_does_not_page_what_fits() -> None:
    shown = run_in_terminal("contract", columns=80, lines=2000)
    assert "paged:" not in shown
    assert "\x1b[1m" in shown
