"""No code asks which game it has: only a game's own files and the registries name it."""

from __future__ import annotations

import re

from tablier_core.registry import GAMES

from tests.architecture.sources import CLI, CORE, ROOT, SERVICE, files, strings

NAMES = set(GAMES) | {name.replace("-", "_") for name in GAMES}
SOURCES = [*files(CORE, ".py", ".pyx", ".pxd"), *files(SERVICE, ".py"), *files(CLI, ".py")]
# `if game ==`, `game.name !=`, `match game`: no code may ask this.
QUESTION = re.compile(r"\b(?:if|elif|match)\b[^#\n]*\bgame(?:\.name)?\s*(?:[!=]=|in\b|:)")


def may_name_games(path) -> bool:
    return path in (CORE / "registry.py", SERVICE / "views" / "__init__.py") or any(
        path.is_relative_to(CORE / "games" / name) or path == SERVICE / "views" / f"{name}.py"
        for name in NAMES
    )


def test_only_registries_and_a_games_own_files_contain_its_name():
    found = [
        f"{path.relative_to(ROOT)}: {text}"
        for path in SOURCES
        if not may_name_games(path)
        for text in strings(path)
        if text in NAMES
    ]
    assert found == []


def test_no_code_asks_which_game_it_has():
    found = [
        f"{path.relative_to(ROOT)}: {line.strip()}"
        for path in SOURCES
        for line in path.read_text(encoding="utf-8").splitlines()
        if QUESTION.search(line) and re.search(r"""["']""", line)
    ]
    assert found == []
    assert QUESTION.search('if game == "contigo-alignment":')
