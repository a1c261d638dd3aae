"""What commands print for people: tables that fit any width, and drawings in colours."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from shutil import get_terminal_size
from textwrap import wrap

from rich.box import HEAVY_HEAD, Box
from rich.console import Console, RenderableType
from rich.style import Style
from rich.table import Table
from rich.text import Text
from tablier_core.languages import Language
from tablier_core.position import Game

# Width of what goes to a file or a pipe, unless COLUMNS says otherwise.
WIDTH_WITHOUT_TERMINAL = 120
# A column of a table that must be narrower than its content gets at least this width.
NARROWEST = 16
# The colours of the palette in a terminal, where the user chooses what "red" looks like.
STYLES = {
    "red": Style(color="red", bold=True),
    "blue": Style(color="blue", bold=True),
    "yellow": Style(color="yellow", bold=True),
    "green": Style(color="green", bold=True),
    "mark": Style(color="magenta", bold=True),
    "quiet": Style(dim=True),
}


def open_console(*, stderr: bool = False) -> Console:
    """The console to print to; it has colours only in a terminal, and obeys NO_COLOR."""
    out = Console(stderr=stderr, highlight=False)
    if out.is_terminal:
        return out
    width = get_terminal_size((WIDTH_WITHOUT_TERMINAL, 24)).columns
    return Console(stderr=stderr, highlight=False, width=width)


# ---- Tables --------------------------------------------------------------------------------------


def make_table(
    width: int,
    headings: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    title: str = "",
    caption: str = "",
    right: Sequence[str] = (),
    heads: int = 1,
    box: Box = HEAVY_HEAD,
) -> RenderableType:
    """A table, or a list if the table would not fit: nothing is cut off.

    `right` are the headings of columns that are aligned to the right. In the list, the first
    `heads` cells are the title of a row.
    """
    columns = zip(headings, *rows, strict=True)
    needs = [column_need(cells) for cells in columns]
    if sum(needs) + 3 * len(needs) + 1 > width:
        return Text("\n".join(listed_rows(width, headings, rows, title, caption, heads)))
    table = Table(
        title=Text(title) if title else None, caption=Text(caption) if caption else None, box=box
    )
    for heading, need in zip(headings, needs, strict=True):
        justify = "right" if heading in right else "left"
        table.add_column(Text(heading), justify=justify, min_width=need, overflow="fold")  # type: ignore[arg-type]
    for row in rows:
        table.add_row(*map(Text, row))
    return table


def column_need(cells: Sequence[str]) -> int:
    """The least width of a column: no word is broken, and long texts have some room."""
    widest = max(len(line) for cell in cells for line in cell.split("\n"))
    word = max((len(word) for cell in cells for word in cell.split()), default=0)
    return max(word, min(widest, NARROWEST))


def listed_rows(
    width: int,
    headings: Sequence[str],
    rows: Sequence[Sequence[str]],
    title: str,
    caption: str,
    heads: int,
) -> Iterator[str]:
    """A table as a list: the title of every row, and below it a line per cell."""
    yield from wrap(title, width)
    labels = min(max(map(len, headings[heads:]), default=0), width // 2)
    for row in rows:
        yield from wrap(" ".join(filter(None, row[:heads])), width)
        for heading, cell in zip(headings[heads:], row[heads:], strict=True):
            label = f"  {heading:{labels}}  "
            lines = [line for part in cell.split("\n") for line in wrap(part, width - len(label))]
            for number, line in enumerate(lines):
                yield (label if number == 0 else " " * len(label)) + line
    yield from wrap(caption, width)


def make_details(width: int, rows: Sequence[tuple[str, str]]) -> Text:
    """Labels and texts next to each other, without lines."""
    labels = max(len(label) for label, _ in rows)
    lines = []
    for label, text in rows:
        wrapped = [line for part in text.split("\n") for line in wrap(part, width - labels - 2)]
        for number, line in enumerate(wrapped or [""]):
            lines.append(f"{label if number == 0 else '':{labels}}  {line}".rstrip())
    return Text("\n".join(lines))


# ---- Drawings and sentences ----------------------------------------------------------------------


def fit(drawing: str, width: int) -> str:
    """Break the lines of a drawing that are too long, between its columns if it has any."""
    return "\n".join(part for line in drawing.split("\n") for part in fit_line(line, width))


def fit_line(line: str, width: int) -> list[str]:
    """The parts of a line that are short enough; all but the first are indented."""
    if len(line) <= width:
        return [line]
    inside = line.lstrip()
    indent = " " * min(len(line) - len(inside) + 4, width // 2)
    lines = [line[: len(line) - len(inside)]]
    empty = True
    for cell in re.split(r" {2,}", inside):
        gap = "" if empty else "  "
        if len(lines[-1]) + len(gap) + len(cell) <= width:
            lines[-1] += gap + cell
        else:
            first = lines.pop() + gap if empty else indent
            lines += wrap(cell, width, initial_indent=first, subsequent_indent=indent)
        empty = False
    return lines


class Paint:
    """Colours the words of a game in its drawings and in sentences."""

    def __init__(self, game: Game, language: Language) -> None:
        self._styles = {
            word: STYLES[colour]
            for word, colour in game.text_colours(language).items()
            if colour in STYLES
        }
        self._words = pattern_of(self._styles)
        # A single letter is a piece on a board, but can be a word of a sentence.
        self._long_words = pattern_of([word for word in self._styles if len(word) > 1])

    def drawing(self, drawing: str) -> Text:
        """A drawing in colours."""
        return self._coloured(drawing, self._words)

    def sentence(self, sentence: str) -> Text:
        """A sentence in colours."""
        return self._coloured(sentence, self._long_words)

    def _coloured(self, plain: str, words: re.Pattern[str] | None) -> Text:
        text = Text(plain)
        for found in words.finditer(plain) if words else ():
            text.stylize(self._styles[found[0]], found.start(), found.end())
        return text


def pattern_of(words: Sequence[str] | dict[str, Style]) -> re.Pattern[str] | None:
    """A pattern that finds whole words, the longest first; None without words."""
    longest_first = sorted(words, key=len, reverse=True)
    if not longest_first:
        return None
    return re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, longest_first))})(?!\w)")
