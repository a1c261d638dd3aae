"""Reads the text of records.

A record has exactly one text: reading accepts nothing else, so writing what was read gives the same
bytes. Every error names the line, the column and the part of the record.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Generator
from dataclasses import dataclass, field
from datetime import datetime
from typing import NoReturn, TypeVar

from tablier_client.records.forms import duration_text, number_text, options_text
from tablier_client.records.record import (
    END,
    FORMAT_VERSION,
    HIDDEN,
    MAX_CHARACTERS,
    MAX_COMMENT,
    MAX_DEPTH,
    MAX_EXACT,
    MAX_LINE,
    MAX_MILLISECONDS,
    MAX_MOVES,
    MAX_NOTATION,
    MAX_OPTIONS,
    MAX_OTHER_TAGS,
    MAX_RULES,
    MAX_SEATS,
    MAX_SEED,
    MAX_TAG_TEXT,
    TABLE,
    TITLE,
    Record,
    RecordedMove,
    malformed,
    unsupported,
)

T = TypeVar("T")

# Control characters, separators of lines, and halves of pairs that UTF-8 cannot express.
FORBIDDEN = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
VERSION = re.compile(rf"{TITLE} ([1-9][0-9]{{0,8}})", re.ASCII)
TAG = re.compile(r"\[([A-Z][A-Za-z0-9]{0,31}) ", re.ASCII)
SEAT_TAG = re.compile(r"Seat(0|[1-9][0-9]?)", re.ASCII)
TEXT = re.compile(r'"((?:[^"\\]|\\["\\])*)"')
COMMENT = re.compile(r"\{((?:[^\\}]|\\[\\}n])+)\}")
GAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*", re.ASCII)
WHOLE = re.compile(r"0|[1-9][0-9]{0,19}", re.ASCII)
NUMBER = re.compile(r"-?(?:0|[1-9][0-9]{0,15})(?:\.[0-9]{1,20})?(?:e-?[0-9]{1,3})?", re.ASCII)
DATE = re.compile(r"[0-9]{4}(?:-[0-9]{2}){2}T[0-9]{2}(?::[0-9]{2}){2}Z", re.ASCII)
DURATION = re.compile(r"([0-9]{1,2}):([0-5][0-9]):([0-5][0-9])(\.[0-9]{1,3})?", re.ASCII)
MOVE = re.compile(r"([1-9][0-9]{0,4})\. (?:seat (0|[1-9][0-9]?)|(table)): ", re.ASCII)
# One or more words. What begins an annotation, a comment or a variation is not part of a word.
NOTATION = re.compile(r'[^\s\x00-\x20\x7f\[\]{}()"\\?]+(?: [^\s\x00-\x20\x7f\[\]{}()"\\?]+)*')
ESCAPED = re.compile(r"\\(.)")
KNOWN = ("Game", "Rules", "Options", "Seed", "Viewer", "Start", "Date", "Seat", "Scores", "Result")


def read_record(text: str | bytes) -> Record:
    """Read the text of a record; raises InvalidRecord."""
    lines = read_lines(text)
    while True:
        try:
            next(lines)
        except StopIteration as done:
            record: Record = done.value
            return record


def read_lines(text: str | bytes) -> Generator[None, None, Record]:
    """Do the same as `read_record`, with a pause after every line; returns the record."""
    lines = Lines(decode(text))
    read_title(lines)
    yield
    header = Header()
    while lines.text != "":
        read_tag(lines, header)
        yield
    header.check(lines)
    lines.advance("moves")
    comment = ""
    if lines.text.startswith("{"):
        comment = read_comment(Cursor(lines, "comment"))
        lines.advance("moves")
    moves = yield from read_moves(lines)
    if lines.text != END:
        lines.fail("moves", f"expected move {len(moves) + 1}, a variation or `{END}`")
    lines.finish()
    return header.record(moves, comment)


def decode(text: str | bytes) -> str:
    """Return a text; raises InvalidRecord if it is too long, or if bytes are not UTF-8."""
    if isinstance(text, str):
        if len(text) > MAX_CHARACTERS:
            raise malformed("", f"a record has at most {MAX_CHARACTERS} characters")
        return text
    try:
        # No character has more than four bytes.
        return decode(text[: 4 * MAX_CHARACTERS + 4].decode())
    except UnicodeDecodeError as error:
        before = text[: error.start].decode()
        line, column = before.count("\n") + 1, len(before) - before.rfind("\n")
        raise malformed("", "not UTF-8", line, column) from None


class Lines:
    """The lines of a text, one at a time."""

    def __init__(self, text: str) -> None:
        self._text = text
        # Where the next line begins.
        self._at = 0
        self.number = 0
        self.text = ""
        self.moves = 0
        self.advance("")

    def advance(self, part: str) -> None:
        """Go to the next line; raises InvalidRecord if there is none, or if it is not readable."""
        # A line ends with a line break; what follows the last one is not a line.
        end = self._text.find("\n", self._at)
        if end == -1:
            rest = len(self._text) - self._at
            message = "the last line has no line break" if rest else "the record ends too early"
            raise malformed(part, message, self.number + 1, rest + 1)
        self.text = self._text[self._at : end]
        self._at = end + 1
        self.number += 1
        if len(self.text) > MAX_LINE:
            self.fail(part, f"a line has at most {MAX_LINE} characters", MAX_LINE)
        if found := FORBIDDEN.search(self.text):
            code = ord(found[0])
            self.fail(part, f"the character U+{code:04X} is not allowed", found.start())

    def finish(self) -> None:
        """Raise InvalidRecord if there is anything after the current line."""
        if self._at != len(self._text):
            raise malformed("", f"nothing may follow `{END}`", self.number + 1, 1)

    def fail(self, part: str, message: str, at: int = 0) -> NoReturn:
        """Raise InvalidRecord for the current line."""
        raise malformed(part, message, self.number, at + 1)


class Cursor:
    """A place in the current line, and the part of the record that is read there."""

    def __init__(self, lines: Lines, part: str, at: int = 0) -> None:
        self._lines = lines
        self.text = lines.text
        self.number = lines.number
        self.part = part
        self.at = at

    def take(self, pattern: re.Pattern[str], expected: str) -> re.Match[str]:
        """Go past a match of a pattern; raises InvalidRecord if there is none."""
        found = pattern.match(self.text, self.at)
        if found is None:
            self.fail(f"expected {expected}")
        self.at = found.end()
        return found

    def skip(self, text: str) -> bool:
        """Go past a text if it is next, and return whether it was."""
        if self.text.startswith(text, self.at):
            self.at += len(text)
            return True
        return False

    def expect(self, text: str) -> None:
        """Go past a text; raises InvalidRecord if it is not next."""
        if not self.skip(text):
            self.fail(f"expected `{text}`")

    def end(self) -> None:
        """Raise InvalidRecord unless the line ends here."""
        if self.at != len(self.text):
            self.fail("expected the end of the line")

    def fail(self, message: str, at: int | None = None) -> NoReturn:
        """Raise InvalidRecord for this place."""
        self._lines.fail(self.part, message, self.at if at is None else at)


def read_title(lines: Lines) -> None:
    """Read the first line; raises InvalidRecord for another format or version."""
    found = VERSION.fullmatch(lines.text)
    if found is None:
        lines.fail("", f"not a game record: the first line must be `{TITLE} {FORMAT_VERSION}`")
    if int(found[1]) != FORMAT_VERSION:
        message = f"the format has version {found[1]}, and only {FORMAT_VERSION} can be read"
        raise unsupported("", message, 1, found.start(1) + 1)
    lines.advance("Game")


# ---- Tags ----------------------------------------------------------------------------------------


@dataclass
class Header:
    """The tags that were read."""

    values: dict[str, object] = field(default_factory=dict)
    players: dict[int, str] = field(default_factory=dict)
    others: dict[str, str] = field(default_factory=dict)
    # The number of the last tag in KNOWN.
    place: int = -1

    def check(self, lines: Lines) -> None:
        """Raise InvalidRecord if a tag is missing, or if two contradict each other."""
        for name in ("Game", "Rules", "Options", "Result"):
            if name not in self.values:
                lines.fail(name, f"the tag {name} is missing")
        if "Viewer" in self.values and "Seed" in self.values:
            lines.fail("Seed", "a record for a viewer must not contain the seed")
        if "Start" in self.values and "Viewer" not in self.values:
            lines.fail("Start", "only a record for a viewer may have the tag Start")

    def record(self, moves: tuple[RecordedMove, ...], comment: str) -> Record:
        """Return the record with these tags."""
        values = {name.lower(): value for name, value in self.values.items()}
        return Record(
            **values,  # type: ignore[arg-type]
            moves=moves,
            players=self.players,
            tags=tuple(self.others.items()),
            comment=comment,
        )


def read_tag(lines: Lines, header: Header) -> None:
    """Read a line with a tag. Known tags have a fixed order, and all others follow them."""
    cursor = Cursor(lines, "tags")
    name = cursor.take(TAG, 'a tag such as `[Game "contract"]`, or an empty line')[1]
    cursor.part = name
    seat = SEAT_TAG.fullmatch(name)
    known = "Seat" if seat else name
    if (seat is None and name == "Seat") or known not in KNOWN:
        read_other_tag(cursor, name, header)
    else:
        place = KNOWN.index(known)
        if header.others or place < header.place or (place == header.place and not seat):
            cursor.fail(f"the tag {name} is repeated, or too late", 1)
        header.place = place
        if seat:
            number = int(seat[1])
            if number >= MAX_SEATS or number <= max(header.players, default=-1):
                cursor.fail(f"seats go from 0 to {MAX_SEATS - 1}, in this order", 1)
            header.players[number] = read_text(cursor, empty=False)
        else:
            header.values[name] = READERS[name](cursor)
    cursor.expect("]")
    cursor.end()
    lines.advance("tags")


def read_other_tag(cursor: Cursor, name: str, header: Header) -> None:
    """Read a tag that has no meaning here. It is kept."""
    if name in header.others:
        cursor.fail(f"the tag {name} is repeated", 1)
    if len(header.others) >= MAX_OTHER_TAGS:
        cursor.fail(f"there are more than {MAX_OTHER_TAGS} other tags", 1)
    header.others[name] = read_text(cursor)


def read_text(cursor: Cursor, *, empty: bool = True) -> str:
    """Read the text of a tag."""
    begun = cursor.at
    text = ESCAPED.sub(r"\1", cursor.take(TEXT, "a text in double quotes")[1])
    if len(text) > MAX_TAG_TEXT:
        cursor.fail(f"a text has at most {MAX_TAG_TEXT} characters", begun)
    if not text and not empty:
        cursor.fail("must not be empty; omit the tag instead", begun)
    return text


def read_quoted(cursor: Cursor, read: Callable[[Cursor], T]) -> T:
    """Read something between double quotes."""
    cursor.expect('"')
    value = read(cursor)
    cursor.expect('"')
    return value


def read_game(cursor: Cursor) -> str:
    """Read the name of a game."""
    begun = cursor.at
    name = read_quoted(cursor, lambda at: at.take(GAME, "the name of a game")[0])
    if len(name) > MAX_NOTATION:
        cursor.fail(f"a name has at most {MAX_NOTATION} characters", begun)
    return name


def read_whole(cursor: Cursor, maximum: int) -> int:
    """Read a whole number in double quotes."""
    begun = cursor.at + 1
    number = int(read_quoted(cursor, lambda at: at.take(WHOLE, "a whole number")[0]))
    if number > maximum:
        cursor.fail(f"must be at most {maximum}", begun)
    return number


def read_options(cursor: Cursor) -> dict[str, object]:
    """Read options: a JSON object in the form that `options_text` writes."""
    begun = cursor.at
    source = cursor.text[begun:].removesuffix("]")
    if len(source) > MAX_OPTIONS:
        cursor.fail(f"options have at most {MAX_OPTIONS} characters")
    try:
        options = json.loads(source, parse_float=exact_float, parse_int=exact_int)
        canonical = options_text(options) if isinstance(options, dict) else ""
    except (ValueError, RecursionError, OverflowError):
        cursor.fail("expected a JSON object")
    if canonical != source:
        cursor.fail(
            "must be a JSON object without spaces, with its names in order and written once"
        )
    cursor.at = begun + len(source)
    return options  # type: ignore[no-any-return]


def exact_int(text: str) -> int:
    """Read a whole number of JSON; raises ValueError if others could not read it exactly."""
    if len(text) > 17 or abs(int(text)) > MAX_EXACT:
        raise ValueError("the number is too large")
    return int(text)


def exact_float(text: str) -> float:
    """Read a number of JSON; raises ValueError if it is too large."""
    if abs(number := float(text)) > MAX_EXACT:
        raise ValueError("the number is too large")
    return number


def read_date(cursor: Cursor) -> datetime:
    """Read a time in UTC."""
    begun = cursor.at + 1
    text = read_quoted(cursor, lambda at: at.take(DATE, "a time such as 2026-11-18T09:30:00Z")[0])
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        cursor.fail("this time does not exist", begun)


def read_numbers(
    cursor: Cursor, minimum: float = -MAX_EXACT, maximum: float = MAX_EXACT
) -> tuple[float, ...]:
    """Read one number per seat, separated by spaces."""
    numbers: list[float] = []
    while not numbers or cursor.skip(" "):
        begun = cursor.at
        text = cursor.take(NUMBER, "a number")[0]
        number = float(text)
        if not minimum <= number <= maximum:
            cursor.fail(f"must be from {minimum} to {maximum}", begun)
        if number_text(number) != text:
            cursor.fail(f"must be written as {number_text(number)}", begun)
        if len(numbers) == MAX_SEATS:
            cursor.fail(f"there are at most {MAX_SEATS} seats", begun)
        numbers.append(number)
    return tuple(numbers)


def read_result(cursor: Cursor) -> tuple[float, ...]:
    """Read a result: `*`, or one number per seat."""
    return () if cursor.skip("*") else read_numbers(cursor, -1, 1)


READERS: dict[str, Callable[[Cursor], object]] = {
    "Game": read_game,
    "Rules": lambda cursor: read_whole(cursor, MAX_RULES),
    "Options": read_options,
    "Seed": lambda cursor: read_whole(cursor, MAX_SEED),
    "Viewer": lambda cursor: read_whole(cursor, MAX_SEATS - 1),
    "Start": lambda cursor: read_whole(cursor, MAX_SEED),
    "Date": read_date,
    "Scores": lambda cursor: read_quoted(cursor, read_numbers),
    "Result": lambda cursor: read_quoted(cursor, read_result),
}


# ---- Moves ---------------------------------------------------------------------------------------


def read_moves(
    lines: Lines, number: int = 1, depth: int = 0
) -> Generator[None, None, tuple[RecordedMove, ...]]:
    """Read a line of moves with their variations; `number` is that of the first move."""
    indent = "  " * depth
    moves: list[RecordedMove] = []
    while lines.text.startswith(f"{indent}{number + len(moves)}. "):
        move = read_move(Cursor(lines, "moves", len(indent)))
        lines.moves += 1
        if lines.moves > MAX_MOVES:
            lines.fail("moves", f"there are more than {MAX_MOVES} moves")
        lines.advance("moves")
        yield
        variations = []
        while lines.text == f"{indent}(":
            if depth == MAX_DEPTH:
                lines.fail("moves", f"variations are nested more than {MAX_DEPTH} deep")
            lines.advance("moves")
            variations.append((yield from read_moves(lines, number + len(moves), depth + 1)))
            if not variations[-1]:
                lines.fail("moves", f"expected move {number + len(moves)}, indented by two spaces")
            if lines.text != f"{indent})":
                lines.fail("moves", "expected the next move or the end of the variation")
            lines.advance("moves")
        moves.append(with_variations(move, variations) if variations else move)
    return tuple(moves)


def with_variations(move: RecordedMove, variations: list[tuple[RecordedMove, ...]]) -> RecordedMove:
    """Return a move with the lines that could have been played instead."""
    return RecordedMove(
        move.seat,
        move.notation,
        move.values,
        move.clock,
        move.elapsed,
        move.comment,
        tuple(variations),
        move.line,
    )


def read_move(cursor: Cursor) -> RecordedMove:
    """Read a move and its annotations."""
    found = cursor.take(MOVE, "a move such as `1. seat 0: pass`")
    seat = TABLE if found[3] else int(found[2])
    if seat >= MAX_SEATS:
        cursor.fail(f"seats go from 0 to {MAX_SEATS - 1}", found.start(2))
    begun = cursor.at
    notation = "" if cursor.skip(HIDDEN) else cursor.take(NOTATION, "a move")[0]
    if len(notation) > MAX_NOTATION or not notation.isascii():
        cursor.fail(f"a move has at most {MAX_NOTATION} ASCII characters", begun)
    values: tuple[float, ...] = ()
    clock = elapsed = None
    comment = ""
    if cursor.skip(" [%eval "):
        values = read_numbers(cursor, -1, 1)
        cursor.expect("]")
    if cursor.skip(" [%clk "):
        clock = read_duration(cursor)
    if cursor.skip(" [%emt "):
        elapsed = read_duration(cursor)
    if cursor.at < len(cursor.text):
        cursor.expect(" ")
        comment = read_comment(cursor)
    return RecordedMove(seat, notation, values, clock, elapsed, comment, (), cursor.number)


def read_duration(cursor: Cursor) -> int:
    """Read a time in hours, minutes and seconds; returns milliseconds."""
    begun = cursor.at
    found = cursor.take(DURATION, "a time such as 0:01:30")
    seconds = (int(found[1]) * 60 + int(found[2])) * 60 + int(found[3])
    milliseconds = seconds * 1000 + int((found[4] or ".0")[1:].ljust(3, "0"))
    if milliseconds > MAX_MILLISECONDS or duration_text(milliseconds) != found[0]:
        cursor.fail(f"must be written as {duration_text(milliseconds)}", begun)
    cursor.expect("]")
    return milliseconds


def read_comment(cursor: Cursor) -> str:
    """Read a comment, which ends its line."""
    begun = cursor.at
    text = cursor.take(COMMENT, "a comment such as {A good move.}")[1]
    comment = ESCAPED.sub(lambda found: "\n" if found[1] == "n" else found[1], text)
    if len(comment) > MAX_COMMENT:
        cursor.fail(f"a comment has at most {MAX_COMMENT} characters", begun)
    cursor.end()
    return comment
