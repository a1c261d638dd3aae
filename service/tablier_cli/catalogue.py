"""`tablier games`: the list of games, and the details of one."""

from __future__ import annotations

import json

from rich.console import Console
from rich.table import Table
from rich.text import Text
from tablier_core.options import describe
from tablier_core.position import Game
from tablier_core.registry import GAMES

from tablier_cli.arguments import find_game


def show_all() -> None:
    """Print a table of all games."""
    table = Table("name", "English", "French", "seats", "options")
    table.columns[0].no_wrap = True
    for name in sorted(GAMES):
        game = GAMES[name]
        options = ", ".join(game.options.properties)
        table.add_row(name, game.title, game.french_title, seats_of(game), options)
    Console().print(table)


def show_one(name: str) -> None:
    """Print the details, options and notation of a game."""
    game = find_game(name)
    facts = Table.grid(padding=(0, 2))
    for label, text in (
        ("name", game.name),
        ("English", game.title),
        ("French", game.french_title),
        ("", game.summary),
        ("seats", seats_of(game)),
        ("hidden information", "yes" if game.has_hidden_information else "no"),
        ("phases", ", ".join(game.phases)),
        ("actions", str(game.num_actions)),
        ("rules version", str(game.rules_version)),
    ):
        facts.add_row(label, Text(text))
    options = Table("option", "what it changes", "accepts", "default", title="Options")
    options.columns[3].overflow = "fold"
    for option, schema in game.options.properties.items():
        default = json.dumps(schema["default"]) if "default" in schema else ""
        options.add_row(option, Text(schema["description"]), Text(describe(schema)), Text(default))
    console = Console()
    console.print(facts)
    console.print(options)
    console.print(notation_table(game.notation))


def notation_table(forms: tuple[tuple[str, str], ...]) -> Table:
    """Make a table of the forms of a game's notation."""
    table = Table("form", "meaning", title="Notation")
    for example, meaning in forms:
        table.add_row(Text(example), Text(meaning))
    return table


def seats_of(game: Game) -> str:
    """The range of seats, such as "2-5"."""
    low, high = game.min_seats, game.max_seats
    return str(low) if low == high else f"{low}-{high}"
