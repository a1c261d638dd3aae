"""The code map in ARCHITECTURE.md is complete, and imports follow its order."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from docs.code_map import Row, page, read_map
from tests.architecture.sources import ROOT, files, imports

ROOTS = ("core_ext", "service", "clients/python", "clients/adapters")
SUFFIXES = (".py", ".pyx", ".pxd", ".pyi", ".h")
SOURCES = [path for root in ROOTS for path in files(ROOT / root, *SUFFIXES)]
ROWS = [row for section in read_map(page()) for row in section.rows]


def relative(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def places(path: str, rows: list[Row]) -> list[int]:
    """The rows that cover a file."""
    return [place for place, row in enumerate(rows) if row.covers(path)]


@cache
def modules() -> dict[str, list[str]]:
    """The files of every module, by its full name: a module may have a .pyx, a .pxd and a .pyi."""
    found: dict[str, list[str]] = {}
    for root in ROOTS:
        for path in files(ROOT / root, *SUFFIXES):
            parts = path.relative_to(ROOT / root).with_suffix("").parts
            name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
            found.setdefault(name, []).append(relative(path))
    return found


def imported_files(path: Path) -> Iterator[str]:
    """The files of this project that a source imports."""
    for name in imports(path):
        while name and name not in modules():
            name = name.rpartition(".")[0]
        yield from modules().get(name, ())


def upward(path: Path, rows: list[Row]) -> Iterator[str]:
    """The imports of a source that go to a lower row of the table."""
    own = places(relative(path), rows)
    for imported in sorted(set(imported_files(path))):
        if max(places(imported, rows), default=0) > max(own, default=0):
            yield f"{relative(path)} imports {imported}"


def test_every_source_file_is_in_exactly_one_row():
    found = {relative(path): len(places(relative(path), ROWS)) for path in SOURCES}
    assert len(found) > 100
    assert {path: count for path, count in found.items() if count != 1} == {}


def test_every_path_of_the_table_exists():
    def exists(pattern: str) -> bool:
        return (ROOT / pattern).exists() if pattern.endswith("/") else any(ROOT.glob(pattern))

    named = [pattern for row in ROWS if row.names for pattern in row.paths]
    assert [pattern for pattern in named if not exists(pattern)] == []


@pytest.mark.parametrize("root", ROOTS)
def test_imports_follow_the_order_of_the_table(root: str):
    found = [line for path in files(ROOT / root, *SUFFIXES[:4]) for line in upward(path, ROWS)]
    assert found == []


def test_an_import_of_a_lower_row_is_found():
    rows = [row for row in ROWS if any("tablier_core" in path for path in row.paths)]
    position = ROOT / "core_ext" / "tablier_core" / "position.pyx"
    assert list(upward(position, rows)) == []
    assert list(upward(position, rows[::-1])) != []
