"""Drawings as PNG, by librsvg, which comes with libvips. Needs the extra `tablier[png]`.

The library releases the GIL, so it can draw in a thread while other calls are answered.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Any

from tablier_core.errors import FormatUnavailable, InvalidField

# A picture of this size takes half a second, and little memory: it is compressed line by line.
MAX_PIXELS = 16_000_000
# What a drawing begins with says how large it is.
SIZE = re.compile(r'<svg [^>]*viewBox="0 0 ([\d.]+) ([\d.]+)"( width="\d+")?')
# Fast, and within some per cent of the smallest size.
COMPRESSION = 4
LETTER = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 20"><text y="15">{}</text></svg>'


def draw_png(svg: str, width: int = 0) -> bytes:
    """Draw an SVG document of a game as PNG, this many pixels wide, or as wide as it says.

    Raises FormatUnavailable without the library or any font, and InvalidField for a width that
    makes too many pixels.
    """
    png: bytes = _draw(svg, width).pngsave_buffer(compression=COMPRESSION)
    return png


def draw_pixels(svg: str) -> tuple[int, int, bytes]:
    """Draw an SVG document of a game on white; return its width, its height and RGB bytes by row.

    Raises FormatUnavailable without the library or any font.
    """
    image = _draw(svg, 0).flatten(background=255)
    return image.width, image.height, bytes(image.write_to_memory())


def _draw(svg: str, width: int) -> Any:
    """Draw an SVG document as an image of the library."""
    size = SIZE.match(svg)
    if size is None:
        raise ValueError("not a drawing of a game")
    drawn_width, drawn_height = float(size[1]), float(size[2])
    scale = width / drawn_width if width else 1.0
    pixels = drawn_width * drawn_height * scale * scale
    if pixels > MAX_PIXELS:
        most = int((MAX_PIXELS * drawn_width / drawn_height) ** 0.5)
        raise InvalidField("width", f"must be at most {most} for a PNG of this position")
    plain = svg[: size.start(3)] + svg[size.end(3) :] if size[3] else svg
    return _library().Image.svgload_buffer(plain.encode(), scale=scale)


@cache
def _library() -> Any:
    """The library, ready to draw."""
    try:
        import pyvips
    except ImportError:
        raise FormatUnavailable(
            "format", "PNG needs the package pyvips: pip install 'tablier[png]'"
        ) from None
    # It would remember what it has drawn, so that drawing it again takes less time.
    pyvips.cache_set_max(0)
    # One thread per picture: other cores are for other calls.
    pyvips.concurrency_set(1)
    letters = [pyvips.Image.svgload_buffer(LETTER.format(each).encode()) for each in "iW"]
    if letters[0].write_to_memory() == letters[1].write_to_memory():
        # Without fonts, every letter is the same box.
        raise FormatUnavailable(
            "format", "PNG needs a font on the machine of the service, such as fonts-dejavu-core"
        )
    return pyvips
