"""The pages for players: their examples are played, and all languages say the same."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
from markdown_it import MarkdownIt
from tablier_core.errors import MoveIllegal, MoveUnparsable
from tablier_core.languages import ENGLISH, LANGUAGES, catalogue
from tablier_core.position import REFEREE, Game
from tablier_core.registry import GAMES
from tablier_core.rulebook import (
    Check,
    Example,
    Picture,
    WrongExample,
    read_page,
    read_source,
    text_page,
    write_page,
)

from tests.core.variants import label

every_game = pytest.mark.parametrize("game", GAMES.values(), ids=label)
every_language = pytest.mark.parametrize("language", LANGUAGES)
every_translation = pytest.mark.parametrize(
    "language", [language for language in LANGUAGES if language != ENGLISH]
)
COMMONMARK = MarkdownIt("commonmark").enable("table")


def field(value: Any, path: str) -> Any:
    """The field of a view that a path such as `seats.0.hand` leads to."""
    for name in path.split("."):
        value = value[int(name)] if name.isdigit() else getattr(value, name)
    return list(value) if isinstance(value, tuple) else value


def wrong_checks(game: Game, page: str) -> Iterator[str]:
    """What a page states about positions, but is not so."""
    for part in read_page(game, page):
        if isinstance(part, Check):
            view = part.position.observe(REFEREE)
            for path, stated in part.fields.items():
                found = field(view, path)
                if found != stated:
                    yield f"{path} is {found}, not {stated}"


def skeleton(game: Game, page: str) -> list[tuple[str, object]]:
    """What a page has in common with its translations.

    These are its headings, lists, tables, pictures, games and moves, in their order, and the code
    in each section: moves and names of options are the same in every language.
    """
    played: list[tuple[str, object]] = []
    text = []
    for part in read_page(game, page):
        if isinstance(part, str):
            text.append(part)
        elif isinstance(part, Example):
            played.append(("moves", part.lines))
        elif isinstance(part, Check):
            played.append(("check", str(part.fields)))
        elif isinstance(part, Picture):
            played.append((part.file, (part.position.pack(), part.viewer)))
    found: list[tuple[str, object]] = []
    code: Counter[str] = Counter()
    for token in COMMONMARK.parse("".join(text)):
        if token.type == "heading_open":
            found.append(("code", code))
            code = Counter()
        if token.type.endswith("_open") and token.tag in ("h1", "h2", "h3", "li", "tr", "td", "p"):
            found.append((token.tag, None))
        for child in token.children or ():
            if child.type == "code_inline":
                code[child.content] += 1
    return [*found, ("code", code), *played]


@every_game
@every_language
def test_the_examples_of_a_page_are_played_and_right(game: Game, language: str):
    page = read_source(game, language)
    assert list(wrong_checks(game, page)) == []
    parts = list(read_page(game, page))
    assert [part for part in parts if isinstance(part, Picture)]
    lines = [line for part in parts if isinstance(part, Example) for line in part.lines]
    assert len(lines) > 5
    assert any(line.startswith("! ") for line in lines)


@every_game
@every_translation
def test_a_translation_has_the_structure_examples_and_options_of_the_english_page(
    game: Game, language: str
):
    translated = read_source(game, language)
    assert skeleton(game, translated) == skeleton(game, read_source(game, ENGLISH))
    assert language != "fr" or translated.splitlines()[0] == f"# {game.french_title}"


@every_game
@every_language
def test_the_text_of_a_page_needs_nothing_else(game: Game, language: str):
    text = text_page(game, language)
    assert "<!--" not in text
    assert "![" not in text
    assert all(link.startswith("#") for link in re.findall(r"\]\(([^)]*)\)", text))
    assert text.count("```text\n") == text.count("```") // 2 - text.count("```moves\n")


PAGE = """# Contract

<!-- start {"seed": 40} -->
<!-- picture {"file": "start.svg", "viewer": 0} -->
![The start](../start.svg)

```moves
# The first player must influence.
! 0: pass
0: on 2, token, contract, done
= 0 0 0
```

<!-- check {"row.1.stakes.0.points": 3, "to_move": 1} -->
The end.
"""


def test_reads_the_parts_of_a_page():
    game = GAMES["contract"]
    first, picture, example, _, check, last = read_page(game, PAGE)
    assert first == "# Contract\n\n"
    assert isinstance(picture, Picture)
    assert picture[:2] == ("start.svg", "The start")
    start = game.start({}, 40)
    assert picture.text("en") == start.draw_text(0)
    assert picture.text("fr") == start.draw_text(0, catalogue("fr")) != picture.text("en")
    assert isinstance(example, Example)
    assert example.lines == ("! 0: pass", "0: on 2, token, contract, done", "= 0 0 0")
    assert isinstance(check, Check)
    assert last == "The end.\n"


@pytest.mark.parametrize(
    ("right", "wrong", "error"),
    [
        ("0: on 2, token", "0: on 2, dollar", MoveIllegal),
        ("0: on 2", "0: onto 2", MoveUnparsable),
        ("= 0 0 0", "= 0 1 0", WrongExample),
        ("! 0: pass", "! 0: on 1", WrongExample),
        ("0: on 2, token", "seat 0: on 2, token", WrongExample),
    ],
)
def test_detects_a_wrong_example(right: str, wrong: str, error: type[Exception]):
    assert PAGE.count(right) == 1
    with pytest.raises(error):
        list(read_page(GAMES["contract"], PAGE.replace(right, wrong)))


def test_detects_a_wrong_statement_about_a_position():
    game = GAMES["contract"]
    assert list(wrong_checks(game, PAGE)) == []
    wrong = PAGE.replace('points": 3', 'points": 4')
    assert list(wrong_checks(game, wrong)) == ["row.1.stakes.0.points is 3.0, not 4"]


@pytest.mark.parametrize(
    ("english", "translated"),
    [
        ("0: on 2, token, contract, done", "0: on 1, token, contract, done"),
        ("start.svg", "end.svg"),
        ("The end.", "La fin, `pass`."),
        ("The end.", "## La fin"),
        ("The end.", "| a | b |\n|---|---|\n| c | d |"),
        ('"viewer": 0', '"viewer": 1'),
    ],
)
def test_detects_a_translation_that_differs(english: str, translated: str):
    game = GAMES["contract"]
    assert skeleton(game, PAGE.replace("The end.", "La fin.")) == skeleton(game, PAGE)
    checked = PAGE.replace('"row.1.stakes.0.points": 3, ', "")
    assert skeleton(game, checked.replace(english, translated)) != skeleton(game, checked)


def test_writes_pictures_in_the_form_that_is_asked_for():
    page = write_page(GAMES["contrast"], ENGLISH, lambda picture: f"[[{picture.file}]]")
    files = re.findall(r"\[\[([\w.-]+)\]\]", page)
    assert files == ["contrast-start.svg", "contrast-win.svg", "contrast-exclude.svg"]
