"""The pictures of Contrast: an image painted from its description, and the twelve symbols."""

from __future__ import annotations

import random
from collections.abc import Sequence

INK = "#2b2622"
COLOURS = {"red": "#c93a2b", "yellow": "#e8b81f", "blue": "#2c66b0", "green": "#3d8f4c"}
CANVAS = "#fbf8f1"


def share(first: float, second: float) -> float:
    """Where two opposites balance, from 0 (all second) to 1 (all first)."""
    return first / (first + second) if first + second else 0.5


def between(low: float, high: float, at: float) -> float:
    """The number that lies `at` of the way from low to high."""
    return low + (high - low) * at


def paint(affinities: Sequence[float], seed: int, side: int) -> str:
    """An abstract picture with the described qualities, as an SVG group of a square's side.

    Colours are mixed by their affinities. Large pictures have few big shapes, small ones many
    little ones; heavy shapes sink and are solid, light ones float and let the ground through; thick
    and thin are their outlines, round and square their corners.
    """
    draw = random.Random(seed).random
    red, yellow, blue, green, large, small, heavy, light, thick, thin, bow, corner = affinities
    size, weight = share(large, small), share(heavy, light)
    girth, roundness = share(thick, thin), share(bow, corner)
    # Squares of the affinities, so that the colour that rules is seen to rule.
    mixture = [affinity**2 + 0.001 for affinity in (red, yellow, blue, green)]
    ruling = list(COLOURS.values())[mixture.index(max(mixture))]
    ground = (
        f'<rect width="{side}" height="{side}" fill="{CANVAS}"/>'
        f'<rect width="{side}" height="{side}" fill="{ruling}" opacity="0.13"/>'
    )
    parts = []
    for _ in range(round(between(34, 5, size))):
        width = side * between(0.07, 0.42, size) * between(0.75, 1.25, draw())
        height = width * between(0.8, 1.25, draw())
        x = between(-0.1, 1.1, draw()) * side - width / 2
        # A heavy picture fills from the floor, a light one hangs from the ceiling.
        y = between(draw() ** 2, 1 - draw() ** 2, weight) * (side - height)
        fill = random_colour(mixture, draw())
        bend = 0.5 if draw() < roundness else 0
        parts.append(
            f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}"'
            f' rx="{width * bend:.1f}" ry="{height * bend:.1f}" fill="{fill}"/>'
        )
    solid, outline = between(0.3, 0.95, weight), side * between(0.003, 0.035, girth)
    style = f'fill-opacity="{solid:.2f}" stroke="{INK}" stroke-width="{outline:.1f}"'
    return f"{ground}<g {style}>{''.join(parts)}</g>"


def random_colour(mixture: Sequence[float], at: float) -> str:
    """The colour at a point of the mixture from 0 to 1."""
    left = at * sum(mixture)
    for colour, part in zip(COLOURS.values(), mixture, strict=True):
        left -= part
        if left < 0:
            return colour
    return COLOURS["green"]


def icon(symbol: str) -> str:
    """A symbol around the origin, 20 units wide and high."""
    if symbol in COLOURS:
        return f'<circle r="9" fill="{COLOURS[symbol]}" stroke="{INK}"/>'
    line = f'fill="none" stroke="{INK}" stroke-width="2"'
    return {
        "large": f'<path d="M-9 -9h18v18h-18z" fill="{INK}"/>',
        "small": f'<path d="M-9 -9h18v18h-18z" {line} stroke-dasharray="2 3"/>'
        f'<path d="M-3 -3h6v6h-6z" fill="{INK}"/>',
        "heavy": f'<path d="M-5 -4h10l4 13h-18z" fill="{INK}"/><circle cy="-6" r="3" {line}/>',
        "light": f'<path d="M-8 9C-6 0 -1 -7 9 -9C8 1 2 6 -5 5M-8 9L4 -4" {line}/>',
        "thick": f'<path d="M-10 0h20" stroke="{INK}" stroke-width="9"/>',
        "thin": f'<path d="M-10 0h20" stroke="{INK}" stroke-width="1.2"/>',
        "round": f'<circle r="8.5" {line}/>',
        "square": f'<path d="M-8 -8h16v16h-16z" {line}/>',
    }[symbol]
