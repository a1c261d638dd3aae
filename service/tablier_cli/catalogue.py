"""`tablier games`: the list of games, and the details of one."""

from __future__ import annotations

import json

from rich.console import Console
from tablier_core.languages import Language, catalogue
from tablier_core.options import describe
from tablier_core.position import Game
from tablier_core.registry import GAMES
from tablier_service.calls.language import choose_language

from tablier_cli.arguments import find_game
from tablier_cli.terminal import make_details, make_table, open_console


def show_all(language: str) -> None:
    """Print a table of all games."""
    texts = catalogue(choose_language(language))
    headings = (
        texts.gettext("name"),
        texts.gettext("English"),
        texts.gettext("French"),
        texts.gettext("seats"),
        texts.gettext("options"),
    )
    rows = []
    for name in sorted(GAMES):
        game = GAMES[name]
        options = ", ".join(game.options.properties)
        rows.append((name, game.title, game.french_title, seats_of(game), options))
    out = open_console()
    out.print(make_table(out.width, headings, rows))


def show_one(name: str, language: str) -> None:
    """Print the details, options and notation of a game."""
    game = find_game(name)
    texts = catalogue(choose_language(language))
    translate = texts.gettext
    out = open_console()
    details = (
        (texts.gettext("name"), game.name),
        (texts.gettext("English"), game.title),
        (texts.gettext("French"), game.french_title),
        ("", translate(game.summary)),
        (texts.gettext("seats"), seats_of(game)),
        (
            texts.gettext("hidden"),
            texts.gettext("yes") if game.has_hidden_information else texts.gettext("no"),
        ),
        (texts.gettext("phases"), ", ".join(game.phases)),
        (texts.gettext("actions"), str(game.num_actions)),
        (texts.gettext("version"), str(game.rules_version)),
    )
    out.print(make_details(out.width, details))
    rows = [
        (
            option,
            translate(schema["description"]),
            describe(schema),
            json.dumps(schema["default"]) if "default" in schema else "",
        )
        for option, schema in game.options.properties.items()
    ]
    headings = (
        texts.gettext("option"),
        texts.gettext("what it changes"),
        texts.gettext("accepts"),
        texts.gettext("default"),
    )
    out.print(make_table(out.width, headings, rows, title=texts.gettext("Options")))
    print_notation(out, game, texts)


def print_notation(out: Console, game: Game, texts: Language) -> None:
    """Print a table of the forms of a game's notation."""
    rows = [(example, texts.gettext(meaning)) for example, meaning in game.notation]
    headings = (texts.gettext("form"), texts.gettext("meaning"))
    out.print(make_table(out.width, headings, rows, title=texts.gettext("Notation")))


def seats_of(game: Game) -> str:
    """The range of seats, such as "2-5"."""
    low, high = game.min_seats, game.max_seats
    return str(low) if low == high else f"{low}-{high}"
