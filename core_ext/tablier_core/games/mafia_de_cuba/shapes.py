"""What the drawings of Mafia de Cuba consist of: colours and texts."""

from __future__ import annotations

from typing import NamedTuple

from tablier_core.drawing import CONTRAST, DARK, LIGHT, Palette, escape

MARGIN = 20
COLUMN = 400  # the width of the table, the talk and the desk


class Pieces(NamedTuple):
    """The colours of this game's own pieces."""

    cedar: str  # the box, with light text on it
    lid: str
    gem: str
    number: str  # of a gem
    diamonds: str  # what thieves took, like the next two with the colour of the paper on it
    driver: str
    cleaner: str


PIECES = {
    LIGHT: Pieces("#8a5a33", "#6f4526", "#a9d8ef", "#17323f", "#2f6f94", "#7a5a1e", "#7a2f2f"),
    DARK: Pieces("#5f4026", "#4a301b", "#8cc6e2", "#10242e", "#7fbfe0", "#d8b36a", "#e39a9a"),
    CONTRAST: Pieces("#4a2c10", "#2e1a08", "#ffffff", "#000000", "#004a6a", "#5a3a00", "#6a0000"),
}
CREAM = "#fff6e6"
DARK_TEXT = "#2b2622"  # on yellow
BOLD = ' font-weight="bold"'


def role_colour(palette: Palette, take: str) -> str:
    """The colour of what a seat took."""
    pieces = PIECES[palette]
    return {
        "loyal": palette.green,
        "fbi": palette.blue,
        "cia": palette.mark,
        "driver": pieces.driver,
        "cleaner": pieces.cleaner,
        "nothing": palette.ink,
    }.get(take, pieces.diamonds)


def write(x: float, y: float, words: str, size: int, style: str = "") -> str:
    """A line of text."""
    return (
        f'<text x="{x:g}" y="{y:g}" font-size="{size}"{style}>{escape(words, quote=False)}</text>'
    )


def pill(
    x: float, y: float, words: str, fill: str, ink: str, style: str = BOLD, outline: str = ""
) -> str:
    """A short text on a colour, around a point."""
    width = 14 + (7 if style == BOLD else 6) * len(words)
    return (
        f'<rect x="{x - width / 2:g}" y="{y - 10:g}" width="{width:g}" height="20" rx="10"'
        f' fill="{fill}"{outline}/>' + write(x, y + 4.5, words, 12, f'{style} fill="{ink}"')
    )


def wrap(words: str, limit: int) -> list[str]:
    """Break a text into lines of at most `limit` characters."""
    lines = []
    while len(words) > limit:
        at = words.rfind(" ", 0, limit + 1)
        at = at if at > 0 else limit
        lines.append(words[:at])
        words = words[at:].lstrip()
    return [*lines, words]
