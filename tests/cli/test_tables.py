"""What commands print fits the terminal, and nothing is cut off."""

from __future__ import annotations

import pytest
from click.testing import CliRunner
from rich.console import Console
from tablier_cli import main
from tablier_cli.terminal import fit, fit_line, make_details, make_table
from tablier_core.registry import GAMES

HEADINGS = ("move", "what it does", "visits")
ROWS = [("a6-a4", "Red moves a pawn from a6 to a4", "12"), ("13+0.2.1", "Red sows", "7,000")]


def shown(width: int) -> str:
    console = Console(width=width, force_terminal=False)
    with console.capture() as capture:
        console.print(make_table(width, HEADINGS, ROWS, title="Moves", caption="The end"))
    return capture.get()


def words(text: str) -> list[str]:
    return sorted(text.translate(str.maketrans("", "", "│┃┏┓┗┛┡┩└┘─━┳┴╇┼")).split())


@pytest.mark.parametrize("width", [200, 60, 45, 40, 30, 24])
def test_a_table_has_all_its_words_at_any_width(width: int) -> None:
    text = shown(width)
    assert max(map(len, text.splitlines())) <= width
    cells = [cell for row in ROWS for cell in row]
    assert set(" ".join([*cells, *HEADINGS[1:], "Moves", "The end"]).split()) <= set(words(text))
    assert ("┏" in text) == (width >= 40)


def test_a_list_has_a_line_per_cell() -> None:
    assert shown(38).splitlines() == [
        "Moves",
        "a6-a4",
        "  what it does  Red moves a pawn from",
        "                a6 to a4",
        "  visits        12",
        "13+0.2.1",
        "  what it does  Red sows",
        "  visits        7,000",
        "The end",
    ]


def test_facts_are_wrapped() -> None:
    text = make_details(20, [("name", "contract"), ("", "Bid influence on Mafiosi")]).plain
    assert text == "name  contract\n      Bid influence\n      on Mafiosi"


@pytest.mark.parametrize(
    ("line", "parts"),
    [
        ("short", ["short"]),
        ("a b c d e f g h i j k l", ["a b c d e f g h i j", "    k l"]),
        ("  seat 0      hand 1 2 3    row 7", ["  seat 0  hand 1 2 3", "      row 7"]),
        ("abcdefghijklmnopqrstuvwxyz", ["abcdefghijklmnopqrst", "    uvwxyz"]),
    ],
)
def test_a_long_line_of_a_drawing_is_broken_between_columns(line: str, parts: list[str]) -> None:
    assert fit_line(line, 20) == parts


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("width", [40, 80])
def test_a_drawing_keeps_all_its_words(name: str, width: int) -> None:
    drawing = GAMES[name].start({}, 7).draw_text()
    fitted = fit(drawing, width)
    assert fitted.split() == drawing.split()
    assert max(map(len, fitted.splitlines())) <= width


COMMANDS = [
    ["games"],
    *(["games", name] for name in GAMES),
    *(["games", name, "--language", "fr"] for name in GAMES),
    ["suggest", "contigo-alignment", "--iterations", "50"],
    ["suggest", "contract", "--iterations", "50"],
    ["analyze", "contrat500", "--iterations", "50"],
    ["match", "contigo-alignment", "--players", "2,random", "--games", "2", "--processes", "1"],
    ["serve", "--check"],
    ["record", "show"],
]
RECORD = """Tablier game record 1
[Game "contract"]
[Rules "1"]
[Options {"seats":5}]
[Seed "7"]
[Seat0 "Somebody with a very long name indeed"]
[Result "*"]

1. seat 0: on 2 [%eval 0.25 -0.25 0 0 0] {A comment that is longer than a narrow terminal.}
end
"""


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_every_table_fits_40_columns(command: list[str]) -> None:
    environment = {"COLUMNS": "40", "LC_ALL": "C"}
    result = CliRunner().invoke(main, command, input=RECORD, env=environment)
    assert result.exit_code == 0, result.output
    # Sentences wrap by themselves, and reports on an analysis in a pipe are lines for programs.
    sentences = (" iterations: ", "The service can start")
    lines = [
        line for line in result.stdout.splitlines() if not any(each in line for each in sentences)
    ]
    assert [line for line in lines if len(line) > 40] == []
    assert "…" not in result.stdout.replace("  …", "")


@pytest.mark.parametrize("name", GAMES)
def test_the_narrow_page_of_a_game_has_all_texts_of_the_wide_one(name: str) -> None:
    narrow, wide = (
        CliRunner().invoke(main, ["games", name], env={"COLUMNS": width, "LC_ALL": "C"}).stdout
        for width in ("40", "200")
    )
    # Long words are broken, so compare letters.
    letters = ["".join(words(text)) for text in (narrow, wide)]
    for option, schema in GAMES[name].options.properties.items():
        assert option in narrow
        assert "".join(schema["description"].split()) in "".join(narrow.split())
    assert len(letters[0]) > 0.8 * len(letters[1])
