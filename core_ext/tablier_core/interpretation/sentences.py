"""Texts compared with what legal moves do in words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from tablier_core.interpretation.lexicon import Lexicon, Token
from tablier_core.interpretation.text import AT_ONCE, NEAREST, Chunk, Work, chunks_of, fold

DIGITS = re.compile(r"\d+")
# The words of a sentence, and the indices of the moves that have it.
Keys = dict[tuple[str, ...], list[int]]


class Sentences:
    """The words of a seat's legal moves in one language.

    Most texts have numbers, and few moves have the same ones. So the sentences are found by their
    numbers, and only those are read word by word.
    """

    def __init__(self, lexicon: Lexicon, player: str, letters: frozenset[str]) -> None:
        self._lexicon = lexicon
        self._player = player
        self._letters = letters
        self._by_numbers: dict[frozenset[str], list[tuple[int, str]]] = {}
        self._keys: dict[frozenset[str], Keys] = {}

    def add(self, first: int, sentences: Sequence[str]) -> None:
        """Add the sentences of moves, beginning with an index."""
        for index, sentence in enumerate(sentences, first):
            # The number of the seat is not part of what it does.
            numbers = frozenset(DIGITS.findall(sentence.removeprefix(self._player)))
            self._by_numbers.setdefault(numbers, []).append((index, sentence))

    def tokens(self, chunks: Sequence[Chunk]) -> list[Token]:
        """Read the words of a text."""
        return self._lexicon.tokens([chunk.stem for chunk in chunks], self._letters)

    def find(self, key: tuple[str, ...]) -> Work[list[int]]:
        """The moves whose sentences have these words."""
        keys = yield from self._keys_with(numbers_in(key))
        return keys.get(key, [])

    def within(self, numbers: frozenset[str]) -> Work[Keys]:
        """The sentences that have no other numbers than these."""
        found: Keys = {}
        for some in self._by_numbers:
            if some <= numbers:
                found.update((yield from self._keys_with(some)))
        return found

    def nearest(self, words: Iterable[str]) -> Work[list[int]]:
        """The moves whose sentences share the most words with a text, the nearest first."""
        wanted = frozenset(words)
        scored = []
        for numbers in self._by_numbers if wanted else ():
            for key, indices in (yield from self._keys_with(numbers)).items():
                own = frozenset(key)
                score = len(own & wanted) / (len(own) + len(wanted))
                scored += [(-score, index) for index in indices if score]
            yield
        return [index for _, index in sorted(scored)[:NEAREST]]

    def _keys_with(self, numbers: frozenset[str]) -> Work[Keys]:
        found = self._keys.get(numbers)
        if found is None:
            found = {}
            for count, (index, sentence) in enumerate(self._by_numbers.get(numbers, ())):
                key = tuple([token.text for token in self.tokens(chunks_of(fold(sentence)))])
                found.setdefault(key, []).append(index)
                if count % (AT_ONCE // 8) == 0:
                    yield
            self._keys[numbers] = found
        return found


def numbers_in(words: Iterable[str]) -> frozenset[str]:
    """All numbers in words."""
    return frozenset(DIGITS.findall(" ".join(words)))
