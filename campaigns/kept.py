"""Results that a campaign keeps in a file, so that an interrupted one goes on with the rest.

A result is kept under the sources that it depends on: those of the core and of the opponents. After
a change to them, a campaign starts over, and pages never mix the two.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from functools import cache
from hashlib import sha256
from multiprocessing import get_context
from pathlib import Path
from typing import Any, Self

from tablier_cli.matches.pools import end_with_parent

ROOT = Path(__file__).parents[1]
BUILD = ROOT / "build"
ENGINE = ("core_ext/tablier_core",)
OPPONENTS = ("campaigns/players",)
# Engines are compiled, so the texts and drawings of games do not count.
COMPILED = (".pyx", ".pxd", ".txt")
SOURCES = (*COMPILED, ".py", ".c", ".h")


@cache
def fingerprint_of(checkout: Path, *folders: str) -> str:
    """A hash of all sources in these folders of a checkout."""
    found = sha256()
    for folder in folders:
        suffixes = COMPILED if folder in ENGINE else SOURCES
        for file in sorted((checkout / folder).rglob("*")):
            if file.suffix in suffixes and file.is_file():
                found.update(file.relative_to(checkout).as_posix().encode() + file.read_bytes())
    return found.hexdigest()[:12]


def fingerprint(*folders: str) -> str:
    """A hash of all sources in these folders of this checkout."""
    return fingerprint_of(ROOT, *folders)


class Kept:
    """A file of results, one JSON object per line, found by what was asked."""

    def __init__(self, file: Path, sources: str) -> None:
        self._file = file
        self._sources = sources
        self._found: dict[str, Any] = {}
        if file.exists():
            for line in file.read_text().splitlines():
                # A run that was killed may have written half a line.
                if line.endswith("}"):
                    entry = json.loads(line)
                    self._found[entry["key"]] = entry["result"]

    def key(self, question: object) -> str:
        """What a result is kept under."""
        return sha256(f"{self._sources} {question}".encode()).hexdigest()[:20]

    def find(self, question: object) -> Any:
        """The result for a question; None if it is not there yet."""
        return self._found.get(self.key(question))

    def keep(self, question: object, result: Any) -> None:
        """Add a result."""
        self._found[self.key(question)] = result
        self._file.parent.mkdir(parents=True, exist_ok=True)
        with self._file.open("a") as file:
            file.write(json.dumps({"key": self.key(question), "result": result}) + "\n")


class Workers:
    """Local processes, started when there is work for them."""

    def __init__(self, processes: int) -> None:
        self.processes = processes
        self._pool: ProcessPoolExecutor | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)

    def submit(self, work: Callable[[Any], Any], question: Any) -> Future[Any]:
        """Begin to answer a question."""
        if self._pool is None:
            context = get_context("spawn")
            self._pool = ProcessPoolExecutor(
                self.processes, mp_context=context, initializer=end_with_parent
            )
        return self._pool.submit(work, question)


def answer_all(
    kept: Kept,
    work: Callable[[Any], Any],
    questions: Iterable[Any],
    workers: Workers,
    go_on: Callable[[], bool] = lambda: True,
) -> Iterator[tuple[Any, Any]]:
    """Yield questions and their answers in any order, and keep every answer as soon as it is there.

    `work` and the questions must be picklable, and answers fit for JSON. No question is begun once
    `go_on` says no.
    """
    waiting = []
    for question in questions:
        found = kept.find(question)
        if found is None:
            waiting.append(question)
        else:
            yield question, found
    waiting.reverse()
    asked: dict[Future[Any], Any] = {}
    while True:
        while waiting and len(asked) < workers.processes and go_on():
            question = waiting.pop()
            asked[workers.submit(work, question)] = question
        if not asked:
            return
        for done in wait(asked, return_when=FIRST_COMPLETED).done:
            question = asked.pop(done)
            kept.keep(question, done.result())
            yield question, done.result()
