"""Paints the images of Contrast: abstract pictures with the qualities of their affinities."""

from __future__ import annotations

import random
from collections.abc import Sequence
from functools import cache, lru_cache

from tablier_core.games.contrast.deck import read_deck
from tablier_core.games.contrast.images import AFFINITY_STEPS
from tablier_core.games.contrast.observe import AFFINITIES

COLOURS = {"red": "#c93a2b", "yellow": "#e8b81f", "blue": "#2c66b0", "green": "#3d8f4c"}
# Images have the same colours on every paper: players judge what they look like.
CANVAS, OUTLINE = "#fbf8f1", "#2b2622"
SIDE = 300


@cache
def paint_deck() -> dict[tuple[bytes, int], str]:
    """Paint all images of the built-in deck."""
    deck = [bytes([round(affinity * AFFINITY_STEPS) for affinity in fits]) for fits in read_deck()]
    return {(fits, image): paint(fits, image) for image, fits in enumerate(deck)}


def find_painting(fits: bytes, image: int) -> str:
    """Return the picture of an image, from its part of the deck."""
    found = paint_deck().get((fits, image))
    return paint_other(fits, image) if found is None else found


# The images of other decks. Only the two that everybody sees are ever painted.
@lru_cache(maxsize=120)
def paint_other(fits: bytes, image: int) -> str:
    """Paint an image that is not in the built-in deck."""
    return paint(fits, image)


def paint(fits: bytes, seed: int) -> str:
    """Return the SVG of a picture, SIDE wide and high, from its part of the deck.

    The affinities of colours mix the fills. Large pictures have few big shapes, small ones many
    little shapes. Heavy shapes are solid and sink; light ones float and let the background through.
    Thick and thin set the outlines, round and square the corners.
    """
    draw = random.Random(seed).random
    red, yellow, blue, green, large, small, heavy, light, thick, thin, bow, corner = [
        AFFINITIES[fit] for fit in fits
    ]
    size, weight = balance(large, small), balance(heavy, light)
    girth, roundness = balance(thick, thin), balance(bow, corner)
    # Squaring the affinities lets the strongest colour dominate.
    mixture = [affinity**2 + 0.001 for affinity in (red, yellow, blue, green)]
    dominant = list(COLOURS.values())[mixture.index(max(mixture))]
    background = (
        f'<rect width="{SIDE}" height="{SIDE}" fill="{CANVAS}"/>'
        f'<rect width="{SIDE}" height="{SIDE}" fill="{dominant}" opacity="0.13"/>'
    )
    shapes = []
    for _ in range(round(between(34, 5, size))):
        width = SIDE * between(0.07, 0.42, size) * between(0.75, 1.25, draw())
        height = width * between(0.8, 1.25, draw())
        x = between(-0.1, 1.1, draw()) * SIDE - width / 2
        # Heavy shapes gather at the bottom, light ones at the top.
        y = between(draw() ** 2, 1 - draw() ** 2, weight) * (SIDE - height)
        fill = mix_colour(mixture, draw())
        style = "" if fill == dominant else f' fill="{fill}"'
        if draw() < roundness:
            centre = f'cx="{x + width / 2:.0f}" cy="{y + height / 2:.0f}"'
            radii = f'rx="{width / 2:.0f}" ry="{height / 2:.0f}"'
            shapes.append(f"<ellipse {centre} {radii}{style}/>")
        else:
            path = f"M{x:.0f} {y:.0f}h{width:.0f}v{height:.0f}h{-width:.0f}z"
            shapes.append(f'<path d="{path}"{style}/>')
    opacity, outline = between(0.3, 0.95, weight), SIDE * between(0.003, 0.035, girth)
    colours = f'fill="{dominant}" fill-opacity="{opacity:.2f}" stroke="{OUTLINE}"'
    outlined = f'<g {colours} stroke-width="{outline:.1f}">'
    return f"{background}{outlined}{''.join(shapes)}</g>"


def balance(first: float, second: float) -> float:
    """Return where two opposites balance, from 0 (all second) to 1 (all first)."""
    return first / (first + second) if first + second else 0.5


def between(low: float, high: float, at: float) -> float:
    """Return the number at a fraction of the way from low to high."""
    return low + (high - low) * at


def mix_colour(mixture: Sequence[float], at: float) -> str:
    """Return the colour at a point of the mixture, from 0 to 1."""
    left = at * sum(mixture)
    for colour, part in zip(COLOURS.values(), mixture, strict=True):
        left -= part
        if left < 0:
            return colour
    return COLOURS["green"]
