"""Texts compared with the notations of legal moves."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from tablier_core.errors import MoveUnparsable
from tablier_core.interpretation.lexicon import is_label, shared
from tablier_core.interpretation.text import (
    AT_ONCE,
    Chunk,
    Work,
    chunks_of,
    gap_kind,
    notation_key,
)
from tablier_core.position import Game

# The longest notation has fewer chunks, however it is written.
MAX_CHUNKS = 16
ARROWS = ("->", "=>", "\N{RIGHTWARDS ARROW}")
# So many characters of a text decide whether it can go on as a notation.
HEAD = 3
# Games with at most this many moves keep the notations of all of them.
MAX_KEPT = 4096


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
        keys, unmarked, heads = self._keys, self._unmarked, self._heads
        end, found = start, []
        for written, linked, at in joined(chunks, start):
            if len(linked) >= HEAD and linked[:HEAD] not in heads and written[:HEAD] not in heads:
                break
            moves = keys.get(written) or keys.get(linked) or unmarked.get(written)
            if moves:
                end, found = at, moves
        return end, found

    def with_key(self, key: str) -> list[int]:
        """The moves with a key."""
        return self._keys.get(key, [])

    def likeness(self, text: str) -> Work[dict[int, float]]:
        """How many pairs of characters the notations share with a text; without those of none."""
        wanted = pairs(text)
        scores = {}
        for count, (key, indices) in enumerate(self._keys.items()):
            own = pairs(key)
            score = len(own & wanted) / (len(own) + len(wanted))
            if score:
                scores.update(dict.fromkeys(indices, score))
            if count % AT_ONCE == 0:
                yield
        return scores


class Known(NamedTuple):
    """The notations of all moves of a game, legal or not."""

    # By what is left without separators.
    actions: dict[str, int]
    # How keys begin.
    heads: frozenset[str]


@lru_cache(maxsize=32)
def known_notations(game: Game) -> Known:
    """All notations of a game, or none if it has too many moves."""
    if game.num_actions > MAX_KEPT:
        return Known({}, frozenset())
    written = [game.write_move(action) for action in range(game.num_actions)]
    actions = {notation_key(notation): action for action, notation in enumerate(written)}
    return Known(actions, frozenset([key[:HEAD] for key in actions]))


def read_action(game: Game, chunks: Sequence[Chunk]) -> int | None:
    """The move of a game, legal or not, that a text is the notation of in any spelling."""
    known = known_notations(game).actions
    if known:
        keys = keys_of(chunks)
        return next((known[key] for key in keys if key in known), None)
    for notation in spellings(chunks):
        try:
            return game.read_move(notation)
        except MoveUnparsable:
            continue
    return None


def joined(chunks: Sequence[Chunk], start: int) -> Iterator[tuple[str, str, int]]:
    """Yield keys of longer and longer parts of a text, and where each ends.

    The first key has all that is written, the second no words between two squares.
    """
    ways, captures = shared().ways, shared().captures
    written = linked = ""
    has_gap = False
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
        yield written, linked, at + 1


def keys_of(chunks: Sequence[Chunk]) -> tuple[str, ...]:
    """The keys of a whole text; none if it is longer than a notation."""
    found = [keys[:2] for keys in joined(chunks, 0) if keys[2] == len(chunks)]
    return found[0] if found else ()


def pairs(text: str) -> set[str]:
    """The pairs of neighbouring characters in a text, with its first one."""
    return {text[:1], *map("".join, pairwise(text))}


def spellings(chunks: Sequence[Chunk]) -> tuple[str, ...]:
    """The notations that a text can be, but for case, dashes, spaces and words between squares."""
    if not 0 < len(chunks) <= MAX_CHUNKS:
        return ()
    words = shared()
    plain = linked = dotted = chunks[0].text
    link = ""
    has_gap = False
    for chunk in chunks[1:]:
        gap = chunk.gap.strip()
        gap = "-" if gap in ARROWS else gap or " "
        plain += gap + chunk.text
        dotted += ("." if has_gap else gap) + chunk.text
        has_gap = True
        if chunk.stem in words.captures:
            link = "x"
        elif chunk.stem in words.ways:
            link = "-"
        else:
            linked += (link or gap) + chunk.text
            link = ""
    return plain, linked, dotted


def cores(chunks: Sequence[Chunk]) -> Iterator[Sequence[Chunk]]:
    """Yield what can be the notation in a text that has no other content, the longest first.

    Words that mean nothing can be left out at both ends, but are also words of notations: "on" is
    one in "I play on 3". So they are left out one by one, and then those within.
    """
    words = shared()
    idle = [chunk.stem in words.fillers for chunk in chunks]
    first, last = 0, len(chunks)
    while first < last and (idle[first] or is_label(chunks[first])):
        first += 1
    if first == last:
        starts, ends = range(last), range(1, last + 1)
        if last > MAX_CHUNKS:
            return
    else:
        while idle[last - 1]:
            last -= 1
        starts = range(max(0, first - MAX_CHUNKS), first + 1)
        ends = range(last, min(len(chunks), last + MAX_CHUNKS) + 1)
    parts = [(end - start, -start) for start in starts for end in ends if start < end]
    for length, start in sorted(parts, reverse=True):
        core = chunks[-start : length - start]
        yield core
        meant = [
            chunk
            for chunk in core[1:-1]
            if chunk.stem not in words.fillers and chunk.stem not in words.list_words
        ]
        if len(meant) < length - 2:
            yield [core[0], *meant, core[-1]]
