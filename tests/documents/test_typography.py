"""French texts have French typography: catalogues, pages for players, and the table."""

from __future__ import annotations

import re
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

import pytest
from babel.messages.pofile import read_po

ROOT = Path(__file__).parent.parent.parent
SPACE = "\N{NO-BREAK SPACE}"
CATALOGUES = (
    ROOT / "core_ext" / "tablier_core" / "languages" / "fr.po",
    ROOT / "templates" / "languages" / "fr.po",
)
PAGES = sorted(
    path
    for folder in ("core_ext", "templates/game/core_ext")
    for path in (ROOT / folder / "tablier_core" / "games").glob("*/rules.fr.md")
)
TABLE = ROOT / "service" / "tablier_web" / "page" / "languages" / "fr.js"
# What is not read as French: comments, links to pages and pictures, code.
NOT_FRENCH = re.compile(r"<!--.*?-->|!(?=\[)|\]\([^)]*\)|`[^`\n]+`", re.DOTALL)
# Blocks of moves have French only in their comments.
MOVES = re.compile(r"^```moves\n(.*?)^```", re.DOTALL | re.MULTILINE)
MISTAKES = {
    "no-break space missing before : ; ! ? »": rf"(?<!{SPACE})[:;!?»]",
    "no-break space missing after «": rf"«(?!{SPACE})",
    "no-break space missing in a large number": r"\d (?=\d{3}\b)",
    "typewriter apostrophe": "'",
    "typewriter quotation mark": '"',
    "three dots for …": r"\.\.\.",
    "space before …": r"\s…",
    "narrow no-break space, which the other texts do not have": "\N{NARROW NO-BREAK SPACE}",
}


def mistakes(text: str) -> list[str]:
    """What is wrong with a French text."""
    french = NOT_FRENCH.sub("", text)
    return [
        f"{name}: {french[max(0, found.start() - 25) : found.end() + 5]!r}"
        for name, pattern in MISTAKES.items()
        for found in re.finditer(pattern, french)
    ]


def translations(path: Path) -> Iterator[str]:
    """The French texts of a catalogue."""
    for entry in read_po(BytesIO(path.read_bytes()), locale="fr"):
        if entry.id:
            yield from [entry.string] if isinstance(entry.string, str) else entry.string or ()


def comments(block: re.Match[str]) -> str:
    """The comments in a block of moves."""
    return "\n".join(line for line in block[1].splitlines() if line.startswith("#"))


@pytest.mark.parametrize("path", CATALOGUES, ids=lambda path: path.parts[-4])
def test_the_typography_of_catalogues(path: Path):
    texts = list(translations(path))
    assert len(texts) > 20
    assert [mistake for text in texts for mistake in mistakes(text)] == []


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.parent.name)
def test_the_typography_of_pages(path: Path):
    assert mistakes(MOVES.sub(comments, path.read_text("utf-8"))) == []


def test_the_typography_of_the_table():
    texts = re.findall(r'"([^"\n]*)"', TABLE.read_text("utf-8"))
    assert len(texts) > 100
    assert [mistake for text in texts for mistake in mistakes(text)] == []


def test_all_pages_are_read():
    assert {path.parent.name for path in PAGES} >= {"contract", "mafia_de_cuba", "my_game"}


@pytest.mark.parametrize(
    ("text", "number"),
    [
        (f'Alvéole 3{SPACE}: «{SPACE}2 perles{SPACE}», `random: "a"`', 0),
        ("Alvéole 3 : 2 perles", 1),
        ("Alvéole 3: 2 perles", 1),
        (f"« 2 perles{SPACE}»", 1),
        ("l'alvéole", 1),
        (f"choisit...{SPACE}?", 1),
        (f"Réflexion{SPACE}…", 1),
        ("10 000 points, avec 1 3 4 7 9 10", 1),
        ("Alvéole 3\N{NARROW NO-BREAK SPACE}: 2 perles", 2),
        ("![Le départ](../a:b.svg) <!-- check: 1 -->", 0),
    ],
)
def test_finds_mistakes(text: str, number: int):
    assert len(mistakes(text)) == number
