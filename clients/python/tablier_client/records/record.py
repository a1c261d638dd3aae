"""A game record as data, the words of its text form, and its limits."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

import grpc

from tablier_client.errors import InvalidRecord

FORMAT_VERSION = 1
TITLE = "Tablier game record"
END = "end"
TABLE = -1
# What is written for a move that the viewer of a record did not see.
HIDDEN = "?"

MAX_CHARACTERS = 1 << 20
# In the main line and in all variations together.
MAX_MOVES = 16384
MAX_DEPTH = 8
MAX_SEATS = 12
MAX_NOTATION = 64
MAX_COMMENT = 4096
MAX_OPTIONS = 32768
# Room for the tag of the longest options.
MAX_LINE = MAX_OPTIONS + 64
MAX_OTHER_TAGS = 32
MAX_TAG_TEXT = 1024
MAX_SEED = 2**64 - 1
MAX_RULES = 2**32 - 1
# 99:59:59.999
MAX_MILLISECONDS = 100 * 3600 * 1000 - 1
# Whole numbers up to here are exact in JSON.
MAX_EXACT = 2**53


@dataclass(frozen=True, slots=True)
class RecordedMove:
    """A move of a record, with what was noted about it."""

    seat: int
    """The seat that moved; -1 is the table."""
    notation: str
    """Empty if the viewer of the record did not see the move."""
    values: tuple[float, ...] = ()
    """Evaluation after the move: the expected return of each seat, from -1 to 1."""
    clock: int | None = None
    """Milliseconds left on the clock of the seat."""
    elapsed: int | None = None
    """Milliseconds that the move took."""
    comment: str = ""
    variations: tuple[tuple[RecordedMove, ...], ...] = ()
    """Lines that could have been played instead, starting with another move in place of this."""
    line: int = field(default=0, compare=False, repr=False)
    """Where the move was read, for messages; 0 if it was not read."""


@dataclass(frozen=True, slots=True)
class Record:
    """A whole game, as data. `write_record` writes it as text, and `read_record` reads that."""

    game: str
    rules: int
    """Version of the rules."""
    moves: Sequence[RecordedMove] = ()
    options: Mapping[str, object] = field(default_factory=dict)
    """Options that the game was started with; the others have their defaults."""
    seed: int | None = None
    """Seed of the game; None if it is unknown. A record for a viewer never contains it."""
    viewer: int | None = None
    """Seat that saw what is in the record; None if it contains everything."""
    start: int | None = None
    """In a record for a viewer of a game without hidden information: the smallest seed with the
    same first state."""
    date: datetime | None = None
    """When the game began, in UTC."""
    players: Mapping[int, str] = field(default_factory=dict)
    """Names of players by seat."""
    scores: tuple[float, ...] = ()
    """Points of each seat after the last move."""
    result: tuple[float, ...] = ()
    """Result of each seat, from -1 to 1; empty if the game was not finished."""
    tags: tuple[tuple[str, str], ...] = ()
    """Other tags, by name, in their order."""
    comment: str = ""
    """A comment on the game."""

    @property
    def hidden_moves(self) -> int:
        """Number of moves that the viewer did not see."""
        return sum(1 for move in self.moves if not move.notation)


def walk(moves: Sequence[RecordedMove]) -> Iterator[RecordedMove]:
    """Yield the moves of a line and of all its variations."""
    waiting = [moves]
    while waiting:
        for move in waiting.pop():
            yield move
            waiting.extend(move.variations)


def malformed(field: str, message: str, line: int = 0, column: int = 0) -> InvalidRecord:
    """Make the error for a text that is not a record, or for a record that has no text."""
    return _invalid("RECORD_MALFORMED", field, message, line, column)


def unsupported(field: str, message: str, line: int = 0, column: int = 0) -> InvalidRecord:
    """Make the error for a record of another version."""
    return _invalid("RECORD_UNSUPPORTED", field, message, line, column)


def _invalid(reason: str, field: str, message: str, line: int, column: int) -> InvalidRecord:
    place = f"line {line}, column {column}: " if line else ""
    error = InvalidRecord(
        f"{place}{message}",
        code=grpc.StatusCode.FAILED_PRECONDITION
        if reason == "RECORD_UNSUPPORTED"
        else grpc.StatusCode.INVALID_ARGUMENT,
        reason=reason,
        field=f"record.{field}" if field else "record",
    )
    error.line, error.column = line, column
    return error
