"""The Contigo board inside its ring of pits, as text and as SVG, for both games."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from math import cos, pi, sin
from typing import NamedTuple, TypeAlias

from tablier_core.drawing import (
    CONTRAST,
    DARK,
    LIGHT,
    PLAIN,
    Look,
    Palette,
    Picture,
    box,
    disc,
    escape,
    text,
)
from tablier_core.games.contigo.pieces import colour_name, piece_name
from tablier_core.languages import Language

FILES, RANKS = "abcdef", "123456"
# As in a layout: from left to right, rank 6 first.
SQUARES = tuple(file + rank for rank in reversed(RANKS) for file in FILES)
PITS = tuple(f"pit-{pit}" for pit in range(28))


# ---- Text ----------------------------------------------------------------------------------------


def end_caption(winner: int | None, language: Language) -> str:
    """Describe how a game ended."""
    if winner is None:
        return language.gettext("A draw")
    return language.gettext("{player} wins").format(player=colour_name(winner, language))


def text_board(layout: str, beads: Sequence[int]) -> str:
    """Draw the board with the names of its files and ranks, inside its ring of pits.

    Every pit has its number, and its beads in parentheses.
    """
    held = [f"({count})" for count in beads]
    files = " " * 9 + "  ".join(FILES)
    lines = [
        "    0    1  2  3  4  5  6    7",
        f"   {held[0]}  {''.join(held[1:7])}  {held[7]}",
        files,
    ]
    for row, rank in enumerate(layout.split("/")):
        west, east, name = 27 - row, 8 + row, 6 - row
        squares = "  ".join(rank)
        lines.append(f"{west} {held[west]} {name} {squares} {name} {held[east]} {east}")
    lines += [
        files,
        f"   {held[21]}  {''.join(held[20:14:-1])}  {held[14]}",
        "   21   20 19 18 17 16 15   14",
    ]
    return "\n".join(lines)


# ---- Places in a picture -------------------------------------------------------------------------

CELL = 48
NAMES = 20  # between the board and the ring: the names of files and ranks
NUMBERS = 26  # around the ring: the numbers of the pits
LINE = 24  # the height of a line of the caption
# Distances from the middle of the board: to its edge, the names, the pits, the numbers of the pits.
EDGE = 3 * CELL
TO_NAMES = EDGE + NAMES // 2
TO_PITS = EDGE + NAMES + CELL // 2
TO_NUMBERS = EDGE + NAMES + CELL + NUMBERS // 2 + 1
MIDDLE = EDGE + NAMES + CELL + NUMBERS
SIDE = 2 * MIDDLE
PIT = 44  # the width of a pit

# The left, the top, the width and the height of a part.
Place: TypeAlias = tuple[float, float, float, float]


def turn(x: int, y: int, turns: int) -> tuple[int, int]:
    """A point of the picture, given from the middle and turned clockwise by quarter turns."""
    for _ in range(turns % 4):
        x, y = -y, x
    return MIDDLE + x, MIDDLE + y


def around(pit: int, distance: int, turns: int) -> tuple[int, int]:
    """The point beside a pit at a distance from the middle.

    All four sides are like the north: a corner, then a pit for each file.
    """
    side, at = divmod(pit, 7)
    return turn((at - 4) * CELL + CELL // 2 if at else -TO_PITS, -distance, turns + side)


def find_places(turns: int) -> dict[str, Place]:
    """Where every pit and square is."""
    places = {}
    for pit, name in enumerate(PITS):
        places[name] = around_point(*around(pit, TO_PITS, turns), PIT)
    for at, name in enumerate(SQUARES):
        x, y = at % 6 * CELL - EDGE + CELL // 2, at // 6 * CELL - EDGE + CELL // 2
        places[name] = around_point(*turn(x, y, turns), CELL)
    return places


def around_point(x: int, y: int, size: int) -> Place:
    """The square of a size around a point."""
    return x - size // 2, y - size // 2, size, size


PLACES = tuple(find_places(turns) for turns in range(4))


# ---- Parts of a picture --------------------------------------------------------------------------


class Wood(NamedTuple):
    """The colours of the board."""

    light: str  # squares
    dark: str
    tray: str
    rim: str
    pit: str
    bead: str
    number: str  # of beads, written in the pit
    on_yellow: str  # what is written on yellow pieces; on others it is the colour of the paper


WOODS = {
    LIGHT: Wood(
        "#efe2c8", "#dfcba3", "#c9b188", "#8d6f43", "#5f4527", "#f0dcae", "#ffffff", LIGHT.ink
    ),
    DARK: Wood(
        "#57492f", "#483b25", "#332a1b", "#7a6440", "#15110b", "#d9b978", "#ffffff", DARK.paper
    ),
    CONTRAST: Wood(
        "#ffffff", "#d9d9d9", "#ffffff", "#000000", "#000000", "#ffd500", "#ffffff", CONTRAST.ink
    ),
}
LETTERS = "RBYG"
CROWN = "m-9 5 v-9 l5 4 l4-7 l4 7 l5-4 v9 z"
BEADS_OUT = 14  # how far the beads of a pit lie from its middle, where their number is written


class Parts:
    """The squares and pits of pictures in one look; each is drawn once for each of its contents.

    The content of a pit is its number of beads. That of a square is a letter as in the layout of
    the capture game, with a second letter if another colour controls the piece. Both games show
    everything to everybody, so it does not matter that later pictures are faster.
    """

    def __init__(self, palette: Palette, language: Language, turns: int) -> None:
        self.palette, self.wood, self.language = palette, WOODS[palette], language
        self.places = PLACES[turns]
        self.tray = "\n".join(self._draw_tray(turns))
        self._pits: dict[tuple[str, int], str] = {}
        self._squares: dict[tuple[str, str], str] = {}

    def pits(self, beads: Iterable[int]) -> str:
        """All pits."""
        keys = list(zip(PITS, beads, strict=True))
        try:
            return "\n".join([self._pits[key] for key in keys])
        except KeyError:
            for name, count in keys:
                self._pits[name, count] = self._part(name, *self._draw_pit(name, count))
            return self.pits(beads)

    def squares(self, pieces: Iterable[str]) -> str:
        """All squares, rank 6 first."""
        keys = list(zip(SQUARES, pieces, strict=True))
        try:
            return "\n".join([self._squares[key] for key in keys])
        except KeyError:
            for name, piece in keys:
                self._squares[name, piece] = self._part(name, *self._draw_square(name, piece))
            return self.squares(pieces)

    def _part(self, name: str, drawn: str, label: str) -> str:
        return Picture(PLAIN).part(name, *self.places[name], drawn, label)

    def _draw_tray(self, turns: int) -> Iterator[str]:
        """What lies below the parts, with all names and numbers."""
        wood, low = self.wood, NUMBERS
        yield box(low, low, SIDE - 2 * low, SIDE - 2 * low, wood.tray, 20, wood.rim)
        low = MIDDLE - EDGE - 2
        yield box(low, low, SIDE - 2 * low, SIDE - 2 * low, wood.rim, 3)
        for pit in range(28):
            x, y = around(pit, TO_NUMBERS, turns)
            yield text(x, y + 5, pit, 14)
            side, at = divmod(pit, 7)
            if at:
                names = (FILES, RANKS[::-1], FILES[::-1], RANKS)[side]
                x, y = around(pit, TO_NAMES, turns)
                yield text(x, y + 5, names[at - 1], 14, font_weight="bold")

    def _draw_pit(self, name: str, count: int) -> tuple[str, str]:
        """A pit: its beads around their number."""
        left, top, width, height = self.places[name]
        x, y, wood = left + width / 2, top + height / 2, self.wood
        drawn = [disc(x, y, 21, wood.pit, wood.rim, 2)]
        for bead in range(count):
            angle = 2 * pi * bead / count
            across, down = round(BEADS_OUT * sin(angle), 1), round(-BEADS_OUT * cos(angle), 1)
            drawn.append(disc(x + across, y + down, 4.5, wood.bead))
        drawn.append(text(x, y + 5, count, 15, wood.number, "bold"))
        label = self.language.ngettext("Pit {pit}: {count} bead", "Pit {pit}: {count} beads", count)
        return "".join(drawn), label.format(pit=PITS.index(name), count=count)

    def _draw_square(self, name: str, piece: str) -> tuple[str, str]:
        """A square, with its piece if it has one."""
        left, top, width, height = self.places[name]
        row, column = divmod(SQUARES.index(name), 6)
        fill = self.wood.light if (row + column) % 2 else self.wood.dark
        drawn = box(left, top, width, height, fill, 0)
        if piece == ".":
            return drawn, name
        pieces = "".join(self._draw_piece(*piece))
        at = f"{left + width / 2:g} {top + height / 2:g}"
        drawn += f'<g transform="translate({at})" font-weight="bold">{pieces}</g>'
        words = piece_name(piece[0], self.language)
        if len(piece) == 1:
            label = self.language.gettext("{square}: {piece}").format(square=name, piece=words)
            return drawn, label
        owner = colour_name(LETTERS.index(piece[1]), self.language)
        label = self.language.gettext("{square}: {piece}, controlled by {player}")
        return drawn, label.format(square=name, piece=words, player=owner)

    def _draw_piece(self, letter: str, owner: str = "") -> Iterator[str]:
        """A disc with the letter of its colour, for viewers who cannot tell the colours apart.

        A King has a crown. A piece that another colour controls has that colour's badge.
        """
        fill, ink = self._colours(letter.upper())
        yield disc(1, 2.5, 18.5, "#000000", opacity=0.3)
        yield disc(0, 0, 18, fill, self.palette.ink, 2)
        if letter.isupper():
            yield disc(0, 0, 15, "none", ink, 1.5)
            yield f'<path d="{CROWN}" transform="translate(0 -3.5)" fill="{ink}"/>'
            yield text(0, 13, letter, 12, ink)
        else:
            yield text(0, 6, letter.upper(), 17, ink)
        if owner:
            fill, ink = self._colours(owner)
            yield disc(14, 14, 9, fill, self.palette.paper, 1.5)
            yield text(14, 18.5, owner, 12, ink)

    def _colours(self, letter: str) -> tuple[str, str]:
        """The fill of a colour's pieces, and the colour of what is written on them."""
        palette = self.palette
        fill = (palette.red, palette.blue, palette.yellow, palette.green)[LETTERS.index(letter)]
        return fill, self.wood.on_yellow if letter == "Y" else palette.paper


# Three palettes and four turns, in a few languages.
@lru_cache(maxsize=32)
def find_parts(palette: Palette, language: Language, turns: int) -> Parts:
    """The parts of all pictures in one look."""
    return Parts(palette, language, turns)


# ---- Pictures ------------------------------------------------------------------------------------


class Board(Picture):
    """A picture whose parts have been drawn before."""

    def __init__(self, look: Look, turns: int) -> None:
        super().__init__(look)
        self._places = PLACES[turns]


def svg_board(
    pieces: str | tuple[str, ...],
    beads: tuple[int, ...],
    caption: Sequence[str],
    look: Look,
    turns: int,
    chain: str | None = None,
) -> str:
    """Draw the board as a picture.

    `pieces` are the contents of the squares, rank 6 first (see Parts). The board is turned
    clockwise by quarter turns. `chain` is the square of a piece to frame.
    """
    parts = find_parts(look.palette, look.language, turns)
    drawn = [parts.tray, parts.pits(beads), parts.squares(pieces)]
    if chain is not None:
        left, top, _, _ = PLACES[turns][chain]
        inside = f'x="{left + 2:g}" y="{top + 2:g}" width="{CELL - 4}" height="{CELL - 4}" rx="6"'
        drawn.append(
            f'<rect {inside} fill="none" stroke="{look.palette.ink}" stroke-width="3"'
            ' stroke-dasharray="6 3" pointer-events="none"/>'
        )
    for i, line in enumerate(caption):
        place = f'x="{MIDDLE}" y="{SIDE + 16 + LINE * i}" font-size="{14 if i else 16}"'
        drawn.append(f"<text {place}>{escape(line, quote=False)}</text>")
    height = SIDE + LINE * len(caption) + 6
    title = look.language.gettext("; ").join(caption)
    return Board(look, turns).document(SIDE, height, title, drawn, anchor="middle")
