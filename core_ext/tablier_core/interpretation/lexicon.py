"""Which words of a language mean the same, and which mean nothing, when people write moves.

The lists below hold for every game and are translated like all texts, so that a new language is one
catalogue. A game adds its own lists (`Telling.synonyms`): of synonyms, of words that a text can do
without, and of words where a sentence can end.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

from tablier_core.interpretation.text import CHUNK, Chunk, fold, stem
from tablier_core.languages import LANGUAGES, Language, catalogue


def fillers(language: Language) -> str:
    """Words that say nothing about which move is meant: articles, labels, politeness."""
    return language.pgettext(
        "reading",
        "a, an, the, to, into, in, towards, on, I, me, my, we, us, let, let's, I'll, I'd, I'm,"
        " will, would, want, like, am, going, go, with, is, this, that, here, think, do, play,"
        " choose, pick, move, answer, final, action, notation, please, ok, okay, sure, so, and,"
        " best",
    )


def list_words(language: Language) -> str:
    """Words that come before the number of a move in a list."""
    return language.pgettext("reading", "number, no, option, choice, item, entry, line")


def number_words(language: Language) -> str:
    """The numbers from 0, as words."""
    return language.pgettext(
        "reading",
        "zero, one, two, three, four, five, six, seven, eight, nine, ten, eleven, twelve,"
        " thirteen, fourteen, fifteen, sixteen",
    )


def ways(language: Language) -> str:
    """Words between the two squares of a move."""
    return language.pgettext("reading", "to, into, towards")


def captures(language: Language) -> str:
    """Words between the two squares of a capture."""
    return language.pgettext("reading", "takes, captures, beats")


def origins(language: Language) -> str:
    """Words, all with the same meaning, before the square where a move begins."""
    return language.pgettext("reading", "from, out of")


# What programs add, in no language.
MARKUP = ("boxed", "json", "text", "markdown", "move", "moves", "answer")
# The first entry of a list of words from which on a sentence can be left out.
REST = "\N{HORIZONTAL ELLIPSIS}"
BRACKETS = re.compile(r"\s*\([^()]*\)")


class Token(NamedTuple):
    """A word in the form in which words are compared, and the chunks that it was read from."""

    text: str
    start: int
    end: int


def split(words: str) -> list[str]:
    """The entries of a list of words."""
    return [word.strip() for word in words.split(",")]


def stems(text: str) -> tuple[str, ...]:
    """The words of a text, each as its stem."""
    return tuple([stem(word) for word in CHUNK.findall(fold(text))])


def stem_set(lists: Iterable[str]) -> frozenset[str]:
    """The stems of all words in lists."""
    return frozenset(word for words in lists for word in stems(words))


class Shared(NamedTuple):
    """The words of all languages that are read alike whatever language a text is in."""

    fillers: frozenset[str]
    list_words: frozenset[str]
    ways: frozenset[str]
    captures: frozenset[str]


@lru_cache(maxsize=1)
def shared() -> Shared:
    """Read the lists of every language."""
    known = [catalogue(tag) for tag in LANGUAGES]
    return Shared(
        stem_set([*map(fillers, known), *MARKUP]),
        stem_set([*map(list_words, known), "n"]),
        stem_set(map(ways, known)),
        stem_set([*map(captures, known), "x"]),
    )


class Lexicon:
    """The words of one language, in one game, for one player."""

    def __init__(self, language: Language, synonyms: Sequence[str], player: str) -> None:
        ignored = shared().fillers
        named = enumerate(map(stems, split(number_words(language))))
        # Where a number is also an article, as "un" in French, nobody can tell which is meant.
        self._numbers = {word: str(n) for n, (word,) in named if word not in ignored}
        # Phrases that are replaced, by their first word, the longest first.
        self._phrases: dict[str, list[tuple[tuple[str, ...], tuple[str, ...]]]] = {}
        rests: list[str] = []
        for group in (*map(split, synonyms), split(origins(language))):
            if group[0] == REST:
                rests += group[1:]
                continue
            # Without a meaning, words are left out.
            meaning = stems(group[0])
            for other in group[1:]:
                self._replace(stems(other), meaning)
        self._rest = re.compile(rf"\b(?:{'|'.join(map(re.escape, rests))})\b.*") if rests else None
        self._subject = tuple([word for word in stems(player) if word not in ignored])
        for known in self._phrases.values():
            known.sort(key=lambda each: -len(each[0]))

    def _replace(self, phrase: tuple[str, ...], meaning: tuple[str, ...]) -> None:
        if phrase and phrase != meaning:
            self._phrases.setdefault(phrase[0], []).append((phrase, meaning))

    def shorten(self, sentence: str) -> set[str]:
        """A sentence without what is in brackets, and also without its rest, if it has any."""
        short = BRACKETS.sub("", sentence) if "(" in sentence else sentence
        return {short, self._rest.sub("", short) if self._rest else short} - {sentence}

    def tokens(self, words: Sequence[str], letters: frozenset[str]) -> list[Token]:
        """Read words: without fillers and the player, and with one word for each meaning.

        `words` are stems. `letters` are single letters that have a meaning in the game.
        """
        numbers, phrases, subject = self._numbers, self._phrases, self._subject
        ignored = shared().fillers
        found: list[Token] = []
        at = 0
        words = [numbers.get(word, word) for word in words]
        while at < len(words):
            word = words[at]
            if subject and word == subject[0] and tuple(words[at : at + len(subject)]) == subject:
                at += len(subject)
                continue
            end = at + 1
            meaning: tuple[str, ...] = (word,)
            for phrase, replacement in phrases.get(word, ()):
                if tuple(words[at : at + len(phrase)]) == phrase:
                    end, meaning = at + len(phrase), replacement
                    break
            found += [
                Token(each, at, end) for each in meaning if each in letters or each not in ignored
            ]
            at = end
        return found


# By language, game and player.
find_lexicon = lru_cache(maxsize=256)(Lexicon)


def is_label(chunk: Chunk) -> bool:
    """Whether a chunk is the number of a line in a list: "1." or "(1)"."""
    return chunk.text.isdecimal() and bool(re.match(r"[.)]", chunk.after))
