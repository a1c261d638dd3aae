"""Draws the architecture from the code map in ARCHITECTURE.md: docs/pictures/architecture.svg.

Every section of the map is a layer, the first one at the bottom, and every row is a box. Imports go
down, or to the right within a layer. Numbers and the blue line show how a call travels.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from itertools import pairwise

from tablier_core.drawing import LIGHT, PLAIN, Picture, attributes, box, disc, text

from docs.code_map import Row, Section, page, read_map, read_steps

WIDTH = 1120
LEFT, RIGHT = 92, 32  # the left margin has room for the import arrow
TOP = 96
IMPORTS_GO = "imports go down, or to the right in a layer"
COLUMNS = 4
GAP = 24
PADDING = 20
TITLE_HEIGHT = 46
NAME_LINE, ABOUT_LINE = 17, 15
NAME_LETTERS, ABOUT_LETTERS = 24, 31  # that fit into a line of a box
BOX_WIDTH = (WIDTH - LEFT - RIGHT - 2 * PADDING - (COLUMNS - 1) * GAP) / COLUMNS


@dataclass(frozen=True)
class Box:
    """A row of the map at its place in the picture."""

    row: Row
    names: list[str]
    about: list[str]
    x: float
    y: float
    height: float


@dataclass(frozen=True)
class Layer:
    """A section of the map at its place in the picture."""

    section: Section
    boxes: list[Box]
    y: float
    height: float


def short(name: str) -> str:
    """Return a path without its suffix: `rng.*` becomes `rng`."""
    return name if name.endswith("/") else name.rpartition(".")[0]


def wrapped(row: Row) -> tuple[list[str], list[str]]:
    """Break the names and the description of a row into the lines of its box."""
    names, about = ", ".join(map(short, row.names)), row.about.replace("`", "")
    return (
        textwrap.wrap(names, NAME_LETTERS, break_on_hyphens=False),
        textwrap.wrap(about, ABOUT_LETTERS, break_on_hyphens=False),
    )


def height_of(lines: tuple[list[str], list[str]]) -> float:
    """Return the height of a box with these lines."""
    names, about = lines
    return 22 + NAME_LINE * len(names) + ABOUT_LINE * len(about)


def lay_out(section: Section, top: float) -> Layer:
    """Place the rows of a section in a grid. The last row comes first: it may import the others."""
    rows = [row for row in reversed(section.rows) if row.names]
    boxes = []
    y = top + TITLE_HEIGHT
    for start in range(0, len(rows), COLUMNS):
        line = rows[start : start + COLUMNS]
        height = max(height_of(wrapped(row)) for row in line)
        for column, row in enumerate(line):
            x = LEFT + PADDING + column * (BOX_WIDTH + GAP)
            boxes.append(Box(row, *wrapped(row), x, y, height))
        y += height + GAP
    return Layer(section, boxes, top, y - GAP + PADDING - top)


def lay_out_all(sections: Sequence[Section]) -> list[Layer]:
    """Stack the sections, the first one at the bottom."""
    layers, y = [], float(TOP)
    for section in reversed(sections):
        layers.append(lay_out(section, y))
        y += layers[-1].height + GAP
    return layers


def draw_title(layer: Layer) -> str:
    """Draw the title of a layer, with a margin that interrupts lines behind it."""
    section = layer.section
    margin = attributes(
        stroke=LIGHT.felt, stroke_width=8, paint_order="stroke", stroke_linejoin="round"
    )
    quiet = attributes(font_size=13, font_weight="normal", fill=LIGHT.quiet, dx=10)
    start = attributes(x=LEFT + PADDING, y=f"{layer.y + 29:g}", font_size=17, font_weight="bold")
    return (
        f"<text{start}{margin}>"
        f"{escape(section.title)}<tspan{quiet}>{escape(section.about)}</tspan>"
        f'<tspan{quiet} font-family="monospace">{escape(section.folder)}</tspan></text>'
    )


def draw_box(drawn: Box, number: int | None) -> Iterator[str]:
    """Draw a box, with its number if a call visits it."""
    edge = {"stroke": LIGHT.blue, "stroke_width": 2} if number else {"stroke": LIGHT.wood}
    yield box(drawn.x, drawn.y, BOX_WIDTH, drawn.height, LIGHT.card, radius=8, **edge)
    y = drawn.y + 24
    for line in drawn.names:
        yield text(drawn.x + 14, y, line, 14, font_weight="bold")
        y += NAME_LINE
    for line in drawn.about:
        yield text(drawn.x + 14, y, line, 12, fill=LIGHT.quiet)
        y += ABOUT_LINE
    if number:
        x, y = drawn.x + BOX_WIDTH, drawn.y
        yield disc(x - 4, y + 4, 12, LIGHT.blue)
        yield text(
            x - 4, y + 8.5, number, 13, fill=LIGHT.card, text_anchor="middle", font_weight="bold"
        )


def arrow_head(x: float, y: float, dx: int, dy: int, fill: str) -> str:
    """Draw a triangle that points from (x, y) into a direction."""
    side_x, side_y = 6 * dy, 6 * dx
    tip = f"{x + 11 * dx:g},{y + 11 * dy:g}"
    corners = f"{x - side_x:g},{y - side_y:g} {x + side_x:g},{y + side_y:g}"
    return f'<polygon points="{tip} {corners}" fill="{fill}"/>'


def line(path: str, stroke: str, width: float, **more: object) -> str:
    """Draw an open path."""
    style = attributes(stroke=stroke, stroke_width=width, stroke_linejoin="round", **more)
    return f'<path d="{path}" fill="none"{style}/>'


def corners(start: Box, end: Box) -> list[tuple[float, float]]:
    """Return the corners of the way between two boxes, along the gaps of the grid."""
    right = start.x < end.x
    if start.y == end.y:
        y = start.y + start.height / 2
        return [
            (start.x + BOX_WIDTH * right, y),
            (end.x + BOX_WIDTH * (not right), y),
        ]
    below = start.y + start.height + GAP / 2
    if start.y < end.y < below + GAP:
        x, stop = start.x + BOX_WIDTH / 2, end.x + BOX_WIDTH / 2
        return [(x, below - GAP / 2), (x, below), (stop, below), (stop, end.y)]
    # Out on one side, along the gap between two columns, and in on the other side.
    leave = start.y + start.height / 2 + (12 if start.y < end.y else -12)
    enter = end.y + end.height / 2
    gutter = start.x + BOX_WIDTH + GAP / 2 if right else end.x + BOX_WIDTH + GAP / 2
    return [
        (start.x + BOX_WIDTH * right, leave),
        (gutter, leave),
        (gutter, enter),
        (end.x + BOX_WIDTH * (not right), enter),
    ]


def draw_hop(start: Box, end: Box) -> Iterator[str]:
    """Draw the way of a call from one box to the next; dashed on its way back up."""
    way = corners(start, end)
    (x, y), (before_x, before_y) = way[-1], way[-2]
    dx = (x > before_x) - (x < before_x)
    dy = (y > before_y) - (y < before_y)
    way[-1] = (x - 10 * dx, y - 10 * dy)
    path = "M" + "L".join(f"{x:g} {y:g}" for x, y in way)
    yield line(path, LIGHT.blue, 3, stroke_dasharray="7 5" if start.y > end.y else "none")
    yield arrow_head(*way[-1], dx, dy, LIGHT.blue)


def steps_of(boxes: Sequence[Box]) -> list[Box]:
    """Return the boxes that a call visits, in order."""
    found = []
    for number, names in read_steps(page()):
        visited = [one for one in boxes if set(names) & set(one.row.names)]
        if len(visited) != 1:
            raise ValueError(f"step {number} names {len(visited)} rows of the map: {names}")
        found += visited
    return found


def draw() -> str:
    """Draw the whole picture."""
    sections = read_map(page())
    layers = lay_out_all(sections)
    boxes = [one for layer in layers for one in layer.boxes]
    visited = steps_of(boxes)
    numbers = {id(one): number for number, one in enumerate(visited, 1)}
    bottom = layers[-1].y + layers[-1].height
    first = visited[0]
    caller_x = first.x + BOX_WIDTH / 2
    panel = WIDTH - LEFT - RIGHT
    parts = [
        text(LEFT, 44, "Tablier, layer by layer", 22, font_weight="bold"),
        text(LEFT, 68, "Every box is a row of the code map.", 13, fill=LIGHT.quiet),
        *(box(LEFT, layer.y, panel, layer.height, LIGHT.felt, radius=12) for layer in layers),
        line(f"M{caller_x:g} {TOP - 40}V{first.y - 10:g}", LIGHT.blue, 3),
        arrow_head(caller_x, first.y - 10, 0, 1, LIGHT.blue),
        *(part for start, end in pairwise(visited) for part in draw_hop(start, end)),
        *(draw_title(layer) for layer in layers),
        *(part for one in boxes for part in draw_box(one, numbers.get(id(one)))),
        box(caller_x - 44, TOP - 66, 88, 28, LIGHT.blue, radius=14),
        text(
            caller_x,
            TOP - 47,
            "a call",
            14,
            fill=LIGHT.card,
            text_anchor="middle",
            font_weight="bold",
        ),
        line(f"M46 {TOP + 12}V{bottom - 24:g}", LIGHT.ink, 3),
        arrow_head(46, bottom - 24, 0, 1, LIGHT.ink),
        '<g transform="rotate(-90)">',
        text(-(TOP + bottom) / 2, 30, IMPORTS_GO, text_anchor="middle"),
        "</g>",
    ]
    return Picture(PLAIN).document(WIDTH, bottom + 24, "The architecture of Tablier", parts) + "\n"
