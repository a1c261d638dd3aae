"""The Contigo board inside its ring of pits, as text and as SVG, for both games."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product

from tablier_core.drawing import (
    BLUE,
    GREEN,
    INK,
    PAPER,
    RED,
    WOOD,
    YELLOW,
    box,
    counted,
    disc,
    document,
    text,
)

CELL = 48
MARGIN = 34  # around the 8 x 8 grid of pits and squares
LINE = 22  # the height of a line of the caption
SIDE = 8 * CELL + 2 * MARGIN
SQUARE, OTHER_SQUARE, RIM, PIT, BEAD, SHINE = (
    "#efe2c8", "#dfcba3", "#8d6f43", "#6f5430", "#ecd9b0", "#fffaf0",
)  # fmt: skip
# The fill of a colour's pieces, and the colour of what is written on them.
FILLS = {"R": (RED, PAPER), "B": (BLUE, PAPER), "Y": (YELLOW, INK), "G": (GREEN, PAPER)}
CROWN = "m-9 5 v-9 l5 4 l4-7 l4 7 l5-4 v9 z"
# Where the beads of a pit lie, arranged as on a die.
SPOTS: tuple[tuple[tuple[int, int], ...], ...] = (
    (),
    ((0, 0),),
    ((-1, -1), (1, 1)),
    ((-1, -1), (0, 0), (1, 1)),
    ((-1, -1), (1, -1), (-1, 1), (1, 1)),
    ((-1, -1), (1, -1), (0, 0), (-1, 1), (1, 1)),
    ((-1, -1), (1, -1), (-1, 0), (1, 0), (-1, 1), (1, 1)),
)


def pit_place(pit: int) -> tuple[int, int]:
    """Return the column and row of a pit in an 8 x 8 grid, from the top left.

    The inner 6 x 6 places of the grid are the board.
    """
    if pit < 8:
        return pit, 0
    if pit < 15:
        return 7, pit - 7
    if pit < 22:
        return 21 - pit, 7
    return 0, 28 - pit


def turn_caption(name: str, task: str, turns: int, limit: int) -> str:
    """Describe a turn in one line: who does what, and how far the game has come."""
    return f"{name} {task}, turn {turns + 1}{f' of {limit}' if limit else ''}"


def text_board(layout: str, beads: Sequence[int]) -> str:
    """Draw the board with the names of its files and ranks, and the beads around it."""
    grid = [[" "] * 8 for _ in range(8)]
    for pit, count in enumerate(beads):
        column, row = pit_place(pit)
        grid[row][column] = str(count)
    for row, rank in enumerate(layout.split("/"), start=1):
        grid[row][1:7] = list(rank)
    lines = ["      a b c d e f"]
    for row, cells in enumerate(grid):
        name = str(7 - row) if 1 <= row <= 6 else " "
        left, middle, right = cells[0], " ".join(cells[1:7]), cells[7]
        lines.append(f" {name} {left}  {middle}  {right} {name}".rstrip())
        if row in (0, 6):
            lines.append("")
    return "\n".join([*lines, "      a b c d e f"])


def svg_board(
    layout: str,
    beads: Sequence[int],
    caption: Sequence[str],
    kings: bool = False,
    owner: Mapping[str, str] | None = None,
    marked: str | None = None,
) -> str:
    """Draw the board as a picture.

    `caption` is a list of lines. With `kings`, capitals are Kings. `owner` maps a colour to the
    colour that controls it, unless it controls itself. `marked` is the square of a piece to frame.
    """
    parts = [TRAY, *[PITS[pit][count] for pit, count in enumerate(beads)], SQUARES]
    if marked is not None:
        x, y = _corner(6 - int(marked[1]), "abcdef".index(marked[0]))
        parts.append(box(x + 3, y + 3, CELL - 6, CELL - 6, SHINE, 6, INK, 3, "6 3"))
    for row, rank in enumerate(layout.split("/")):
        for file, letter in enumerate(rank):
            if letter != ".":
                colour, king = letter.upper(), kings and letter.isupper()
                piece = PIECES[colour, king, owner.get(colour, "") if owner else ""]
                x, y = _corner(row, file)
                parts.append(f'<g transform="translate({x + 24} {y + 24})"{piece}')
    for i, line in enumerate(caption):
        parts.append(text(SIDE / 2, SIDE + 14 + LINE * i, line, 15 if i == 0 else 13))
    height = SIDE + LINE * len(caption) + 10
    return document(SIDE, height, "; ".join(caption), parts, anchor="middle")


def _corner(row: int, file: int) -> tuple[int, int]:
    """The top left corner of a square; rows count from the top."""
    return MARGIN + (file + 1) * CELL, MARGIN + (row + 1) * CELL


def _names() -> Iterator[str]:
    """The letters of the files and the numbers of the ranks, on both sides."""
    for i in range(6):
        across, down = MARGIN + (i + 1.5) * CELL, MARGIN + (6.5 - i) * CELL
        for y in (MARGIN - 14, SIDE - MARGIN + 23):
            yield text(across, y, "abcdef"[i])
        for x in (MARGIN - 19, SIDE - MARGIN + 19):
            yield text(x, down + 4, i + 1)


def _squares() -> Iterator[str]:
    for row, file in product(range(6), repeat=2):
        fill = SQUARE if (row + file) % 2 else OTHER_SQUARE
        yield box(*_corner(row, file), CELL, CELL, fill, radius=0)
    yield box(*_corner(0, 0), 6 * CELL, 6 * CELL, "none", radius=2, stroke=RIM)


def _piece(colour: str, king: bool, owner: str) -> str:
    """A disc with the letter of its colour, for viewers who cannot tell the colours apart.

    A King has a crown. A piece that another colour controls has that colour's badge. The start of
    the group, with the place of the piece, is left to the caller.
    """
    fill, ink = FILLS[colour]
    parts = [
        ' font-weight="bold">',
        disc(1, 2.5, 18.5, INK, opacity=0.25),
        disc(0, 0, 18, fill, stroke=INK, stroke_width=2),
    ]
    if king:
        parts += [
            disc(0, 0, 14.5, "none", stroke=ink, stroke_width=1.5),
            f'<path d="{CROWN}" transform="translate(0 -3.5)" fill="{ink}"/>',
            text(0, 12, colour, 10, fill=ink),
        ]
    else:
        parts.append(text(0, 5.5, colour, 15, fill=ink))
    if owner:
        badge, badge_ink = FILLS[owner]
        parts += [
            disc(14, 14, 8, badge, stroke=PAPER, stroke_width=1.5),
            text(14, 17.5, owner, 10, fill=badge_ink),
        ]
    return "".join([*parts, "</g>"])


def _pit(pit: int, count: int) -> Iterator[str]:
    """A pit with its beads, and in its corner the number that sowings use."""
    column, row = pit_place(pit)
    x, y = MARGIN + (column + 0.5) * CELL, MARGIN + (row + 0.5) * CELL
    yield f"<g><title>pit {pit}: {counted(count, 'bead')}</title>"
    yield disc(x, y, 19, PIT, stroke=RIM, stroke_width=2)
    for across, down in SPOTS[count]:
        yield disc(x + 8 * across, y + 9 * down, 5, BEAD)
        yield disc(x + 8 * across - 1.5, y + 9 * down - 1.7, 1.6, SHINE)
    yield text(x - 18, y - 15, pit, 9, fill=INK) + "</g>"


# Everything that a board can show is drawn once, at import: pictures join these parts.
TRAY = "\n".join(
    [
        *_names(),
        box(MARGIN - 6, MARGIN - 6, 8 * CELL + 12, 8 * CELL + 12, WOOD, radius=20, stroke=RIM),
    ]
)
PITS = tuple(tuple("\n".join(_pit(pit, count)) for count in range(len(SPOTS))) for pit in range(28))
SQUARES = "\n".join(_squares())
PIECES = {
    (colour, king, owner): _piece(colour, king, owner)
    for colour, king, owner in product(FILLS, (False, True), ("", *FILLS))
}
