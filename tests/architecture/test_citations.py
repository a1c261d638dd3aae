"""Comments that cite the rules cite headings of the game's reference page.

A citation has the form `reference: Heading` or `reference: Heading, step 3`. It ends at a comma, a
closing parenthesis, a full stop or the end of the line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from tablier_core.registry import GAMES

from tests.architecture.sources import CORE, ROOT, files

CITATION = re.compile(r"\breference: ([^,).;\n\"]+)")
SUFFIXES = (".py", ".pyx", ".pxd", ".pyi", ".h")
SOURCES = [
    *files(CORE / "games", *SUFFIXES),
    *files(ROOT / "tests" / "core" / "games", ".py"),
]


@cache
def headings(page: str) -> set[str]:
    """The headings of a reference page, without their markup."""
    text = (ROOT / "docs" / "reference" / f"{page}.md").read_text(encoding="utf-8")
    found = re.findall(r"^###? (.+)$", text, re.MULTILINE)
    return {heading.replace("`", "").strip() for heading in found}


def pages(path: Path) -> list[str]:
    """The reference pages that a source may cite: its game's, or those of its family."""
    names = [game.name for game in GAMES.values() if game.name.replace("-", "_") in str(path)]
    if names:
        return names
    # A folder or a helper that several games share is named after what their names begin with.
    words = set(re.split(r"[/_.]", str(path.relative_to(ROOT))))
    return [name for name in GAMES if name.split("-")[0] in words]


def unknown(path: Path) -> Iterator[str]:
    """The citations of a source that no page of its game has as a heading."""
    known = {heading for page in pages(path) for heading in headings(page)}
    for cited in CITATION.findall(path.read_text(encoding="utf-8")):
        if cited.replace("`", "").strip() not in known:
            yield cited


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_cited_headings_exist(path: Path):
    assert list(unknown(path)) == []


@pytest.mark.parametrize("name", GAMES)
def test_every_game_cites_its_reference_page(name: str):
    sources = files(CORE / "games" / name.replace("-", "_"), *SUFFIXES)
    assert any(CITATION.search(path.read_text(encoding="utf-8")) for path in sources)


def test_finds_citations_in_every_form():
    text = "(reference: A turn)\n# reference: Deal, step 3\n# See reference: Byte layout.\n"
    assert CITATION.findall(text) == ["A turn", "Deal", "Byte layout"]
