"""Every registered game is complete and follows the floor plan, so that nobody has to search."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tablier.v1 import game_pb2
from tablier_core.languages import ENGLISH, LANGUAGES
from tablier_core.position import Game
from tablier_core.registry import GAMES
from tablier_core.rulebook import read_source
from tablier_service.views import MESSAGES

from docs import game_list
from tests.architecture.sources import CORE, ROOT, SERVICE, files
from tests.core.variants import VARIANTS, label

REFERENCE_HEADINGS = [
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
# The headings that every page for players has, among others.
PLAYER_HEADINGS = [
    "What you need",
    "How the game ends",
    "In the terminal",
    "An example",
    "Variants",
    "First advice",
]
# The rooms of a game, except hidden.* and engine/, which depend on the game.
ROOMS = (
    *("__init__.py", "options.py", "observe.py", "draw.py", "state.pxd"),
    *("rules.pyx", "rules.pxd", "notation.pyx", "notation.pxd"),
    *("encoding.pyx", "encoding.pxd", "encoding.pyi", "game.pyx", "game.pyi"),
    *("features.pyx", "features.pxd"),
)
# Names that hide what is inside. Extra files are named after the game's own domain.
VAGUE = re.compile(
    r"(picture|knowledge|belief|ways|play|table|moves|view|bytes|codec|utils?|helpers?"
    r"|common|misc|base|shared)(_\w+)?"
)
JUDGEMENT = re.compile(r"^\s*(?:evaluate|pick|narrow|rank)=(?!NULL)", re.MULTILINE)
every_game = pytest.mark.parametrize("game", GAMES.values(), ids=label)


def package(game: Game) -> str:
    return game.name.replace("-", "_")


def folder(game: Game) -> Path:
    return CORE / "games" / package(game)


def missing(paths: list[Path]) -> list[str]:
    return [str(path.relative_to(ROOT)) for path in paths if not path.exists()]


@every_game
def test_a_game_has_every_room_of_the_floor_plan(game: Game):
    assert missing([folder(game) / name for name in ROOMS]) == []


@every_game
def test_a_game_has_a_room_for_hidden_information_exactly_if_it_has_some(game: Game):
    for name in ("hidden.pyx", "hidden.pxd"):
        assert (folder(game) / name).exists() == game.has_hidden_information


@every_game
def test_a_game_has_an_engine_exactly_if_it_has_judgement(game: Game):
    text = (folder(game) / "game.pyx").read_text(encoding="utf-8")
    engine = folder(game) / "engine"
    assert engine.is_dir() == bool(JUDGEMENT.search(text))
    assert not engine.is_dir() or files(engine, ".pyx")


@pytest.mark.parametrize(
    "path",
    files(CORE / "games", ".py", ".pyx", ".pxd"),
    ids=lambda path: str(path.relative_to(CORE / "games")),
)
def test_no_file_of_a_game_has_a_vague_name(path: Path):
    assert not VAGUE.fullmatch(path.stem)
    # A layout is a board as text, in Contigo; bytes are laid out in `encoding`.
    assert path.name != "layout.pxd"
    if path.suffix == ".pyx" and path.stem != "game":
        # Declarations for other modules or, if only Python uses it, its types.
        assert path.with_suffix(".pxd").exists() or path.with_suffix(".pyi").exists()


@every_game
def test_a_game_has_its_protocol_tests_data_and_pages(game: Game):
    name = package(game)
    expected = [
        ROOT / "proto" / "tablier" / "v1" / f"{name}.proto",
        SERVICE / "views" / f"{name}.py",
        ROOT / "tests" / "core" / "games" / f"test_{name}.py",
        ROOT / "tests" / "core" / "games" / f"test_{name}_features.py",
        ROOT / "tests" / "reference" / f"{name}.py",
        ROOT / "tests" / "data" / "perft" / f"{game.name}.txt",
        ROOT / "docs" / "reference" / f"{game.name}.md",
        *(folder(game) / f"rules.{language}.md" for language in LANGUAGES),
    ]
    assert missing(expected) == []
    assert list((ROOT / "tests" / "data" / "playthroughs").glob(f"{game.name}-*s*.txt"))


@every_game
def test_the_reference_page_has_its_headings_and_options(game: Game):
    page = (ROOT / "docs" / "reference" / f"{game.name}.md").read_text(encoding="utf-8")
    lines = page.splitlines()
    assert lines[0].startswith(f"# {game.title}")
    assert game.french_title in page
    assert [line[3:] for line in lines if line.startswith("## ")] == REFERENCE_HEADINGS
    assert game.name in page
    assert [name for name in game.options.properties if f"`{name}`" not in page] == []


@every_game
def test_the_page_for_players_has_its_headings_options_and_a_picture(game: Game):
    page = read_source(game, ENGLISH)
    assert page.startswith(f"# {game.title}\n")
    headings = re.findall(r"^## (.+)$", page, re.MULTILINE)
    assert sorted(set(PLAYER_HEADINGS) - set(headings)) == []
    assert re.search(r"!\[[^\]]+\]\((\.\./){4}docs/pictures/[\w-]+\.svg\)", page)
    assert [name for name in game.options.properties if f"`{name}`" not in page] == []


def test_the_list_of_games_is_current():
    page = game_list.PAGE.read_text(encoding="utf-8")
    assert page == game_list.update(page), "run `make gen`"
    assert all(game.title in page for game in GAMES.values())


@every_game
def test_the_protocol_has_the_view(game: Game):
    name = package(game)
    assert MESSAGES[game.name].field == name
    views = game_pb2.GameView.DESCRIPTOR.oneofs_by_name["game"].fields
    assert name in [field.name for field in views]


@every_game
def test_a_game_describes_itself(game: Game):
    assert game.title
    assert game.french_title
    assert game.summary.endswith(".")
    assert all(option["description"] for option in game.options.properties.values())
    for example, meaning in game.notation:
        assert game.write_move(game.read_move(example)) == example
        assert meaning


@every_game
def test_variants_include_the_fewest_and_the_most_seats(game: Game):
    seats = {game.start(options, 0).seats for options in VARIANTS[game.name]}
    assert {game.min_seats, game.max_seats} <= seats


@every_game
def test_facts_are_typed(game: Game):
    stub = (folder(game) / "encoding.pyi").read_text(encoding="utf-8")
    assert "class Facts(TypedDict):" in stub
    assert re.search(r"^def facts\(.*\) -> Facts:", stub, re.MULTILINE)
    for path in files(folder(game), ".pyi"):
        assert not re.search(r"\bAny\b", path.read_text(encoding="utf-8")), path.name


def test_no_game_is_missing_from_the_registries():
    folders = {path.parent.name for path in (CORE / "games").glob("*/game.pyx")}
    assert folders == {package(game) for game in GAMES.values()}
    assert set(MESSAGES) == set(GAMES)


DEFINITION = re.compile(r"^(?:def |cpdef |class |cdef class )", re.MULTILINE)
ASSIGNMENT = re.compile(r"^([A-Za-z]\w*)(?:: [^=\n]+)? = ", re.MULTILINE)


def for_python(source: Path) -> bool:
    """Return whether an extension module defines something for Python."""
    text, header = source.read_text(encoding="utf-8"), source.with_suffix(".pxd")
    declared = header.read_text(encoding="utf-8") if header.exists() else ""
    # A variable that the header declares is a C variable.
    constants = [
        name
        for name in ASSIGNMENT.findall(text)
        if not re.search(rf"^cdef [^(\n]*\b{name}\b", declared, re.MULTILINE)
    ]
    return bool(DEFINITION.search(text) or DEFINITION.search(declared) or constants)


@pytest.mark.parametrize("path", files(CORE, ".pyx"), ids=lambda path: str(path.relative_to(CORE)))
def test_a_module_has_a_stub_exactly_if_it_is_for_python(path: Path):
    assert path.with_suffix(".pyi").exists() == for_python(path)


def test_every_stub_belongs_to_a_module():
    stubs = files(CORE, ".pyi")
    assert stubs
    assert [path for path in stubs if not path.with_suffix(".pyx").exists()] == []


def test_recognizes_modules_for_python(tmp_path: Path):
    source = tmp_path / "rules.pyx"
    for text, expected in {
        "cdef int f() noexcept nogil:\n    return 1\n": False,
        "cdef int[4] table\nfill_table()\ncdef enum:\n    A = 1\n": False,
        "def facts(packed):\n    return 1\n": True,
        "cdef class Position:\n    pass\n": True,
        "LIMIT = 3\n": True,
    }.items():
        source.write_text(text)
        assert for_python(source) == expected, text
    source.with_suffix(".pxd").write_text("cdef int LIMIT\n")
    assert not for_python(source)
