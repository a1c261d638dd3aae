"""What the drawings of every game share: the SVG document, text, shapes, colours and wording.

Each picture has its own paper, so that it looks the same on light and dark pages.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

# The palette of every board. A game adds the colours of its own pieces.
INK = "#2b2622"
PAPER = "#f4ede1"
CARD = "#fffdf8"
FELT = "#e6dac2"
WOOD = "#b99f74"
QUIET = "#857a6d"
RED = "#c0402b"
BLUE = "#2f6fb3"
YELLOW = "#e5b52f"
GREEN = "#3d7f49"


def document(
    width: float, height: float, title: str, parts: Iterable[str], anchor: str = "start"
) -> str:
    """A whole picture: its parts on paper, with a title for screen readers.

    `anchor` is where text stands relative to its x coordinate unless it says so itself.
    """
    size = f'width="{width:g}" height="{height:g}"'
    font = f'font-family="system-ui, sans-serif" font-size="13" text-anchor="{anchor}"'
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" role="img">\n'
        f"<title>{escape(title, quote=False)}</title>\n"
        f'<rect {size} rx="14" fill="{PAPER}"/>\n'
        f'<g {font} fill="{INK}">'
    )
    return "\n".join((head, *parts, "</g></svg>"))


def attributes(**values: object) -> str:
    """SVG attributes, each with a leading space; `font_size=13` becomes `font-size="13"`."""
    return "".join([f' {name.replace("_", "-")}="{value}"' for name, value in values.items()])


# A picture has hundreds of texts and shapes, and collecting their attributes by name took half the
# time of drawing it. So these three name the attributes that boards need.


def text(
    x: float,
    y: float,
    words: object,
    size: int = 13,
    fill: str = "",
    font_weight: str = "",
    font_style: str = "",
    text_anchor: str = "",
) -> str:
    """A line of text; the document's own style applies where none is given."""
    shown = words if isinstance(words, int) else escape(str(words), quote=False)
    style = f' fill="{fill}"' if fill else ""
    if font_weight:
        style += f' font-weight="{font_weight}"'
    if font_style:
        style += f' font-style="{font_style}"'
    if text_anchor:
        style += f' text-anchor="{text_anchor}"'
    return f'<text x="{x:g}" y="{y:g}" font-size="{size}"{style}>{shown}</text>'


def box(
    x: float,
    y: float,
    width: float,
    height: float,
    fill: str,
    radius: float = 4,
    stroke: str = "",
    stroke_width: float = 1,
    stroke_dasharray: str = "",
) -> str:
    """A rectangle with rounded corners."""
    style = _outline(stroke, stroke_width) if stroke else ""
    if stroke_dasharray:
        style += f' stroke-dasharray="{stroke_dasharray}"'
    return (
        f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="{radius:g}"'
        f' fill="{fill}"{style}/>'
    )


def disc(
    x: float,
    y: float,
    radius: float,
    fill: str,
    stroke: str = "",
    stroke_width: float = 1,
    opacity: float = 1,
) -> str:
    """A filled circle."""
    style = _outline(stroke, stroke_width) if stroke else ""
    if opacity != 1:
        style += f' opacity="{opacity}"'
    return f'<circle cx="{x:g}" cy="{y:g}" r="{radius:g}" fill="{fill}"{style}/>'


def placed(x: float, y: float, drawn: str) -> str:
    """A drawing, moved so that its own origin is at a place: for parts that are drawn once."""
    return f'<g transform="translate({x:g} {y:g})">{drawn}</g>'


def _outline(stroke: str, width: float) -> str:
    return f' stroke="{stroke}"' if width == 1 else f' stroke="{stroke}" stroke-width="{width:g}"'


def counted(number: float, noun: str, form: str = "") -> str:
    """A number of things in words: "1 image", "2 images". `form` formats the number."""
    return f"{number:{form}} {noun if number == 1 else noun + 's'}"


def name_seats(numbers: Sequence[int]) -> str:
    """One or more seats in words: "seat 2", "seats 0, 1 and 4"."""
    *others, last = (str(number) for number in numbers)
    return f"seats {', '.join(others)} and {last}" if others else f"seat {last}"
