"""Generated files are never edited: generating them again gives the files in the repository."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from tablier_core.registry import GAMES

from docs import features, options
from tests.architecture.sources import ROOT


def contents(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }


def test_the_stubs_match_the_protos(tmp_path: Path):
    # In its own process, because protoc caches what it has read. It must not depend on PATH.
    script = ROOT / "proto" / "generate.py"
    subprocess.run([sys.executable, script, tmp_path], check=True, env={})
    made, kept = contents(tmp_path / "tablier"), contents(ROOT / "clients" / "python" / "tablier")
    assert made.keys() == kept.keys(), "run `make gen`"
    assert [name for name in made if made[name] != kept[name]] == [], "run `make gen`"


def test_the_typed_options_match_the_schemas(tmp_path: Path):
    made = tmp_path / "game_options.py"
    subprocess.run([sys.executable, ROOT / "clients" / "generate.py", made], check=True)
    kept = ROOT / "clients" / "python" / "tablier_client" / "game_options.py"
    assert made.read_text("utf-8") == kept.read_text("utf-8"), "run `make gen`"


@pytest.mark.parametrize("name", sorted(GAMES))
def test_the_table_of_options_matches_the_schema(name: str):
    page = (options.PAGES / f"{name}.md").read_text("utf-8")
    assert options.table(GAMES[name].options) in page, "run `make gen`"
    assert options.update(page, GAMES[name].options) == page


@pytest.mark.parametrize("name", sorted(GAMES))
def test_the_table_of_features_matches_the_game(name: str):
    page = (features.PAGES / f"{name}.md").read_text("utf-8")
    assert features.table(GAMES[name]) in page, "run `make gen`"
    assert features.update(page, GAMES[name]) == page
