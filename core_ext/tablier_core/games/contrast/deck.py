"""The built-in deck: how it was generated, and how it is read.

`deck.txt` is the deck. It is part of the rules version: changing it changes the rules. `make_deck`
is the procedure that wrote it, kept to document what the numbers mean; a test checks that it still
produces the same deck.

Each image is generated as follows:

1. One of the four colours dominates (0.4 to 1). Every second image has another visible colour (0.2
   to 0.6). The remaining colours are traces (up to 0.2). So a red picture is rarely also yellow,
   but can be.
2. Every other pair of opposites has a lean, from -1 (all second symbol) to 1 (all first), and a
   strength from 0.4 to 1: how much the picture expresses that pair at all. The two affinities are
   the strength, split by the lean. So a large picture is not small, and a picture can be neither.
   A square root keeps most leans away from the middle, as in pictures chosen for their character.
3. Large pictures tend to be heavy, and heavy ones thick: half of each of those leans comes from the
   pair before.
"""

from __future__ import annotations

import math
import random
from importlib.resources import files

IMAGES = 74
SEED = 2017  # arbitrary


def make_deck() -> list[list[float]]:
    """Generate the deck, with affinities rounded to two decimals."""
    draw = random.Random(SEED).random
    deck = []
    for image in range(IMAGES):
        colours = [0.2 * draw() for _ in range(4)]
        dominant = int(4 * draw())
        colours[dominant] = 0.4 + 0.6 * draw()
        if image % 2:
            colours[(dominant + 1 + int(3 * draw())) % 4] = 0.2 + 0.4 * draw()
        size = 2 * draw() - 1
        weight = (size + 2 * draw() - 1) / 2
        girth = (weight + 2 * draw() - 1) / 2
        shape = 2 * draw() - 1
        qualities = []
        for lean in (size, weight, girth, shape):
            strength = 0.4 + 0.6 * draw()
            pull = math.copysign(math.sqrt(abs(lean)), lean)
            qualities += [strength * (1 + pull) / 2, strength * (1 - pull) / 2]
        deck.append([round(affinity, 2) for affinity in colours + qualities])
    return deck


def read_deck() -> list[list[float]]:
    """Read the built-in deck from its file."""
    text = files(__package__).joinpath("deck.txt").read_text(encoding="ascii")
    return [[float(affinity) for affinity in line.split()] for line in text.splitlines()]
