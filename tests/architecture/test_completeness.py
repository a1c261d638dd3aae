"""Every registered game is complete: rules, views, protocol, tests, data and a page for people."""

from __future__ import annotations

import pytest
from tablier.v1 import game_pb2
from tablier_core.position import Game
from tablier_core.registry import GAMES
from tablier_service.views import MESSAGES

from tests.architecture.sources import CORE, ROOT, SERVICE, files
from tests.core.variants import VARIANTS, label

HEADINGS = [
    "What it is",
    "Seats and options",
    "A turn",
    "Moves and notation",
    "View",
    "Scoring",
    "Byte layout",
    "Decisions taken",
    "Rules version history",
]
every_game = pytest.mark.parametrize("game", GAMES.values(), ids=label)


def package(game: Game) -> str:
    return game.name.replace("-", "_")


@every_game
def test_files(game: Game):
    name = package(game)
    parts = ("__init__.py", "rules.pyx", "rules.pyi", "observe.py", "draw.py")
    expected = [
        *(CORE / "games" / name / part for part in parts),
        ROOT / "proto" / "tablier" / "v1" / f"{name}.proto",
        SERVICE / "views" / f"{name}.py",
        ROOT / "tests" / "core" / "games" / f"test_{name}.py",
        ROOT / "tests" / "reference" / f"{name}.py",
        ROOT / "tests" / "data" / "perft" / f"{game.name}.txt",
        ROOT / "docs" / "reference" / f"{game.name}.md",
    ]
    assert [str(path.relative_to(ROOT)) for path in expected if not path.exists()] == []
    assert list((ROOT / "tests" / "data" / "playthroughs").glob(f"{game.name}-*s*.txt"))


@every_game
def test_its_page_has_the_headings_of_every_page(game: Game):
    page = (ROOT / "docs" / "reference" / f"{game.name}.md").read_text(encoding="utf-8")
    lines = page.splitlines()
    assert lines[0].startswith(f"# {game.title}")
    assert game.french_title in page
    assert [line[3:] for line in lines if line.startswith("## ")] == HEADINGS
    assert game.name in page
    assert [option.name for option in game.options if f"`{option.name}`" not in page] == []


@every_game
def test_its_options_and_view_are_in_the_protocol(game: Game):
    name = package(game)
    assert MESSAGES[game.name].field == name
    for union in (game_pb2.GameOptions, game_pb2.GameView):
        assert name in [field.name for field in union.DESCRIPTOR.oneofs_by_name["game"].fields]
    options = game_pb2.GameOptions.DESCRIPTOR.fields_by_name[name].message_type
    assert options is not None
    assert {option.name for option in game.options} == {field.name for field in options.fields}


@every_game
def test_its_texts(game: Game):
    assert game.title
    assert game.french_title
    assert game.summary.endswith(".")
    assert all(option.about for option in game.options)
    for example, meaning in game.notation:
        assert game.write_move(game.read_move(example)) == example
        assert meaning


@every_game
def test_its_variants_reach_its_fewest_and_most_seats(game: Game):
    seats = {game.start(options, 0).seats for options in VARIANTS[game.name]}
    assert {game.min_seats, game.max_seats} <= seats


def test_no_folder_is_left_out_of_the_registries():
    with_rules = {
        path.parent.name for path in files(CORE / "games", ".pyx") if path.stem == "rules"
    }
    assert with_rules == {package(game) for game in GAMES.values()}
    assert set(MESSAGES) == set(GAMES)


def test_every_extension_module_has_a_stub():
    missing = [path for path in files(CORE, ".pyx") if not path.with_suffix(".pyi").exists()]
    assert [str(path.relative_to(ROOT)) for path in missing] == []
