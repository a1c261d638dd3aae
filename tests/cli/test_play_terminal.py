"""Commands in a pseudo-terminal: colours, completion and progress."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from tests.live_server import TIMEOUT_SECONDS

ESCAPES = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]|\r")


class Terminal:
    """A program in a terminal."""

    def __init__(self, process: subprocess.Popen[bytes], leader: int) -> None:
        self.process = process
        self.raw = ""
        self._leader = leader
        self._seen = 0

    def type(self, text: str) -> None:
        os.write(self._leader, text.encode())

    def wait_for(self, text: str) -> str:
        """Read until a text appears after the last one; returns everything up to it."""
        while (found := self.text.find(text, self._seen)) < 0:
            assert self._read(), f"{text!r} is not in {self.text[self._seen :]!r}"
        start, self._seen = self._seen, found + len(text)
        return self.text[start : self._seen]

    @property
    def text(self) -> str:
        """Everything that was shown, without escape sequences."""
        return ESCAPES.sub("", self.raw)

    def finish(self) -> None:
        """Read until the program ends."""
        while self._read():
            pass
        assert self.process.wait(TIMEOUT_SECONDS) == 0

    def _read(self) -> bool:
        ready, _, _ = select.select([self._leader], [], [], TIMEOUT_SECONDS)
        assert ready, f"nothing happens after {self.raw[-500:]!r}"
        try:
            part = os.read(self._leader, 65536)
        except OSError:
            # Linux reports the end of a terminal in this way.
            return False
        self.raw += part.decode(errors="replace")
        return bool(part)


@contextmanager
def terminal(
    *arguments: str, columns: int = 80, cwd: Path | None = None, **variables: str
) -> Iterator[Terminal]:
    leader, follower = pty.openpty()
    fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
    environment = {
        **{
            name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "COLUMNS")
        },
        "TERM": "xterm",
        "LC_ALL": "C.UTF-8",
        "PYTHONPATH": os.pathsep.join(sys.path),
        # This terminal does not say where its cursor is.
        "PROMPT_TOOLKIT_NO_CPR": "1",
        **variables,
    }
    for name in {"NO_COLOR", "COLUMNS", "LINES"} - variables.keys():
        environment.pop(name, None)
    process = subprocess.Popen(
        [sys.executable, "-m", "tablier_cli", *arguments],
        stdin=follower,
        stdout=follower,
        stderr=follower,
        env=environment,
        cwd=cwd,
        start_new_session=True,
    )
    os.close(follower)
    try:
        yield Terminal(process, leader)
    finally:
        process.kill()
        process.wait()
        os.close(leader)


PLAY = ("play", "contigo-alignment", "--seed", "3", "-o", "first=0")


def test_plays_in_colours_with_completion() -> None:
    with terminal(*PLAY) as shown:
        board = shown.wait_for("Seat 0>")
        assert "27 (2) 6 R  R  .  .  B  B 6 (2) 8" in board
        assert "\x1b[1;31mR\x1b[0m" in shown.raw
        assert "\x1b[1;34mB\x1b[0m" in shown.raw
        shown.type("a6-a\t")
        shown.wait_for("a6-a4")
        shown.type("\r")
        assert "Red moves a pawn from a6 to a4" in shown.wait_for("Red sows")
        shown.wait_for("Seat 0>")
        shown.type("quit\r")
        shown.finish()


def test_the_menu_says_what_moves_do() -> None:
    with terminal(*PLAY) as shown:
        shown.wait_for("Seat 0>")
        shown.type("a6\t")
        shown.wait_for("Red moves a pawn from a6 to c6")
        shown.type("\x03")
        shown.finish()


def test_obeys_no_color() -> None:
    with terminal(*PLAY, NO_COLOR="1") as shown:
        shown.wait_for("Seat 0>")
        shown.type("a6-a5\r")
        shown.wait_for("not a5")
        shown.wait_for("Seat 0>")
        shown.type("\x04")
        shown.finish()
        assert not re.search(r"\x1b\[[0-9;]*3[0-7][0-9;]*m", shown.raw)


def test_a_match_shows_progress_before_its_first_game_has_ended() -> None:
    players = ("--players", "best@200ms", "--games", "2", "--processes", "1")
    with terminal("match", "contigo-alignment", *players, columns=40) as shown:
        shown.wait_for("0/2")
        while not re.search(r"[1-9]\d* moves?", shown.text):
            shown.wait_for("move")
        assert "1/2" not in shown.text


def test_the_processes_of_a_match_end_when_it_is_killed() -> None:
    players = ("--players", "random", "--games", "1000000", "--processes", "2")
    with terminal("match", "contigo-alignment", *players) as shown:
        while len(processes_of(shown)) < 3:
            shown.wait_for("move")
    end = time.monotonic() + TIMEOUT_SECONDS
    while processes_of(shown):
        assert time.monotonic() < end, "processes of the match are left"
        time.sleep(0.05)


def processes_of(shown: Terminal) -> list[int]:
    """The processes of the program in a terminal, which leads their session."""
    found = []
    for status in Path("/proc").glob("[0-9]*/stat"):
        with suppress(FileNotFoundError, ProcessLookupError):
            session = int(status.read_text().rpartition(")")[2].split()[3])
            if session == shown.process.pid:
                found.append(int(status.parent.name))
    return found


def test_tables_of_moves_and_drawings_fit_the_terminal() -> None:
    for arguments in (("moves", "contract"), ("show", "contrast")):
        with terminal(*arguments, columns=40) as shown:
            shown.finish()
            lines = shown.text.splitlines()
            assert len(lines) > 10
            assert max(map(len, lines)) <= 40


def test_does_not_write_a_png_to_a_terminal_or_wait_for_a_state_from_it() -> None:
    for arguments, message in (
        (("render", "contract", "--format", "png"), "use --output"),
        (("show",), "there is no state"),
    ):
        with terminal(*arguments) as shown:
            shown.wait_for(message)
