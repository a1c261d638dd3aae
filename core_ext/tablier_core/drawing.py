"""What the drawings of every game share: the SVG document, text, shapes, colours and wording.

Each picture has its own paper, so that it looks the same on light and dark pages.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from html import escape as escape_markup
from math import hypot
from typing import NamedTuple

from tablier_core.languages import IN_ENGLISH, Language


class Palette(NamedTuple):
    """The colours of every board. A game adds the colours of its own pieces."""

    ink: str
    paper: str
    card: str
    felt: str
    wood: str
    quiet: str
    red: str
    blue: str
    yellow: str
    green: str
    # Marks: parts where a legal move starts, parts of the last move, what a caller points out.
    start: str
    last: str
    mark: str


LIGHT = Palette(
    ink="#2b2622",
    paper="#f4ede1",
    card="#fffdf8",
    felt="#e6dac2",
    wood="#b99f74",
    quiet="#857a6d",
    red="#c0402b",
    blue="#2f6fb3",
    yellow="#e5b52f",
    green="#3d7f49",
    start="#3d7f49",
    last="#b07d00",
    mark="#7a3db8",
)
DARK = Palette(
    ink="#ece4d8",
    paper="#1f1c19",
    card="#37322c",
    felt="#2c2823",
    wood="#6d5a3c",
    quiet="#a2968a",
    red="#e0674f",
    blue="#6ea4dc",
    yellow="#e5b52f",
    green="#6cb078",
    start="#6cb078",
    last="#e5b52f",
    mark="#b98be8",
)
CONTRAST = Palette(
    ink="#000000",
    paper="#ffffff",
    card="#ffffff",
    felt="#ffffff",
    wood="#d9d9d9",
    quiet="#3a3a3a",
    red="#b00000",
    blue="#0033b0",
    yellow="#ffd500",
    green="#006000",
    start="#006000",
    last="#7a4b00",
    mark="#5a00a0",
)


class Look(NamedTuple):
    """How to draw a view: what the person who looks has chosen, and what to point out."""

    language: Language = IN_ENGLISH
    palette: Palette = LIGHT
    # The width of the picture in pixels; 0 lets the page decide.
    width: int = 0
    # The seat at the bottom of a board that has directions. None: as printed on the sheet.
    bottom: int | None = None
    # Names of parts: where legal moves start, the path of the last move, other marks, and arrows
    # from one part to another. Names that are not in the picture are ignored.
    starts: tuple[str, ...] = ()
    last: tuple[str, ...] = ()
    marks: tuple[str, ...] = ()
    arrows: tuple[tuple[str, str], ...] = ()


PLAIN = Look()


def escape(words: str, quote: bool = True) -> str:
    """Text as it is written in a picture; `quote` is for text inside of attributes.

    Pictures are ASCII, and refer to other characters by number. A single character that is not
    would double the time of putting a picture together and sending it.
    """
    escaped = escape_markup(words, quote)
    return escaped if escaped.isascii() else refer(escaped)


def refer(drawn: str) -> str:
    """A drawing with references to all characters that are not ASCII."""
    return drawn.encode("ascii", "xmlcharrefreplace").decode("ascii")


class Block(NamedTuple):
    """Parts drawn at the origin. A game keeps blocks that look the same in many pictures."""

    drawn: str
    places: dict[str, tuple[float, float, float, float]]
    height: float


# The size of text that does not say otherwise.
SIZE = 13
# How far marks and arrows stay from the edge and the middle of a part.
MARK_GAP, ARROW_GAP = 2.0, 10.0


class Picture:
    """A picture in the making: it remembers where its parts are, to mark and to connect them."""

    def __init__(self, look: Look) -> None:
        self.look = look
        # Only then it matters where the parts are.
        self.marked = bool(look.last or look.starts or look.marks or look.arrows)
        self._places: dict[str, tuple[float, float, float, float]] = {}
        self._blocks: list[tuple[float, float, Block]] = []

    def part(
        self,
        name: str,
        x: float,
        y: float,
        width: float,
        height: float,
        drawn: str,
        label: str = "",
    ) -> str:
        """A part of the picture that can be clicked and marked; `label` is for screen readers."""
        self._places[name] = (x, y, width, height)
        spoken = f' aria-label="{escape(label)}"' if label else ""
        return f'<g data-part="{name}"{spoken}>{drawn}</g>'

    def place(self, name: str, x: float, y: float, width: float, height: float) -> None:
        """Note where a part is that was drawn without `part`."""
        self._places[name] = (x, y, width, height)

    def keep(self, drawn: Iterable[str], height: float) -> Block:
        """What has been drawn so far, as a block for other pictures."""
        return Block("".join(drawn), self._places, height)

    def block(self, x: float, y: float, block: Block) -> str:
        """A block in its place; its parts become parts of the picture."""
        self._blocks.append((x, y, block))
        return f'<g transform="translate({x} {y})">{block.drawn}</g>'

    def document(
        self, width: float, height: float, title: str, parts: Iterable[str], anchor: str = "start"
    ) -> str:
        """The whole picture: its parts and marks on paper, with a title for screen readers.

        `anchor` is where text stands relative to its x coordinate unless it says so itself.
        """
        look = self.look
        before, behind = _head(width, height, look.width, look.palette, anchor)
        head = f"{before}{escape(title, quote=False)}{behind}"
        marks = self._marks() if self.marked else ()
        drawn = "\n".join((head, *parts, *marks, "</g></svg>"))
        return drawn if drawn.isascii() else refer(drawn)

    def _marks(self) -> Iterator[str]:
        look = self.look
        places = dict(self._places)
        for left, top, block in self._blocks:
            for name, (x, y, width, height) in block.places.items():
                places[name] = (left + x, top + y, width, height)
        for names, colour, dashes in (
            (look.last, look.palette.last, ""),
            (look.starts, look.palette.start, "5 3"),
            (look.marks, look.palette.mark, ""),
        ):
            for name in names:
                if name in places:
                    yield _mark(*places[name], colour, dashes)
        for start, end in look.arrows:
            if start in places and end in places and start != end:
                yield _arrow(*_middle(*places[start]), *_middle(*places[end]), look.palette.mark)


@lru_cache(maxsize=64)
def _head(
    width: float, height: float, shown: int, colours: Palette, anchor: str
) -> tuple[str, str]:
    """How a document begins, before and behind its title."""
    wide = f' width="{shown}"' if shown else ""
    size = f'width="{width:g}" height="{height:g}"'
    font = f'font-family="system-ui, sans-serif" font-size="{SIZE}" text-anchor="{anchor}"'
    box = f'viewBox="0 0 {width:g} {height:g}"{wide}'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" {box} role="img">\n<title>',
        f'</title>\n<rect {size} rx="14" fill="{colours.paper}"/>\n<g {font} fill="{colours.ink}">',
    )


def _mark(x: float, y: float, width: float, height: float, colour: str, dashes: str) -> str:
    """An outline around a part. Marks take no clicks: those are for the parts below them."""
    dashed = f' stroke-dasharray="{dashes}"' if dashes else ""
    return (
        f'<rect x="{x - MARK_GAP:g}" y="{y - MARK_GAP:g}" width="{width + 2 * MARK_GAP:g}"'
        f' height="{height + 2 * MARK_GAP:g}" rx="6" fill="none" stroke="{colour}"'
        f' stroke-width="3"{dashed} pointer-events="none"/>'
    )


def _middle(x: float, y: float, width: float, height: float) -> tuple[float, float]:
    return x + width / 2, y + height / 2


def _arrow(x1: float, y1: float, x2: float, y2: float, colour: str) -> str:
    """An arrow that stops short of its end."""
    length = hypot(x2 - x1, y2 - y1)
    dx, dy = (x2 - x1) / length, (y2 - y1) / length
    tip_x, tip_y = x2 - ARROW_GAP * dx, y2 - ARROW_GAP * dy
    back_x, back_y = tip_x - 12 * dx, tip_y - 12 * dy
    points = (
        f"{tip_x:.1f},{tip_y:.1f} {back_x - 7 * dy:.1f},{back_y + 7 * dx:.1f}"
        f" {back_x + 7 * dy:.1f},{back_y - 7 * dx:.1f}"
    )
    return (
        f'<g opacity="0.8" pointer-events="none"><line x1="{x1:.1f}" y1="{y1:.1f}"'
        f' x2="{back_x:.1f}" y2="{back_y:.1f}" stroke="{colour}" stroke-width="5"/>'
        f'<polygon points="{points}" fill="{colour}"/></g>'
    )


def attributes(**values: object) -> str:
    """SVG attributes, each with a leading space; `font_size=13` becomes `font-size="13"`."""
    return "".join([f' {name.replace("_", "-")}="{value}"' for name, value in values.items()])


# A picture has hundreds of texts and shapes, and collecting their attributes by name took half the
# time of drawing it. So these three name the attributes that boards need.


def text(
    x: float,
    y: float,
    words: object,
    size: int = SIZE,
    fill: str = "",
    font_weight: str = "",
    font_style: str = "",
    text_anchor: str = "",
) -> str:
    """A line of text; the document's own style applies where none is given."""
    shown = words if isinstance(words, int) else escape(str(words), quote=False)
    style = f' font-size="{size}"' if size != SIZE else ""
    if fill:
        style += f' fill="{fill}"'
    if font_weight:
        style += f' font-weight="{font_weight}"'
    if font_style:
        style += f' font-style="{font_style}"'
    if text_anchor:
        style += f' text-anchor="{text_anchor}"'
    across = f' x="{x:g}"' if x else ""
    return f'<text{across} y="{y:g}"{style}>{shown}</text>'


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
    place = (f' x="{x:g}"' if x else "") + (f' y="{y:g}"' if y else "")
    return (
        f'<rect{place} width="{width:g}" height="{height:g}" rx="{radius:g}" fill="{fill}"{style}/>'
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
    place = (f' cx="{x:g}"' if x else "") + (f' cy="{y:g}"' if y else "")
    return f'<circle{place} r="{radius:g}" fill="{fill}"{style}/>'


def placed(x: float, y: float, drawn: str) -> str:
    """A drawing, moved so that its own origin is at a place: for parts that are drawn once."""
    return f'<g transform="translate({x:g} {y:g})">{drawn}</g>'


def _outline(stroke: str, width: float) -> str:
    return f' stroke="{stroke}"' if width == 1 else f' stroke="{stroke}" stroke-width="{width:g}"'


def counted(number: float, noun: str, form: str = "") -> str:
    """A number of things in words: "1 image", "2 images". `form` formats the number."""
    return f"{number:{form}} {noun if number == 1 else noun + 's'}"
