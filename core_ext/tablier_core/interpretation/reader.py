"""Reads what people and models write as a legal move of one seat.

A reading explains all of a text: as the notation of a legal move, as its words in a language, as
its number in the list of legal moves, or as words that mean nothing. Whatever is explained only in
part is never a move, but can name candidates.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import Enum
from typing import NamedTuple

from tablier_core.errors import InvalidField, WrongSeat
from tablier_core.interpretation.lexicon import Token, find_lexicon, is_label, shared
from tablier_core.interpretation.notations import (
    HEAD,
    Notations,
    cores,
    joined,
    keys_of,
    known_notations,
    read_action,
    spellings,
)
from tablier_core.interpretation.sentences import Keys, Sentences, numbers_in
from tablier_core.interpretation.structured import Statement, find_statement
from tablier_core.interpretation.text import (
    AT_ONCE,
    NEAREST,
    Chunk,
    Work,
    chunks_of,
    fold,
    unescape,
)
from tablier_core.languages import IN_ENGLISH, LANGUAGES, Language, catalogue
from tablier_core.position import Position

MAX_LENGTH = 2048
# A list of candidates for a person to choose from.
MAX_CANDIDATES = 16
# Reading all sentences costs more than anything else, so it is done only up to this number.
MAX_SENTENCES = 512
# Whole words say more about what is meant than pairs of characters in a notation.
WORDS_COUNT = 2.0
# Longer numbers are not actions, and not in any list.
MAX_DIGITS = 9


class Outcome(Enum):
    """How a text was understood."""

    EXACT = "exact"
    NORMALISED = "normalised"
    AMBIGUOUS = "ambiguous"
    NONE = "none"


class Interpretation(NamedTuple):
    """What a text means.

    `moves` has the one move that was read, the candidates of an ambiguous text, or the legal moves
    that are nearest to an unreadable one. `reason` says why there is no move, where that is known.
    """

    outcome: Outcome
    moves: tuple[int, ...] = ()
    reason: str = ""


class Reading(NamedTuple):
    """Indices of the moves that a text names, and whether that explains all of the text."""

    moves: frozenset[int]
    complete: bool


class Core(NamedTuple):
    """The notation that is all the content of a text: of a legal move, or of one that is not."""

    legal: frozenset[int] = frozenset()
    illegal: int | None = None


NOTHING = Reading(frozenset(), False)


class Reader:
    """Reads texts for one seat of a position. What it finds depends only on what the seat knows."""

    def __init__(self, position: Position, seat: int) -> None:
        """Raise GameOver or WrongSeat if the seat cannot move."""
        self._position, self._seat = position, seat
        self._actions = position.moves(seat)
        if not self._actions:
            position.check_running()
            raise WrongSeat("seat", f"seat {seat} is not to move; to move: {position.actors}")
        self._notations = Notations(position.notations(seat))
        # By language; filled when they are needed.
        self._sentences: list[Sentences] = []

    def _prepare_sentences(self) -> Work[None]:
        if self._sentences:
            return
        game, sentences = self._position.game, []
        for tag in LANGUAGES:
            language = catalogue(tag)
            player = game.player_name(self._seat, language)
            lexicon = find_lexicon(language, game.synonyms(language), player)
            known = Sentences(lexicon, player, self._notations.letters)
            for start in range(0, len(self._actions), AT_ONCE):
                some = self._actions[start : start + AT_ONCE]
                known.add(start, self._position.words(self._seat, language, some))
                yield
            sentences.append(known)
        self._sentences = sentences

    # ---- Whole texts -----------------------------------------------------------------------------

    def read(self, text: str, language: Language = IN_ENGLISH) -> Work[Interpretation]:
        """Interpret a text; raises InvalidField if it is empty or too long."""
        if len(text) > MAX_LENGTH:
            raise InvalidField("text", f"must be at most {MAX_LENGTH} characters")
        if not text.strip():
            raise InvalidField("text", "must not be empty")
        if text in self._notations.exact:
            return self._understood(Outcome.EXACT, [self._notations.exact[text]])
        yield from self._notations.prepare()
        statement = find_statement(text)
        if statement is not None:
            return (yield from self._read_statement(statement, language))
        text = unescape(text)
        chunks = chunks_of(fold(text))
        core = self._find_core(chunks)
        if core.illegal is not None:
            reason = self._position.reason(self._seat, core.illegal, language)
            # Where notations are numbers, a number that is not a legal move may be one of the list.
            if self._is_number(core.illegal):
                listed = self._read_list_number(chunks, core.legal).moves
                if listed:
                    understood = self._understood(Outcome.AMBIGUOUS, sorted(listed))
                    return understood._replace(reason=reason)
            return (yield from self._unreadable(chunks, reason))
        return (yield from self._judge((yield from self._read_chunks(chunks, core.legal)), chunks))

    def _read_statement(self, statement: Statement, language: Language) -> Work[Interpretation]:
        said = [chunk for text in statement.texts for chunk in chunks_of(fold(text))]
        if any(seat.strip() != str(self._seat) for seat in statement.seats):
            reason = language.gettext("The text is about another seat than seat {seat}")
            return (yield from self._unreadable(said, reason.format(seat=self._seat)))
        readings = []
        for action in statement.actions:
            number = int(action) if action.isdecimal() and len(action) <= MAX_DIGITS else -1
            if number not in self._actions:
                return (yield from self._unreadable(said, self._why_not(number, language)))
            readings.append(Reading(frozenset({self._actions.index(number)}), True))
        for text in statement.texts:
            chunks = chunks_of(fold(text))
            core = self._find_core(chunks)
            if core.illegal is not None:
                reason = self._position.reason(self._seat, core.illegal, language)
                return (yield from self._unreadable(said, reason))
            if text in self._notations.exact:
                readings.append(Reading(frozenset({self._notations.exact[text]}), True))
            else:
                readings.append((yield from self._read_chunks(chunks, core.legal)))
        # The prose around an object may give reasons, but must not name another move.
        around = chunks_of(fold(f"{statement.before} ; {statement.after}"))
        moves = set((yield from self._search(around)).moves)
        moves.update(*(reading.moves for reading in readings))
        complete = all(reading.complete for reading in readings)
        return (yield from self._judge(Reading(frozenset(moves), complete), said))

    def _why_not(self, action: int, language: Language) -> str:
        if 0 <= action < self._position.game.num_actions:
            return self._position.reason(self._seat, action, language)
        return language.gettext("There is no action with this number")

    def _find_core(self, chunks: Sequence[Chunk]) -> Core:
        """Find the longest notation in a text that has no other content."""
        game, notations = self._position.game, self._notations
        for core in cores(chunks):
            legal = [index for key in keys_of(core) for index in notations.with_key(key)]
            legal += [notations.exact[text] for text in spellings(core) if text in notations.exact]
            if legal:
                return Core(legal=frozenset(legal))
            action = read_action(game, core)
            if action is not None and not (is_numbered(chunks) and self._is_number(action)):
                return Core(illegal=action)
        return Core()

    def _is_number(self, action: int) -> bool:
        return self._position.game.write_move(action).isdecimal()

    def _judge(self, reading: Reading, chunks: Sequence[Chunk]) -> Work[Interpretation]:
        if reading.complete and len(reading.moves) == 1:
            return self._understood(Outcome.NORMALISED, reading.moves)
        if reading.moves:
            return self._understood(Outcome.AMBIGUOUS, sorted(reading.moves)[:MAX_CANDIDATES])
        return (yield from self._unreadable(chunks, ""))

    def _understood(self, outcome: Outcome, indices: Iterable[int]) -> Interpretation:
        return Interpretation(outcome, tuple([self._actions[index] for index in indices]))

    def _unreadable(self, chunks: Sequence[Chunk], reason: str) -> Work[Interpretation]:
        """Name the moves that share the most with a text, in words and in notation."""
        scores = yield from self._notations.likeness("".join([chunk.text for chunk in chunks]))
        if len(self._actions) <= MAX_SENTENCES:
            yield from self._prepare_sentences()
            worded: dict[int, float] = {}
            for known in self._sentences:
                words = [token.text for token in known.tokens(chunks)]
                for index, score in (yield from known.likeness(words)).items():
                    worded[index] = max(score, worded.get(index, 0.0))
            for index, score in worded.items():
                scores[index] = scores.get(index, 0.0) + WORDS_COUNT * score
        nearest = sorted(scores, key=lambda index: (-scores[index], index))[:NEAREST]
        return self._understood(Outcome.NONE, nearest)._replace(reason=reason)

    # ---- Readings --------------------------------------------------------------------------------

    def _read_chunks(self, chunks: Sequence[Chunk], noted: frozenset[int]) -> Work[Reading]:
        """Read a text as notations, as a list number or as words.

        `noted` has the moves whose notation may be all that the text says.
        """
        number = self._read_list_number(chunks, noted)
        notation = yield from self._cover(chunks, [], {})
        listed = self._notations.listed
        if notation.complete and not all(listed[index].isdecimal() for index in notation.moves):
            number = NOTHING
        if number.complete:
            return Reading(number.moves | notation.moves, True)
        if notation.complete and len(notation.moves) == 1:
            return notation
        yield from self._prepare_sentences()
        for find in (Sentences.find, Sentences.find_short):
            whole: set[int] = set()
            for known in self._sentences:
                tokens = known.tokens(chunks)
                key = tuple([token.text for token in tokens])
                whole.update((yield from find(known, key)))
                if key and tokens[0].start == 0 and is_label(chunks[0]):
                    whole.update((yield from find(known, key[1:])))
            if whole:
                return Reading(frozenset(whole), True)
        return notation if notation.complete else (yield from self._search(chunks))

    def _read_list_number(self, chunks: Sequence[Chunk], noted: frozenset[int]) -> Reading:
        """Read the number of a move in the list of legal moves, from 1."""
        words = shared()
        numbers = [chunk.text for chunk in chunks if chunk.text.isdecimal()]
        others = [chunk.stem for chunk in chunks if not chunk.text.isdecimal()]
        marks = [word for word in others if word in words.list_words]
        unknown = [word for word in others if word not in words.fillers and word not in marks]
        if len(numbers) != 1 or len(numbers[0]) > MAX_DIGITS or unknown:
            return NOTHING
        moves: set[int] = set()
        if not marks and not is_numbered(chunks):
            # A number alone may also be all that somebody writes of "bid 5".
            moves.update(self._notations.by_number.get(numbers[0], ()))
        if 1 <= int(numbers[0]) <= len(self._actions):
            moves.add(int(numbers[0]) - 1)
        moves.update([index for index in noted if not self._notations.listed[index].isdecimal()])
        return Reading(frozenset(moves), bool(moves))

    def _search(self, chunks: Sequence[Chunk]) -> Work[Reading]:
        """Find all notations and sentences in a text."""
        yield from self._prepare_sentences()
        readings = []
        for known in self._sentences:
            tokens = known.tokens(chunks)
            keys = yield from known.within(numbers_in([token.text for token in tokens]))
            readings.append((yield from self._cover(chunks, tokens, keys)))
        readings = [reading for reading in readings if reading.complete] or readings
        moves: set[int] = set()
        moves.update(*(reading.moves for reading in readings))
        return Reading(frozenset(moves), readings[0].complete)

    def _cover(self, chunks: Sequence[Chunk], tokens: Sequence[Token], keys: Keys) -> Work[Reading]:
        """Explain chunks from left to right, each time by the longest notation or sentence.

        `tokens` are the words of the chunks, and `keys` the sentences to look for.
        """
        fillers = shared().fillers
        starts = {token.start: number for number, token in reversed(list(enumerate(tokens)))}
        meaningful = {at for token in tokens for at in range(token.start, token.end)}
        lengths = sorted({len(key) for key in keys if key}, reverse=True)
        moves: set[int] = set()
        complete = True
        at = 0
        for step in range(len(chunks)):
            if at == len(chunks):
                break
            end, found = self._notations.longest_at(chunks, at)
            for length in lengths if at in starts else ():
                part = tokens[starts[at] : starts[at] + length]
                meant = keys.get(tuple([token.text for token in part]))
                if meant is not None:
                    if part[-1].end > end:
                        end, found = part[-1].end, meant
                    elif part[-1].end == end:
                        found = [*found, *meant]
                    break
            if found:
                moves.update(found)
                at = end
            else:
                known = chunks[at].stem in fillers or (tokens and at not in meaningful)
                complete &= bool(known) or (not moves and is_label(chunks[at]))
                complete = complete and not self._names_illegal(chunks, at)
                at += 1
            if step % (AT_ONCE // 8) == 0:
                yield
        return Reading(frozenset(moves), complete and bool(moves))

    def _names_illegal(self, chunks: Sequence[Chunk], at: int) -> bool:
        """Whether the notation of an illegal move begins with a chunk that means nothing alone."""
        known = known_notations(self._position.game)
        for written, _, _ in joined(chunks, at):
            if len(written) >= HEAD and written[:HEAD] not in known.heads:
                break
            action = known.actions.get(written)
            if action is not None and not self._is_number(action):
                return True
        return False


def is_numbered(chunks: Sequence[Chunk]) -> bool:
    """Whether a text is certainly about a number in a list: "#3"."""
    return any("#" in chunk.gap and chunk.text.isdecimal() for chunk in chunks)
