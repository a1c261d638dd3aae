"""`make new-game` creates a complete game: it builds, and it passes the tests of every game."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from templates import new_game
from templates.new_game import MAX_NAME, Names, Refused, check_name
from tests.architecture.sources import ROOT

NAME = "blue-dice"
# All tests of the new game, and the tests of things that it adds to.
SELECTED = " or ".join(
    (
        *("blue_dice", NAME, "import_order", "test_stubs", "pictures", "game_names", "test_proto"),
        *("test_languages", "list_of_games", "registries", "test_reach"),
    )
)


def copy_repository(target: Path) -> None:
    """Copy the sources and the built core, so that only the new game has to be compiled."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    built = [
        *(ROOT / "core_ext").rglob("*.so"),
        *(ROOT / "build" / "cython-release").rglob("*"),
        *(path for folder in (ROOT / "build").glob("lib.*") for path in folder.rglob("*")),
    ]
    sources = [ROOT / name for name in listed.split("\0") if name]
    for path in (*sources, *built):
        if path.is_file():
            copy = target / path.relative_to(ROOT)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(path, copy)  # with its time, which decides what is compiled


def run(folder: Path, *arguments: str) -> str:
    """Run a command that must succeed, on the packages of the copy."""
    roots = ("core_ext", "service", "clients/python", "clients/adapters", ".")
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(str(folder / root) for root in roots),
    }
    done = subprocess.run(
        arguments, cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.slow
def test_a_new_game_is_complete_and_keeps_all_laws(tmp_path: Path):
    copy_repository(tmp_path)
    run(tmp_path, "git", "init", "-q")
    written = run(tmp_path, sys.executable, "templates/new_game.py", NAME)
    assert "Blue Dice is ready" in written
    run(tmp_path, "git", "add", "-A")  # some tests ask git for the files of the project
    own = [str(path) for path in tmp_path.rglob("*blue_dice*") if "tablier/v1" not in str(path)]
    run(tmp_path, sys.executable, "-m", "ruff", "check", *own)
    run(tmp_path, sys.executable, "-m", "ruff", "format", "--check", *own)
    passed = run(
        tmp_path, sys.executable, "-m", "pytest", "tests", "-k", SELECTED, "-p", "no:cacheprovider"
    )
    assert int(re.findall(r"(\d+) passed", passed)[0]) > 100


@pytest.mark.parametrize(
    "name", ["", "Blue", "blue_dice", "2-dice", "blue--dice", "-dice", "dé", "x" * (MAX_NAME + 1)]
)
def test_rejects_a_name_that_is_not_well_formed(name: str):
    with pytest.raises(Refused, match="not a valid name"):
        check_name(name, [])


@pytest.mark.parametrize("name", ["blue", "blue-dice", "blue-dice-two"])
def test_rejects_a_name_that_could_be_confused_with_another_game(name: str):
    with pytest.raises(Refused, match="too similar"):
        check_name(name, ["red", "blue-dice"])
    check_name(name, ["bluedice", "bl"])


def test_never_overwrites_a_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    shutil.copytree(new_game.TEMPLATE, tmp_path / "templates" / "game")
    monkeypatch.setattr(new_game, "ROOT", tmp_path)
    monkeypatch.setattr(new_game, "TEMPLATE", tmp_path / "templates" / "game")
    names = Names(NAME)
    assert len(new_game.new_files(names)) > 20
    existing = tmp_path / "docs" / "reference" / f"{NAME}.md"
    existing.parent.mkdir(parents=True)
    existing.touch()
    with pytest.raises(Refused, match=r"docs/reference/blue-dice\.md exists already"):
        new_game.new_files(names)


def test_long_names_do_not_make_lines_of_cython_too_long():
    """ruff reformats the Python files of a new game; nothing reformats the others."""
    names = Names("x" * MAX_NAME)
    for path in new_game.TEMPLATE.rglob("*.p[yx][xd]"):
        lines = names.rename(path.read_text(encoding="utf-8")).splitlines()
        assert max(map(len, lines)) <= 100, path.name
