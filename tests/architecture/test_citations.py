"""Comments that cite the rules cite headings of the game's reference page.

A citation has the form `reference: Heading` or `reference: Heading, step 3` (or `steps 3 to 5`). It
ends at a closing parenthesis, a full stop, a semicolon or the end of the line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from tablier_core.registry import GAMES

from tests.architecture.sources import CORE, ROOT, files

# The heading, and the first and last step if there are any.
CITATION = re.compile(r"\breference: ([^,).;\n\"]+)(?:, steps? (\d+)(?: to (\d+))?)?")
SUFFIXES = (".py", ".pyx", ".pxd", ".pyi", ".h", ".c")
SOURCES = [
    *files(CORE / "games", *SUFFIXES),
    *files(ROOT / "tests" / "core" / "games", ".py"),
    *files(ROOT / "tests" / "reference", ".py"),
    *files(ROOT / "service" / "tablier_service" / "views", ".py"),
]


@cache
def headings(page: str) -> dict[str, set[int]]:
    """The headings of a reference page, without their markup, and the steps below each."""
    text = (ROOT / "docs" / "reference" / f"{page}.md").read_text(encoding="utf-8")
    _, *sections = re.split(r"^###? ", text, flags=re.MULTILINE)
    found = {}
    for section in sections:
        heading, _, body = section.partition("\n")
        steps = {int(step) for step in re.findall(r"^(\d+)\. ", body, re.MULTILINE)}
        found[heading.replace("`", "").strip()] = steps
    return found


def pages(path: Path) -> list[str]:
    """The reference pages that a source may cite: its game's, or those of its family."""
    relative = str(path.relative_to(ROOT))
    names = [name for name in GAMES if name.replace("-", "_") in relative]
    if names:
        return names
    # A folder or a helper that several games share is named after what their names begin with.
    words = set(re.split(r"[/_.]", relative))
    return [name for name in GAMES if name.split("-")[0] in words]


def unknown(text: str, known: dict[str, set[int]]) -> Iterator[str]:
    """The citations in a text that name no heading, or a step that the heading does not have."""
    for cited in CITATION.finditer(text):
        heading, first, last = cited.groups()
        steps = {int(step) for step in (first, last) if step}
        having = known.get(heading.replace("`", "").strip())
        if having is None or not steps <= having:
            yield cited.group()


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_cited_headings_and_steps_exist(path: Path):
    known = {heading: steps for page in pages(path) for heading, steps in headings(page).items()}
    assert list(unknown(path.read_text(encoding="utf-8"), known)) == []


@pytest.mark.parametrize("name", GAMES)
def test_every_game_cites_its_reference_page(name: str):
    sources = files(CORE / "games" / name.replace("-", "_"), *SUFFIXES)
    assert any(CITATION.search(path.read_text(encoding="utf-8")) for path in sources)


def test_finds_wrong_citations_in_every_form():
    text = "(reference: A turn)\n# reference: Deal, step 3\n# See reference: Deal, steps 1 to 2.\n"
    assert list(unknown(text, {"A turn": set(), "Deal": {1, 2, 3}})) == []
    assert list(unknown(text, {"Deal": {1, 2}})) == ["reference: A turn", "reference: Deal, step 3"]
    assert list(unknown(text, {"A turn": set(), "Deal": {1, 3}})) == [
        "reference: Deal, steps 1 to 2"
    ]
