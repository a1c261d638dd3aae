"""The built-in deck: how its descriptions were made, and how they are read.

`deck.txt` is the deck and belongs to the rules version: a change there is a change of the rules.
`make_deck` is the procedure that wrote it, kept so that anybody can see what the numbers mean; a
test holds the two together.

An image is made like a picture that somebody might have chosen for the box:

1. One of the four colours rules it (0.4 to 1); every other image has a second colour that is seen
   as well (0.2 to 0.6); the others are traces (up to 0.2). So a red picture is seldom also a yellow
   one, and can be.
2. Each other pair of opposites has a lean from -1 (all the second symbol) to 1 (all the first) and
   a voice from 0.4 to 1 that says how much the picture speaks of that pair at all. The two
   affinities are the voice, split by the lean: what is large cannot be small as well, and a
   picture can be neither. A square root keeps most leans away from the middle, as in pictures that
   were picked because they say something.
3. What is large tends to be heavy, and what is heavy thick: half of those leans comes from the
   pair before.
"""

from __future__ import annotations

import math
import random
from importlib.resources import files

IMAGES = 74
SYMBOLS = 12
SEED = 2017  # the year on the sheet; any number would do


def make_deck() -> list[list[float]]:
    """The descriptions, by the procedure above; two decimals each."""
    draw = random.Random(SEED).random
    deck = []
    for image in range(IMAGES):
        colours = [0.2 * draw() for _ in range(4)]
        ruling = int(4 * draw())
        colours[ruling] = 0.4 + 0.6 * draw()
        if image % 2:
            colours[(ruling + 1 + int(3 * draw())) % 4] = 0.2 + 0.4 * draw()
        size = 2 * draw() - 1
        weight = (size + 2 * draw() - 1) / 2
        girth = (weight + 2 * draw() - 1) / 2
        shape = 2 * draw() - 1
        qualities = []
        for lean in (size, weight, girth, shape):
            voice = 0.4 + 0.6 * draw()
            pull = math.copysign(math.sqrt(abs(lean)), lean)
            qualities += [voice * (1 + pull) / 2, voice * (1 - pull) / 2]
        deck.append([round(affinity, 2) for affinity in colours + qualities])
    return deck


def read_deck() -> list[list[float]]:
    """The built-in deck, from its file."""
    text = files(__package__).joinpath("deck.txt").read_text(encoding="ascii")
    return [[float(affinity) for affinity in line.split()] for line in text.splitlines()]
