"""Drawings of a Contigo board inside its ring of pits, for both games: text and SVG."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

CELL = 48
MARGIN = 30
INK, PAPER, SQUARE, OTHER_SQUARE, PIT, BEAD = (
    "#2b2622", "#f4ede1", "#e3d3b5", "#d6c29d", "#b99f74", "#6b4f2a",
)  # fmt: skip


def pit_place(pit: int) -> tuple[int, int]:
    """The column and row of a pit in an 8 x 8 grid whose inner 6 x 6 is the board, from the top."""
    if pit < 8:
        return pit, 0
    if pit < 15:
        return 7, pit - 7
    if pit < 22:
        return 21 - pit, 7
    return 0, 28 - pit


def text_board(layout: str, beads: Sequence[int]) -> str:
    """The board with files and ranks named, and the beads of every pit around it."""
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
    colours: Mapping[str, str],
    caption: str,
) -> str:
    """The board as a picture on its own paper, so that it reads alike on light and dark pages.

    `colours` gives the fill of each piece letter; a capital that has a small twin is a King.
    """
    side = 8 * CELL + 2 * MARGIN
    kings = {letter for letter in colours if letter.isupper() and letter.lower() in colours}
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {side} {side + 30}" role="img">',
        f"<title>{caption}</title>",
        f'<rect width="{side}" height="{side + 30}" rx="14" fill="{PAPER}"/>',
        f'<g font-family="system-ui, sans-serif" font-size="13" text-anchor="middle" fill="{INK}">',
    ]
    for i in range(6):
        across, down = MARGIN + (i + 1.5) * CELL, MARGIN + (6.5 - i) * CELL
        labels: list[tuple[float, float, str]] = [
            *((across, y, "abcdef"[i]) for y in (MARGIN - 10, side - MARGIN + 19)),
            *((x, down + 4, str(i + 1)) for x in (MARGIN - 14, side - MARGIN + 14)),
        ]
        parts.extend(f'<text x="{x:g}" y="{y:g}">{label}</text>' for x, y, label in labels)
    for row, rank in enumerate(layout.split("/")):
        for file, letter in enumerate(rank):
            x, y = MARGIN + (file + 1) * CELL, MARGIN + (row + 1) * CELL
            fill = SQUARE if (row + file) % 2 else OTHER_SQUARE
            parts.append(f'<rect x="{x}" y="{y}" width="{CELL}" height="{CELL}" fill="{fill}"/>')
            if letter != ".":
                parts.append(_piece(x + CELL / 2, y + CELL / 2, colours[letter], letter in kings))
    for pit, count in enumerate(beads):
        column, row = pit_place(pit)
        parts.extend(_pit(MARGIN + (column + 0.5) * CELL, MARGIN + (row + 0.5) * CELL, count))
    parts.append(
        f'<text x="{side / 2:g}" y="{side + 12}" font-size="15">{caption}</text></g></svg>'
    )
    return "\n".join(parts)


def _piece(x: float, y: float, fill: str, king: bool) -> str:
    pawn = f'<circle cx="{x:g}" cy="{y:g}" r="17" fill="{fill}" stroke="{INK}" stroke-width="2"/>'
    if not king:
        return pawn
    # A King is two pawns, one on the other.
    return pawn + (
        f'<circle cx="{x:g}" cy="{y - 5:g}" r="12" fill="{fill}" stroke="{PAPER}"'
        ' stroke-width="3"/>'
    )


def _pit(x: float, y: float, count: int) -> list[str]:
    """A pit with its beads, spread as on a die, and their number for those who do not count."""
    spots = {
        0: (), 1: ((0, 0),), 2: ((-1, -1), (1, 1)), 3: ((-1, -1), (0, 0), (1, 1)),
        4: ((-1, -1), (1, -1), (-1, 1), (1, 1)),
        5: ((-1, -1), (1, -1), (0, 0), (-1, 1), (1, 1)),
        6: ((-1, -1), (1, -1), (-1, 0), (1, 0), (-1, 1), (1, 1)),
    }[count]  # fmt: skip
    return [
        f'<circle cx="{x:g}" cy="{y:g}" r="20" fill="{PIT}"><title>{count}</title></circle>',
        *(
            f'<circle cx="{x + 8 * across:g}" cy="{y + 9 * down:g}" r="4" fill="{BEAD}"/>'
            for across, down in spots
        ),
    ]
