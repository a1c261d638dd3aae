"""Adding a game touches its own files and a fixed number of lines elsewhere."""

from __future__ import annotations

import re
import subprocess

import pytest
from tablier_core.position import Game
from tablier_core.registry import GAMES

from tests.architecture.sources import ROOT
from tests.core.variants import label

every_game = pytest.mark.parametrize("game", GAMES.values(), ids=label)

# The registries: how many lines of other files may name a game.
REGISTRIES = {
    "core_ext/tablier_core/registry.py": 1,
    # An import, and in each of the two oneofs a member with its comment.
    "proto/tablier/v1/game.proto": 5,
    "tests/core/variants.py": 1,
    # The game that it is compared with.
    "bench/core.py": 2,
}


def tracked() -> list[str]:
    listed = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout
    return listed.splitlines()


def is_own(path: str, game: Game) -> bool:
    """Return whether a path shows that the file belongs to this game."""
    package = game.name.replace("-", "_")
    return bool(re.search(rf"(^|[/_]){package}([/_.]|$)|/{game.name}[-.]", path))


@every_game
def test_only_a_games_own_files_and_the_registries_name_it(game: Game):
    package = game.name.replace("-", "_")
    # Some names are plain words, so look for the name in quotes, in a path or in a message.
    message = "".join(word.title() for word in package.split("_"))
    named = re.compile(
        rf"""["'`]({package}|{game.name})["'`]|games[./]{package}\b|/{package}\.|\b{message}[A-Z]"""
    )
    found = {}
    for path in tracked():
        source = path.endswith((".py", ".pyx", ".pxd", ".pyi", ".proto", ".toml", "Makefile"))
        generated = path.startswith("clients/python/tablier/v1/")
        # Tests and examples may use any game: adding another one does not change them.
        example = path.startswith(
            ("tests/", "campaigns/", "clients/", "docs/", "examples/", "loadtests/", "bench/")
        )
        if not source or generated or is_own(path, game):
            continue
        if example and path not in REGISTRIES:
            continue
        lines = (ROOT / path).read_text(encoding="utf-8").splitlines()
        count = sum(1 for line in lines if named.search(line))
        if count:
            found[path] = count
    too_many = {path: n for path, n in found.items() if n > REGISTRIES.get(path, 0)}
    assert too_many == {}


@every_game
def test_a_game_has_one_core_folder_one_proto_and_one_view(game: Game):
    package = game.name.replace("-", "_")
    own = [path for path in tracked() if is_own(path, game)]
    core = f"core_ext/tablier_core/games/{package}/"
    sources = [path for path in own if path.startswith("core_ext/")]
    assert sources
    assert all(path.startswith(core) for path in sources)
    assert [path for path in own if path.startswith("proto/")] == [
        f"proto/tablier/v1/{package}.proto"
    ]
    assert [path for path in own if path.startswith("service/")] == [
        f"service/tablier_service/views/{package}.py"
    ]
