"""Random records, mutations of their texts, and what reading such a text must do."""

from __future__ import annotations

import random
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from tablier_client.errors import InvalidRecord
from tablier_client.records import Record, RecordedMove, read_record, write_record

NOTATIONS = (
    "a6-a4",
    "13+1.1",
    "on 3",
    "drop 1 yakaz 5",
    "say received-tokens L2F1D1",
    "take -",
    "7",
)
TEXTS = ("Ann", 'Ben "the box"', "Zoé\u00a0Dupré", "\\", "}", "{[(", "a\\n", "日本語", "👩‍👧", " ")
# What a record is made of, and what could be mistaken for it.
PIECES = (
    *('"', "\\", "{", "}", "(", ")", "[", "]", "[%eval ", "[%clk ", "[%emt ", "?", ":", ". ", "  "),
    *("seat ", "table", "end", "\n", "\n\n", "\r", "\t", "\0", "\u2028", "\ufeff", "\u0660", "é"),
    *("0", "-0", "1e5", "1e999", "-1", "0.10", "NaN", "18446744073709551616", "9" * 400, "[" * 900),
    *('[Seed "1"]\n', '[Viewer "0"]\n', '[Seat3 "x"]\n', '[Seat12 "x"]\n', '[Other "x"]\n'),
    *("Tablier game record 2", '{"a":1,"a":1}', '{"b":1,"a":1}', "99:59:59.999", "0:60:00"),
)


def random_record(chance: random.Random) -> Record:
    """Make a record that uses everything the format has."""
    viewer = chance.choice((None, None, 0, 11))
    return Record(
        game=chance.choice(("contract", "mafia-de-cuba", "contrat500")),
        rules=chance.choice((1, 2**32 - 1)),
        moves=random_line(chance, chance.randrange(8), 0),
        options=chance.choice(({}, {"seats": 4}, {"b": [1.5, True, None], "a": {"é": "}]"}})),
        seed=chance.choice((None, 0, 2**64 - 1)) if viewer is None else None,
        viewer=viewer,
        start=None if viewer is None else chance.choice((None, 1)),
        date=chance.choice((None, datetime(1, 1, 1, tzinfo=UTC) + timedelta(days=700000))),
        players={seat: chance.choice(TEXTS) for seat in range(12) if chance.random() < 0.2},
        scores=chance.choice(((), (1.5, -20.0, 0.1))),
        result=chance.choice(((), (1.0, -1.0), (1 / 3, -0.25))),
        tags=chance.choice(((), (("Event", chance.choice(TEXTS)), ("Seat", "")))),
        comment=chance.choice(("", *TEXTS)),
    )


def random_line(chance: random.Random, length: int, depth: int) -> tuple[RecordedMove, ...]:
    """Make a line of moves, some with variations."""
    return tuple(
        RecordedMove(
            seat=chance.choice((-1, 0, 1, 11)),
            notation=chance.choice((*NOTATIONS, "")),
            values=chance.choice(((), (0.25, -0.25), (1.0,))),
            clock=chance.choice((None, 0, 90_500, 359_999_999)),
            elapsed=chance.choice((None, 7)),
            comment=chance.choice(("", "", *TEXTS, "two\nlines")),
            variations=tuple(
                random_line(chance, chance.randrange(1, 3), depth + 1)
                for _ in range(chance.randrange(3) if depth < 2 and chance.random() < 0.3 else 0)
            ),
        )
        for _ in range(length)
    )


def mutate(text: str, chance: random.Random) -> str | bytes:
    """Make one or a few small changes: near misses pass the first checks."""
    for _ in range(chance.choice((1, 1, 1, 2, 5))):
        text = chance.choice(MUTATIONS)(text, chance)
    if chance.random() < 0.1:
        data = bytearray(text.encode())
        if data:
            data[chance.randrange(len(data))] = chance.randrange(256)
        return bytes(data)
    return text


def insert_piece(text: str, chance: random.Random) -> str:
    at = chance.randrange(len(text) + 1)
    return text[:at] + chance.choice(PIECES) + text[at:]


def replace_part(text: str, chance: random.Random) -> str:
    at = chance.randrange(len(text) + 1)
    return text[:at] + chance.choice(PIECES) + text[at + chance.randrange(6) :]


def remove_part(text: str, chance: random.Random) -> str:
    at = chance.randrange(len(text) + 1)
    return text[:at] + text[at + chance.choice((1, 1, 2, 20)) :]


def copy_part(text: str, chance: random.Random) -> str:
    begin, at = chance.randrange(len(text) + 1), chance.randrange(len(text) + 1)
    return text[:at] + text[begin : begin + chance.randrange(60)] + text[at:]


def change_digit(text: str, chance: random.Random) -> str:
    digits = [at for at, letter in enumerate(text) if letter.isdecimal()]
    if not digits:
        return text
    at = chance.choice(digits)
    return text[:at] + chance.choice("0123456789") + text[at + 1 :]


def swap_lines(text: str, chance: random.Random) -> str:
    lines = text.split("\n")
    one, other = chance.randrange(len(lines)), chance.randrange(len(lines))
    lines[one], lines[other] = lines[other], lines[one]
    return "\n".join(lines)


def truncate(text: str, chance: random.Random) -> str:
    return text[: chance.randrange(len(text) + 1)]


MUTATIONS: tuple[Callable[[str, random.Random], str], ...] = (
    insert_piece,
    replace_part,
    remove_part,
    copy_part,
    change_digit,
    change_digit,
    swap_lines,
    truncate,
)


def check_reading(text: str | bytes) -> bool:
    """Read a text: it is a record, and writing it gives the same text, or the error says where."""
    try:
        record = read_record(text)
    except InvalidRecord as error:
        check_error(error)
        return False
    written = write_record(record)
    assert written == (text if isinstance(text, str) else text.decode())
    return True


def check_error(error: InvalidRecord) -> None:
    """Check that an error has a reason, a field, a line and a column."""
    assert error.reason in ("RECORD_MALFORMED", "RECORD_UNSUPPORTED")
    assert error.field == "record" or error.field.startswith("record.")
    assert error.line > 0
    assert error.column > 0
