"""Text in the form in which it is compared: without case, accents and kinds of dashes."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Generator
from functools import lru_cache
from typing import NamedTuple, TypeAlias, TypeVar

T = TypeVar("T")
# Work that may pause at every `yield` and returns its result.
Work: TypeAlias = Generator[None, None, T]
# How many moves, or parts of a text, are read without a pause.
AT_ONCE = 128
# How many legal moves are named that are near to an unreadable text.
NEAREST = 5

DASHES = dict.fromkeys(
    [*range(0x2010, 0x2016), 0x2212, 0x2E3A, 0x2E3B, 0x30FC, 0xFE58, 0xFE63, 0xFF0D], "-"
)
# "3½" is a number and a word, here and where numbers are searched for.
SPECIAL = str.maketrans({**DASHES, 0xBD: " half ", 0xD7: "x"})
CHUNK = re.compile(r"[^\W_]+")
SPLIT = re.compile(r"([^\W_]+)")
# What JSON and Python write for characters that are not plain; not commands of TeX: "\\text".
ESCAPE = re.compile(
    r"\\(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|t(?!ext|o\b|imes)|n(?!eq)|r(?!ightarrow))"
)
# The mark of a capture between two squares. "*e4* e2" has none.
CAPTURE = re.compile(r"(?<=\d)(?:[x*]| \* )(?=[a-z]\d)")
# Where two numbers meet. What separates the first two can matter, as in "13+1" and "13-1".
FIRST_GAP = re.compile(r"(?<=\d)[^\w]+(?=\d)|(?<=\d)_+(?=\d)")
SEPARATORS = re.compile(r"[\W_]+")
OTHER_GAP = "~"


class Chunk(NamedTuple):
    """Letters and digits without a separator between them."""

    text: str
    stem: str
    gap: str  # what separates it from the chunk before
    after: str  # what separates it from the next chunk


def fold(text: str) -> str:
    """Remove differences that carry no meaning: case, accents, kinds of dashes and of digits."""
    if not text.isascii():
        plain = unicodedata.normalize("NFKD", text.translate(SPECIAL))
        text = "".join([each for each in plain if not unicodedata.combining(each)])
        # What the normalization leaves, such as an en dash from a vertical one.
        text = text.translate(SPECIAL).casefold()
    return text.lower()


def unescape(text: str) -> str:
    """Replace the escapes of JSON and Python by what they stand for."""

    def character(found: re.Match[str]) -> str:
        code = found[1] or found[2]
        return chr(int(code, 16)) if code else " "

    return ESCAPE.sub(character, text) if "\\" in text else text


@lru_cache(maxsize=4096)
def stem(word: str) -> str:
    """A word without the endings that only depend on who acts, and on how many there are."""
    if len(word) < 4 or not word.isalpha():
        return word
    return word.rstrip("s").rstrip("e").rstrip("s") or word


def chunks_of(folded: str) -> list[Chunk]:
    """Split a folded text."""
    # Chunks and what separates them take turns.
    parts = SPLIT.split(CAPTURE.sub(" x ", folded))
    return [
        Chunk(parts[at], stem(parts[at]), parts[at - 1], parts[at + 1])
        for at in range(1, len(parts), 2)
    ]


def gap_kind(gap: str) -> str:
    """What a separator between two numbers says: "+", "-" or nothing in particular."""
    return "+" if "+" in gap else "-" if "-" in gap else OTHER_GAP


def notation_key(notation: str) -> str:
    """A notation without its separators, except for the first one between two numbers.

    "13+0.2.1" and "13 + 0 2 1" have the key "13+021"; "a6-a4" and "A6 a4" have "a6a4".
    """
    folded = fold(notation)
    gap = FIRST_GAP.search(folded)
    if gap is None:
        return SEPARATORS.sub("", folded)
    before, after = folded[: gap.start()], folded[gap.end() :]
    return SEPARATORS.sub("", before) + gap_kind(gap[0]) + SEPARATORS.sub("", after)
