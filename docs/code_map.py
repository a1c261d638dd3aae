"""Reads the code map: the table in ARCHITECTURE.md that lists every source file in import order.

The table has three columns: where, what it is, read it to learn. A row with a bold folder begins a
section:

    | **`core_ext/tablier_core/`** | **The core**: rules, search and tokens | |

The rows below it name files of that folder, separated by commas: a file (`codec.pyx`), a pattern
(`rng.*`), or a folder with everything in it (`search/`). The section itself covers the folder's
`__init__.py`. What stands lower may import what stands higher.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "ARCHITECTURE.md"
MAP_HEADING = "## Code map"
CALL_HEADING = "## How a call travels"


@dataclass(frozen=True)
class Row:
    """One row of the table: some files, what they are and what they teach."""

    paths: tuple[str, ...]  # files, patterns or folders, relative to the repository
    names: tuple[str, ...]  # the same as the table writes them
    about: str
    teaches: str

    def covers(self, path: str) -> bool:
        """Return whether a file of the repository belongs to this row."""
        return any(
            path.startswith(pattern) if pattern.endswith("/") else fnmatchcase(path, pattern)
            for pattern in self.paths
        )


@dataclass(frozen=True)
class Section:
    """A folder of the table, with the rows for its files."""

    folder: str
    title: str
    about: str
    rows: list[Row] = field(default_factory=list)


def cells(line: str) -> list[str]:
    """Return the three cells of a row."""
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def quoted(text: str) -> tuple[str, ...]:
    """Return everything in backticks."""
    return tuple(re.findall(r"`([^`]+)`", text))


def read_map(text: str) -> list[Section]:
    """Return the sections of the table, in its order."""
    table = text.split(MAP_HEADING, 1)[1].split("\n## ", 1)[0]
    lines = [line for line in table.splitlines() if line.startswith("|")]
    sections: list[Section] = []
    for where, what, teaches in map(cells, lines[2:]):
        names = quoted(where)
        if not names:
            raise ValueError(f"no path in backticks: {where}")
        if where.startswith("**"):
            title, _, about = what.replace("*", "").partition(": ")
            sections.append(Section(names[0], title, about))
            sections[-1].rows.append(Row((f"{names[0]}__init__.py",), (), what, teaches))
        else:
            paths = tuple(sections[-1].folder + name for name in names)
            sections[-1].rows.append(Row(paths, names, what, teaches))
    return sections


def read_steps(text: str) -> Iterator[tuple[int, tuple[str, ...]]]:
    """Yield the steps of a call: their numbers, and the paths in bold that they begin with."""
    steps = text.split(CALL_HEADING, 1)[1].split("\n## ", 1)[0]
    for number, names in re.findall(r"^(\d+)\. \*\*(.+?)\*\*", steps, re.MULTILINE):
        yield int(number), quoted(names)


def page() -> str:
    """Return the text of ARCHITECTURE.md."""
    return PAGE.read_text(encoding="utf-8")
