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
    side = 8 * CELL + 2 * MARGIN
    parts = [
        *_names(side),
        box(MARGIN - 6, MARGIN - 6, 8 * CELL + 12, 8 * CELL + 12, WOOD, radius=20, stroke=RIM),
    ]
    for pit, count in enumerate(beads):
        parts.extend(_pit(pit, count))
    for row, file in product(range(6), repeat=2):
        parts.extend(_square(row, file, f"{'abcdef'[file]}{6 - row}" == marked))
    inside = MARGIN + CELL
    parts.append(box(inside, inside, 6 * CELL, 6 * CELL, "none", radius=2, stroke=RIM))
    for row, rank in enumerate(layout.split("/")):
        for file, letter in enumerate(rank):
            if letter != ".":
                x, y = MARGIN + (file + 1.5) * CELL, MARGIN + (row + 1.5) * CELL
                king = kings and letter.isupper()
                parts.append(_piece(x, y, letter.upper(), king, owner or {}))
    for i, line in enumerate(caption):
        parts.append(text(side / 2, side + 14 + LINE * i, line, 15 if i == 0 else 13))
    height = side + LINE * len(caption) + 10
    return document(side, height, "; ".join(caption), parts, anchor="middle")


def _names(side: int) -> Iterator[str]:
    """The letters of the files and the numbers of the ranks, on both sides."""
    for i in range(6):
        across, down = MARGIN + (i + 1.5) * CELL, MARGIN + (6.5 - i) * CELL
        for y in (MARGIN - 14, side - MARGIN + 23):
            yield text(across, y, "abcdef"[i])
        for x in (MARGIN - 19, side - MARGIN + 19):
            yield text(x, down + 4, i + 1)


def _square(row: int, file: int, marked: bool) -> Iterator[str]:
    x, y = MARGIN + (file + 1) * CELL, MARGIN + (row + 1) * CELL
    yield box(x, y, CELL, CELL, SQUARE if (row + file) % 2 else OTHER_SQUARE, radius=0)
    if marked:
        frame = {"stroke": INK, "stroke_width": 3, "stroke_dasharray": "6 3"}
        yield box(x + 3, y + 3, CELL - 6, CELL - 6, SHINE, radius=6, **frame)


def _piece(x: float, y: float, colour: str, king: bool, owner: Mapping[str, str]) -> str:
    """A disc with the letter of its colour, for viewers who cannot tell the colours apart.

    A King has a crown. A piece that another colour controls has that colour's badge.
    """
    fill, ink = FILLS[colour]
    parts = [
        f'<g transform="translate({x:g} {y:g})" font-weight="bold">',
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
    if colour in owner:
        badge, badge_ink = FILLS[owner[colour]]
        parts += [
            disc(14, 14, 8, badge, stroke=PAPER, stroke_width=1.5),
            text(14, 17.5, owner[colour], 10, fill=badge_ink),
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
