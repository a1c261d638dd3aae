"""The pages for players: the rules of a game in every language, with examples that are played.

A game's folder has one page per language, `rules.en.md` and `rules.fr.md`. Comments and blocks of a
page act on one position, from top to bottom:

    <!-- start {"options": {"seats": 3}, "seed": 40} -->     starts a game
    ```moves
    # Seat 0 chooses a Mafioso and places a token on it.     a remark, in the language of the page
    0: on 2, token                                           moves of a seat (or of the table)
    ! 0: done                                                a move that is not allowed now
    = 0 0 0                                                  the points of all seats
    ```
    <!-- check {"round": 1} -->                              fields of the referee's view, for tests
    <!-- picture {"file": "contract-bids.svg", "viewer": 0} -->
    ![The bids](../../../../docs/pictures/contract-bids.svg)

Without a viewer, a picture shows what the referee sees. Reading a page plays its examples, so it
fails if one is wrong. Pages are read when somebody asks for them: they are long, and most processes
never show one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from importlib.resources import files
from typing import Any, NamedTuple

from tablier_core.drawing import Look
from tablier_core.errors import MoveIllegal, WrongSeat
from tablier_core.languages import ENGLISH, catalogue
from tablier_core.position import REFEREE, Game, Position

TABLE = "table"
PIECE = re.compile(
    r"<!-- (?P<kind>start|check|picture) (?P<content>\{.*?\}) -->\n"
    r"(?:!\[(?P<description>[^\]]*)\]\([^)]*\)\n)?\n*"
    r"|(?P<block>^```moves\n(?P<lines>.*?)^```\n)",
    re.DOTALL | re.MULTILINE,
)
LINE = re.compile(rf"(?P<forbidden>! )?(?P<seat>\d+|{TABLE}): (?P<moves>.+)")


class WrongExample(ValueError):
    """An example of a page is not what the game does."""


class Picture(NamedTuple):
    """A picture of a page."""

    file: str
    # What it shows, in the language of the page.
    description: str
    position: Position
    viewer: int

    def svg(self, language: str) -> str:
        """Draw it in a language."""
        return self.position.draw_svg(self.viewer, Look(catalogue(language)))

    def text(self, language: str) -> str:
        """Draw it as text."""
        return self.position.draw_text(self.viewer, catalogue(language))


class Check(NamedTuple):
    """What a page states about a position, for tests: fields of the referee's view."""

    position: Position
    fields: dict[str, Any]


class Example(NamedTuple):
    """A block of moves."""

    # The block as the page shows it.
    block: str
    # The lines without remarks.
    lines: tuple[str, ...]


Part = str | Picture | Check | Example


def read_source(game: Game, language: str) -> str:
    """The source of a page; in English if the language has no page yet."""
    folder = files("tablier_core.games").joinpath(game.name.replace("-", "_"))
    page = folder.joinpath(f"rules.{language}.md")
    if not page.is_file():
        page = folder.joinpath(f"rules.{ENGLISH}.md")
    return page.read_text(encoding="utf-8")


def read_title(game: Game, language: str) -> str:
    """The title of a game in a language: the first heading of its page."""
    return read_source(game, language).partition("\n")[0].removeprefix("# ")


def read_page(game: Game, source: str) -> Iterator[Part]:
    """Yield the parts of a page; raises WrongExample, or what a wrong move raises."""
    position = game.start({}, 0)
    end = 0
    for piece in PIECE.finditer(source):
        if piece.start() > end:
            yield source[end : piece.start()]
        end = piece.end()
        if piece["block"]:
            lines = tuple(line for line in piece["lines"].splitlines() if line[:1] != "#")
            for line in lines:
                position = follow(position, line)
            yield Example(piece["block"], lines)
            continue
        content = json.loads(piece["content"])
        if piece["kind"] == "start":
            position = game.start(content.get("options", {}), content.get("seed", 0))
        elif piece["kind"] == "check":
            yield Check(position, content)
        else:
            viewer = content.get("viewer", REFEREE)
            yield Picture(content["file"], piece["description"], position, viewer)
    yield source[end:]


def follow(position: Position, line: str) -> Position:
    """Do what a line of an example says; returns the position after it."""
    if line.startswith("= "):
        scores = [float(score) for score in line[2:].split()]
        if scores != position.scores:
            raise WrongExample(f"{line!r}, but the points are {position.scores}")
        return position
    parts = LINE.fullmatch(line)
    if parts is None:
        raise WrongExample(f"{line!r} has no form of a line")
    seat = -1 if parts["seat"] == TABLE else int(parts["seat"])
    if parts["forbidden"]:
        try:
            position.play(seat, parts["moves"], None)
        except (MoveIllegal, WrongSeat):
            return position
        raise WrongExample(f"{line!r}, but the move is legal")
    for notation in parts["moves"].split(", "):
        _, _, position = position.play(seat, notation, None)
    return position


def write_page(game: Game, language: str, write_picture: Callable[[Picture], str]) -> str:
    """A page as Markdown without comments, with every picture in the given form."""
    written = []
    for part in read_page(game, read_source(game, language)):
        if isinstance(part, str):
            written.append(part)
        elif isinstance(part, Example):
            written.append(part.block)
        elif isinstance(part, Picture):
            written.append(write_picture(part) + "\n\n")
    return "".join(written)


def text_page(game: Game, language: str) -> str:
    """A page as Markdown that needs nothing else: its pictures are drawn as text."""
    return write_page(game, language, lambda picture: f"```text\n{picture.text(language)}\n```")
