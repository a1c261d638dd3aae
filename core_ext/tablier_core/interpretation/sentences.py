"""Texts compared with what legal moves do in words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from tablier_core.interpretation.lexicon import Lexicon, Token
from tablier_core.interpretation.text import AT_ONCE, Chunk, Work, chunks_of, fold

DIGITS = re.compile(r"\d+")
# The words of a sentence, and the indices of the moves that have it.
Keys = dict[tuple[str, ...], list[int]]
# Sentences and the indices of their moves, by their numbers.
Indexed = dict[frozenset[str], list[tuple[int, str]]]


class Sentences:
    """The words of a seat's legal moves in one language.

    Most texts have numbers, and few moves have the same ones. So the sentences are found by their
    numbers, and only those are read word by word.
    """

    def __init__(self, lexicon: Lexicon, player: str, letters: frozenset[str]) -> None:
        self._lexicon = lexicon
        self._player = player
        self._letters = letters
        self._full: Indexed = {}
        self._full_keys: dict[frozenset[str], Keys] = {}
        # Forms of the same sentences that leave something out.
        self._short: Indexed = {}
        self._short_keys: dict[frozenset[str], Keys] = {}

    def add(self, first: int, sentences: Sequence[str]) -> None:
        """Add the sentences of moves, beginning with an index."""
        for index, sentence in enumerate(sentences, first):
            # The number of the seat is not part of what it does.
            done = sentence.removeprefix(self._player)
            self._full.setdefault(numbers_in([done]), []).append((index, done))
            for short in self._lexicon.shorten(done):
                self._short.setdefault(numbers_in([short]), []).append((index, short))

    def tokens(self, chunks: Sequence[Chunk]) -> list[Token]:
        """Read the words of a text."""
        return self._lexicon.tokens([chunk.stem for chunk in chunks], self._letters)

    def find(self, key: tuple[str, ...]) -> Work[list[int]]:
        """The moves whose sentences have these words."""
        keys = yield from self._keys_with(numbers_in(key), self._full, self._full_keys)
        return keys.get(key, [])

    def find_short(self, key: tuple[str, ...]) -> Work[list[int]]:
        """The moves whose sentences have these words if something is left out."""
        keys = yield from self._keys_with(numbers_in(key), self._short, self._short_keys)
        return keys.get(key, [])

    def within(self, numbers: frozenset[str]) -> Work[Keys]:
        """The sentences that have no other numbers than these."""
        found: Keys = {}
        for some in self._full:
            if some <= numbers:
                found.update((yield from self._keys_with(some, self._full, self._full_keys)))
        return found

    def likeness(self, words: Iterable[str]) -> Work[dict[int, float]]:
        """How many words the sentences share with a text; without those that share none."""
        wanted = frozenset(words)
        scores: dict[int, float] = {}
        forms = ((self._full, self._full_keys), (self._short, self._short_keys)) if wanted else ()
        for sentences, known in forms:
            for numbers in sentences:
                for key, indices in (yield from self._keys_with(numbers, sentences, known)).items():
                    own = frozenset(key)
                    score = len(own & wanted) / (len(own) + len(wanted))
                    for index in indices if score else ():
                        scores[index] = max(score, scores.get(index, 0.0))
                yield
        return scores

    def _keys_with(
        self, numbers: frozenset[str], sentences: Indexed, known: dict[frozenset[str], Keys]
    ) -> Work[Keys]:
        found = known.get(numbers)
        if found is None:
            found = {}
            for count, (index, sentence) in enumerate(sentences.get(numbers, ())):
                key = tuple([token.text for token in self.tokens(chunks_of(fold(sentence)))])
                found.setdefault(key, []).append(index)
                if count % (AT_ONCE // 8) == 0:
                    yield
            known[numbers] = found
        return found


def numbers_in(words: Iterable[str]) -> frozenset[str]:
    """All numbers in words."""
    return frozenset(DIGITS.findall(" ".join(words)))
