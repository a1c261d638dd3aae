"""The core has no mutable globals: tables are filled at import and then only read."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from tests.architecture.sources import CORE, ROOT, files

# Their slots can find instructions only in module variables.
EXCEPT = (CORE / "testing" / "lawless.pyx", CORE / "testing" / "engines.pyx")
VARIABLE = re.compile(
    r"^cdef (?!class |struct |enum\b|extern )[^(=:]*?\b(\w+)(?= *(?:=|$|#))", re.M
)
FUNCTION = re.compile(r"^(?:cdef|cpdef|def) (?:[^(\n]*?)(\w+)\(", re.M)


def functions(text: str) -> Iterator[tuple[str, str]]:
    """Yield the functions of a module with their sources."""
    for found in FUNCTION.finditer(text):
        end = re.search(r"\n(?=[^\s#)])", text[found.end() :])
        yield found[1], text[found.start() : found.end() + end.start() if end else len(text)]


def writes(path: Path) -> Iterator[str]:
    """Yield the functions that write to a module variable after import."""
    text = path.read_text(encoding="utf-8")
    variables = "|".join(VARIABLE.findall(text))
    if not variables:
        return
    written = re.compile(
        rf"^\s+(?:global\b|(?:{variables})(?:\[[^=]*\]|\.\w+)+ *[-+*|&^]?= )", re.M
    )
    for name, source in functions(text):
        at_import = name.startswith("fill_") and " nogil:" not in source
        if written.search(source) and not at_import:
            yield f"{path.relative_to(ROOT) if path.is_relative_to(ROOT) else path.name}: {name}"


def test_no_function_writes_to_a_global():
    sources = [path for path in files(CORE, ".pyx") if path not in EXCEPT]
    assert [found for path in sources for found in writes(path)] == []


def test_finds_a_function_that_writes_to_a_global(tmp_path: Path):
    source = tmp_path / "game.pyx"
    source.write_text(
        "cdef int[4] table\n"
        "cdef Tally tally\n"
        "cdef int count = 0\n\n"
        "cdef void fill_table() noexcept:\n    table[0] = 1\n\n\n"
        "fill_table()\n\n\n"
        "cdef int look(int i) noexcept nogil:\n    return table[i]\n\n\n"
        "cdef void fill_again(int i) noexcept nogil:\n    table[i] = 2\n\n\n"
        "cdef void add() noexcept:\n    tally.games += 1\n\n\n"
        "def step():\n    global count\n    count += 1\n"
    )
    assert list(writes(source)) == [f"game.pyx: {name}" for name in ("fill_again", "add", "step")]
