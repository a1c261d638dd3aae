"""Drawings as PNG."""

from __future__ import annotations

import os
import struct
import subprocess
import sys
from pathlib import Path

import pytest
from tablier_core import png
from tablier_core.drawing import DARK, Look
from tablier_core.errors import FormatUnavailable, InvalidField
from tablier_core.png import MAX_PIXELS, draw_png
from tablier_core.registry import GAMES

every_game = pytest.mark.parametrize("name", sorted(GAMES))
NO_FONTS = """<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig><dir>{0}/none</dir><cachedir>{0}/cache</cachedir></fontconfig>
"""
TRY = """
from tablier_core.errors import FormatUnavailable
from tablier_core.png import draw_png
from tablier_core.registry import GAMES
try:
    draw_png(GAMES["contigo-capture"].start({}, 1).draw_svg())
except FormatUnavailable as error:
    print(error.field, error.message)
"""


def size_of(image: bytes) -> tuple[int, int]:
    """The width and height that the header of a PNG contains."""
    assert image.startswith(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR")
    width, height = struct.unpack(">II", image[16:24])
    return width, height


@every_game
@pytest.mark.parametrize("look", [Look(), Look(palette=DARK, width=360)], ids=["plain", "dark"])
def test_draws_every_game(name: str, look: Look):
    svg = GAMES[name].start({}, 1).draw_svg(0, look)
    natural_width, natural_height = size_of(draw_png(svg))
    assert f'viewBox="0 0 {natural_width} {natural_height}"' in svg
    width, height = size_of(draw_png(svg, 600))
    assert width == 600
    assert abs(height - 600 * natural_height / natural_width) <= 1


def test_what_is_drawn_depends_on_the_picture():
    position = GAMES["contigo-alignment"].start({"first": 0}, 1)
    moved = position.apply(0, position.moves(0)[0])
    first, other = position.draw_svg(), moved.draw_svg()
    assert draw_png(first) == draw_png(first)
    assert draw_png(first) != draw_png(other)


def test_limits_the_pixels():
    tall = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 400"></svg>'
    most = int((MAX_PIXELS / 4) ** 0.5)
    assert size_of(draw_png(tall, most)) == (most, 4 * most)
    with pytest.raises(InvalidField, match=f"at most {most}") as caught:
        draw_png(tall, most + 1)
    assert caught.value.field == "width"


def test_says_what_to_install(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "pyvips", None)
    png._library.cache_clear()
    with pytest.raises(FormatUnavailable, match=r"pip install 'tablier\[png\]'") as caught:
        draw_png(GAMES["contigo-alignment"].start({}, 1).draw_svg())
    assert caught.value.field == "format"
    monkeypatch.undo()
    assert draw_png(GAMES["contigo-alignment"].start({}, 1).draw_svg())


def test_says_that_a_font_is_missing(tmp_path: Path):
    fonts = tmp_path / "fonts.conf"
    fonts.write_text(NO_FONTS.format(tmp_path))
    environment = {**os.environ, "FONTCONFIG_FILE": str(fonts)}
    tried = subprocess.run(
        [sys.executable, "-c", TRY], env=environment, capture_output=True, text=True, check=True
    )
    assert "format PNG needs a font" in tried.stdout
