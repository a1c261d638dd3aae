"""Texts compared with the notations of legal moves."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from tablier_core.interpretation.lexicon import shared
from tablier_core.interpretation.text import (
    AT_ONCE,
    NEAREST,
    Chunk,
    Work,
    chunks_of,
    gap_kind,
    notation_key,
)

# The longest notation has fewer chunks, however it is written.
MAX_CHUNKS = 16
ARROWS = ("->", "=>", "\N{RIGHTWARDS ARROW}")
# So many characters of a text decide whether it can go on as a notation.
HEAD = 3


class Notations:
    """The notations of a seat's legal moves; moves are indices in their list."""

    def __init__(self, notations: Sequence[str]) -> None:
        self.listed = notations
        self.exact = {notation: index for index, notation in enumerate(notations)}
        # By what is left without separators.
        self._keys: dict[str, list[int]] = {}
        # The same without the mark of a capture.
        self._unmarked: dict[str, list[int]] = {}
        # How keys begin.
        self._heads: set[str] = set()
        # By the only number in a notation.
        self.by_number: dict[str, list[int]] = {}
        # Single letters with a meaning, such as columns.
        self.letters: frozenset[str] = frozenset()

    def prepare(self) -> Work[None]:
        """Fill the tables, once."""
        if self._keys:
            return
        letters = set()
        for index, notation in enumerate(self.listed):
            self._keys.setdefault(notation_key(notation), []).append(index)
            words = notation.split()
            letters.update([word for word in words if len(word) == 1])
            numbers = [word for word in words if word.isdecimal()]
            if len(numbers) == 1:
                self.by_number.setdefault(numbers[0], []).append(index)
            if "x" in notation:
                chunks = [chunk.text for chunk in chunks_of(notation)]
                if "x" in chunks:
                    plain = "".join([chunk for chunk in chunks if chunk != "x"])
                    self._unmarked.setdefault(plain, []).append(index)
            if index % AT_ONCE == 0:
                yield
        self.letters = frozenset(letters)
        self._heads = {key[:HEAD] for key in (*self._keys, *self._unmarked)}

    def longest_at(self, chunks: Sequence[Chunk], start: int) -> tuple[int, list[int]]:
        """The longest notation that begins with a chunk: where it ends, and its moves."""
        ways, captures = shared().ways, shared().captures
        keys, unmarked, heads = self._keys, self._unmarked, self._heads
        written = linked = ""
        has_gap = False
        end, found = start, []
        for at in range(start, min(start + MAX_CHUNKS, len(chunks))):
            text, word, gap, _ = chunks[at]
            starts_with_digit = text[0].isdecimal()
            if starts_with_digit and written[-1:].isdecimal() and not has_gap:
                has_gap = True
                written += gap_kind(gap)
                linked += gap_kind(gap)
            # A word between two squares.
            is_link = not starts_with_digit and linked[-1:].isdecimal()
            if is_link and word in captures:
                linked += "x"
            elif not (is_link and word in ways):
                linked += text
            written += text
            if len(linked) >= HEAD and linked[:HEAD] not in heads and written[:HEAD] not in heads:
                break
            moves = keys.get(written) or keys.get(linked) or unmarked.get(written)
            if moves:
                end, found = at + 1, moves
        return end, found

    def nearest(self, text: str) -> Work[list[int]]:
        """The moves whose notations share the most pairs of characters with a text."""
        wanted = pairs(text)
        scored = []
        for count, (key, indices) in enumerate(self._keys.items()):
            own = pairs(key)
            score = len(own & wanted) / (len(own) + len(wanted))
            scored += [(-score, index) for index in indices if score]
            if count % AT_ONCE == 0:
                yield
        return [index for _, index in sorted(scored)[:NEAREST]]


def pairs(text: str) -> set[str]:
    """The pairs of neighbouring characters in a text, with its first one."""
    return {text[:1], *map("".join, pairwise(text))}


def spellings(chunks: Sequence[Chunk]) -> tuple[str, ...]:
    """The notations that a text can be, but for case, dashes, spaces and words between squares."""
    if not 0 < len(chunks) <= MAX_CHUNKS:
        return ()
    words = shared()
    plain = linked = chunks[0].text
    link = ""
    for chunk in chunks[1:]:
        gap = chunk.gap.strip()
        gap = "-" if gap in ARROWS else gap or " "
        plain += gap + chunk.text
        if chunk.stem in words.captures:
            link = "x"
        elif chunk.stem in words.ways:
            link = "-"
        else:
            linked += (link or gap) + chunk.text
            link = ""
    return plain, linked


def trim(chunks: Sequence[Chunk]) -> Sequence[Chunk]:
    """Leave out the words around a move that mean nothing."""
    fillers = shared().fillers
    first, last = 0, len(chunks)
    while first < last and chunks[first].stem in fillers:
        first += 1
    while first < last and chunks[last - 1].stem in fillers:
        last -= 1
    return chunks[first:last]
