"""Drawings of a Contigo board inside its ring of pits, for both games: text and SVG."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

CELL = 48
MARGIN = 30
LINE = 22  # the height of a line of the caption
INK, PAPER, SQUARE, OTHER_SQUARE, PIT, BEAD, FAINT = (
    "#2b2622", "#f4ede1", "#e3d3b5", "#d6c29d", "#b99f74", "#4a3417", "#8a7350",
)  # fmt: skip
# What a colour's pieces are filled with, and what is written on them.
FILLS = {
    "R": ("#c0402b", PAPER),
    "B": ("#2f6fb3", PAPER),
    "Y": ("#e5b52f", INK),
    "G": ("#3d7f49", PAPER),
}
CROWN = "m-9 5 v-9 l5 4 l4-7 l4 7 l5-4 v9 z"


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
    caption: Sequence[str],
    kings: bool = False,
    owner: Mapping[str, str] | None = None,
    marked: str | None = None,
) -> str:
    """The board as a picture on its own paper, so that it reads alike on light and dark pages.

    `caption` is a list of lines. With `kings`, capitals are Kings. `owner` names the colour that
    controls a colour, where that is not itself, and `marked` the square of a piece to point at.
    """
    side = 8 * CELL + 2 * MARGIN
    height = side + LINE * len(caption) + 8
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {side} {height}" role="img">',
        f"<title>{'; '.join(caption)}</title>",
        f'<rect width="{side}" height="{height}" rx="14" fill="{PAPER}"/>',
        f'<g font-family="system-ui, sans-serif" font-size="13" text-anchor="middle" fill="{INK}">',
        *_names(side),
    ]
    for row, rank in enumerate(layout.split("/")):
        for file, letter in enumerate(rank):
            x, y = MARGIN + (file + 1) * CELL, MARGIN + (row + 1) * CELL
            fill = SQUARE if (row + file) % 2 else OTHER_SQUARE
            parts.append(f'<rect x="{x}" y="{y}" width="{CELL}" height="{CELL}" fill="{fill}"/>')
            if f"{'abcdef'[file]}{6 - row}" == marked:
                parts.append(
                    f'<rect x="{x + 2}" y="{y + 2}" width="{CELL - 4}" height="{CELL - 4}" rx="6"'
                    f' fill="#fffbe8" stroke="{INK}" stroke-width="3" stroke-dasharray="6 3"/>'
                )
            if letter != ".":
                colour = letter.upper()
                king = kings and letter.isupper()
                parts.append(_piece(x + CELL / 2, y + CELL / 2, colour, king, owner or {}))
    for pit, count in enumerate(beads):
        column, row = pit_place(pit)
        parts.extend(_pit(MARGIN + (column + 0.5) * CELL, MARGIN + (row + 0.5) * CELL, pit, count))
    for i, line in enumerate(caption):
        size = 15 if i == 0 else 13
        parts.append(
            f'<text x="{side / 2:g}" y="{side + 12 + LINE * i}" font-size="{size}">{line}</text>'
        )
    return "\n".join([*parts, "</g></svg>"])


def _names(side: int) -> list[str]:
    """The letters of the files and the numbers of the ranks, on both sides."""
    labels: list[tuple[float, float, str]] = []
    for i in range(6):
        across, down = MARGIN + (i + 1.5) * CELL, MARGIN + (6.5 - i) * CELL
        labels.extend((across, y, "abcdef"[i]) for y in (MARGIN - 10, side - MARGIN + 19))
        labels.extend((x, down + 4, str(i + 1)) for x in (MARGIN - 14, side - MARGIN + 14))
    return [f'<text x="{x:g}" y="{y:g}">{label}</text>' for x, y, label in labels]


def _piece(x: float, y: float, colour: str, king: bool, owner: Mapping[str, str]) -> str:
    """A disc with its colour's letter, for those who cannot tell the colours apart.

    A King has a crown; a piece that another colour controls has that colour's badge.
    """
    fill, ink = FILLS[colour]
    parts = [
        f'<g transform="translate({x:g} {y:g})" font-weight="bold">',
        f'<circle r="18" fill="{fill}" stroke="{INK}" stroke-width="2"/>',
    ]
    if king:
        parts += [
            f'<circle r="14.5" fill="none" stroke="{ink}" stroke-width="1.5"/>',
            f'<path d="{CROWN}" transform="translate(0 -3.5)" fill="{ink}"/>',
            f'<text y="12" font-size="10" fill="{ink}">{colour}</text>',
        ]
    else:
        parts.append(f'<text y="5.5" font-size="15" fill="{ink}">{colour}</text>')
    if colour in owner:
        badge, badge_ink = FILLS[owner[colour]]
        parts.append(
            f'<g transform="translate(14 14)"><circle r="8" fill="{badge}" stroke="{PAPER}"'
            f' stroke-width="1.5"/><text y="3.5" font-size="10" fill="{badge_ink}">'
            f"{owner[colour]}</text></g>"
        )
    return "".join([*parts, "</g>"])


def _pit(x: float, y: float, pit: int, count: int) -> list[str]:
    """A pit with its beads, spread as on a die, and in the corner the number that sowings name."""
    spots = {
        0: (), 1: ((0, 0),), 2: ((-1, -1), (1, 1)), 3: ((-1, -1), (0, 0), (1, 1)),
        4: ((-1, -1), (1, -1), (-1, 1), (1, 1)),
        5: ((-1, -1), (1, -1), (0, 0), (-1, 1), (1, 1)),
        6: ((-1, -1), (1, -1), (-1, 0), (1, 0), (-1, 1), (1, 1)),
    }[count]  # fmt: skip
    name = f"<title>pit {pit}: {count}</title>"
    return [
        f'<circle cx="{x:g}" cy="{y:g}" r="19" fill="{PIT}">{name}</circle>',
        *(
            f'<circle cx="{x + 8 * across:g}" cy="{y + 9 * down:g}" r="4" fill="{BEAD}"/>'
            for across, down in spots
        ),
        f'<text x="{x - 19:g}" y="{y - 15:g}" font-size="9" fill="{FAINT}">{pit}</text>',
    ]
