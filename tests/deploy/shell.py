"""Runs the commands of a page in one shell, in order, and compares what they print."""

from __future__ import annotations

import doctest
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Timer
from typing import NamedTuple

# A fence may follow a comment that names a program that its commands need.
FENCE = re.compile(
    r"(?:^<!-- needs (?P<needs>\w+) -->\n)?^```(?P<language>bash|text)\n(?P<content>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)
END = "-- end of a block --"
# For all commands of a page, on a busy machine.
TIMEOUT_SECONDS = 300


class Block(NamedTuple):
    """Commands, the output that the page prints below them, and a program that they need."""

    commands: str
    output: str | None
    needs: str


def blocks(page: str) -> list[Block]:
    """The commands of a page; text that does not follow commands is left out."""
    found: list[Block] = []
    end = 0
    for fence in FENCE.finditer(page):
        if fence["language"] == "bash":
            found.append(Block(fence["content"], None, fence["needs"] or ""))
        elif found and not page[end : fence.start()].strip():
            found[-1] = found[-1]._replace(output=fence["content"])
        end = fence.end()
    return found


class Shell:
    """A shell that runs one block after the other."""

    def __init__(self, process: subprocess.Popen[str], folder: Path) -> None:
        self._process = process
        self._folder = folder

    def run(self, block: Block) -> None:
        """Run a block; raises AssertionError if it fails or prints something else."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        script = self._folder / "block.sh"
        script.write_text(block.commands)
        self._process.stdin.write(f"source '{script}' < /dev/null; echo '{END}'\n")
        self._process.stdin.flush()
        lines: list[str] = []
        while (line := self._process.stdout.readline()) != f"{END}\n":
            errors = (self._folder / "stderr").read_text()
            assert line, f"this failed:\n{block.commands}{''.join(lines)}{errors}"
            lines.append(line)
        check(block, "".join(lines))


def check(block: Block, printed: str) -> None:
    """Compare what a block has printed with its page, in which `...` stands for anything."""
    if block.output is not None:
        checker, example = doctest.OutputChecker(), doctest.Example(block.commands, block.output)
        same = checker.check_output(block.output, printed, doctest.ELLIPSIS)
        assert same, checker.output_difference(example, printed, doctest.REPORT_UDIFF)


@contextmanager
def shell(folder: Path, work: Path) -> Iterator[Shell]:
    """A shell in the folder `work`, with the command `tablier`; `folder` is for its own files.

    What it has started in the background is killed at the end of the block.
    """
    path = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
    kept = {name: text for name, text in os.environ.items() if not name.startswith("TABLIER_")}
    with (
        (folder / "stderr").open("w") as errors,
        subprocess.Popen(
            ["bash", "-eu"],
            cwd=work,
            env={**kept, "PATH": path, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
            start_new_session=True,
        ) as process,
    ):

        def kill() -> None:
            os.killpg(process.pid, signal.SIGKILL)

        watch = Timer(TIMEOUT_SECONDS, kill)
        watch.start()
        try:
            yield Shell(process, folder)
        finally:
            watch.cancel()
            # The shell itself is not yet reaped, so the group still has its number.
            kill()
