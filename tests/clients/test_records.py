"""Game records: what their text looks like, and that reading it is strict and safe."""

from __future__ import annotations

import random
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from tablier_client.errors import InvalidRecord
from tablier_client.records import Record, RecordedMove, read_record, write_record
from tablier_client.records.record import MAX_CHARACTERS, MAX_DEPTH, MAX_MOVES

from tests.clients.mutated_records import check_reading, mutate, random_record

TEXT = """\
Tablier game record 1
[Game "contrast"]
[Rules "1"]
[Options {"expert":true,"seats":3}]
[Seed "7"]
[Date "2026-11-18T09:30:00Z"]
[Seat0 "Ann"]
[Seat2 "Ben \\"the box\\""]
[Scores "1 0 0.5"]
[Result "1 -1 -1"]
[Event "A Sunday"]

{The first game.}
1. seat 0: red
2. seat 1: large [%eval 0.25 -0.5 0.25] [%clk 0:01:30.5] [%emt 0:00:02] {Not \\{blue\\}?}
(
  2. seat 1: blue {Better.}
  3. seat 2: thin
)
(
  2. seat 2: thin
)
3. table: exclude
end
""".replace("\\{", "{")

RECORD = Record(
    game="contrast",
    rules=1,
    options={"seats": 3, "expert": True},
    seed=7,
    date=datetime(2026, 11, 18, 9, 30, tzinfo=UTC),
    players={0: "Ann", 2: 'Ben "the box"'},
    scores=(1, 0, 0.5),
    result=(1, -1, -1),
    tags=(("Event", "A Sunday"),),
    comment="The first game.",
    moves=(
        RecordedMove(0, "red"),
        RecordedMove(
            1,
            "large",
            (0.25, -0.5, 0.25),
            90_500,
            2_000,
            "Not {blue}?",
            (
                (RecordedMove(1, "blue", comment="Better."), RecordedMove(2, "thin")),
                (RecordedMove(2, "thin"),),
            ),
        ),
        RecordedMove(-1, "exclude"),
    ),
)


def test_a_record_has_one_text():
    assert write_record(RECORD) == TEXT
    assert read_record(TEXT) == RECORD
    assert read_record(TEXT.encode()) == RECORD


def test_a_move_that_a_viewer_did_not_see_is_a_question_mark():
    record = Record("contrast", 1, (RecordedMove(0, ""),), viewer=1)
    assert "\n1. seat 0: ?\n" in write_record(record)
    assert read_record(write_record(record)) == record
    assert record.hidden_moves == 1


def changed(old: str, new: str) -> str:
    assert old in TEXT
    return TEXT.replace(old, new, 1)


@pytest.mark.parametrize(
    ("text", "field", "line", "column"),
    [
        ("", "record", 1, 1),
        ("PGN\n", "record", 1, 1),
        (changed("Tablier", "\ufeffTablier"), "record", 1, 1),
        (changed("\n", "\r\n"), "record", 1, 22),
        (changed('"contrast"', '"Contrast"'), "record.Game", 2, 8),
        (changed('[Rules "1"]\n', ""), "record.Rules", 11, 1),
        (changed('"1"', '"01"'), "record.Rules", 3, 10),
        (changed(":true", ": true"), "record.Options", 4, 10),
        (changed('"expert":true,"seats":3', '"seats":3,"expert":true'), "record.Options", 4, 10),
        (changed('"seats":3', '"seats":3.0'), "record.Options", 4, 10),
        (changed('"seats":3', '"seats":NaN'), "record.Options", 4, 10),
        (changed('{"expert":true,"seats":3}', "[" * 30000), "record.Options", 4, 10),
        (changed('"7"', '"-7"'), "record.Seed", 5, 8),
        (changed('"7"', f'"{2**64}"'), "record.Seed", 5, 8),
        (changed('[Seed "7"]', '[Seed "7"]\n[Seed "7"]'), "record.Seed", 6, 2),
        (changed("[Date", '[Viewer "1"]\n[Date'), "record.Seed", 13, 1),
        (changed("11-18", "02-30"), "record.Date", 6, 8),
        (changed("Seat2", "Seat0"), "record.Seat0", 8, 2),
        (changed("Seat2", "Seat12"), "record.Seat12", 8, 2),
        (changed('"Ann"', '""'), "record.Seat0", 7, 8),
        (changed("0.5", "0.50"), "record.Scores", 9, 14),
        (changed("1 -1 -1", "1 -2 -1"), "record.Result", 10, 12),
        (changed("[Event", "[event"), "record.tags", 11, 1),
        (changed("A Sunday", "A\\Sunday"), "record.Event", 11, 8),
        (changed("first", "x" * 40000), "record.moves", 13, 32833),
        (changed("first", "x" * 5000), "record.comment", 13, 1),
        (changed("first", "fi\x1brst"), "record.moves", 13, 8),
        (changed("1. seat 0", "2. seat 0"), "record.moves", 14, 1),
        (changed("seat 0: red", "seat 12: red"), "record.moves", 14, 9),
        (changed(": red", ": re(d"), "record.moves", 14, 14),
        (changed("0.25 -0.5", "0.25  -0.5"), "record.moves", 15, 30),
        (changed("0:01:30.5]", "0:01:30.50]"), "record.moves", 15, 47),
        (changed("  3. seat", " 3. seat"), "record.moves", 18, 1),
        (changed("table", "nobody"), "record.moves", 23, 1),
        (changed("end\n", ""), "record.moves", 24, 1),
        (changed("end\n", "end"), "record.moves", 24, 4),
        (TEXT + "\n", "record", 25, 1),
        (TEXT.encode().replace(b"Sunday", b"\xff"), "record", 11, 11),
        (TEXT.encode().replace(b"Sunday", "日".encode() + b"\xff"), "record", 11, 12),
    ],
)
def test_an_error_says_what_is_wrong_and_where(
    text: str | bytes, field: str, line: int, column: int
):
    with pytest.raises(InvalidRecord) as failure:
        read_record(text)
    error = failure.value
    assert (error.reason, error.field) == ("RECORD_MALFORMED", field)
    assert (error.line, error.column) == (line, column), error.message
    assert error.message.startswith(f"line {line}, column {column}: ")


def test_a_newer_format_is_unsupported():
    with pytest.raises(InvalidRecord, match="version 2") as failure:
        read_record(changed("record 1", "record 2"))
    assert failure.value.reason == "RECORD_UNSUPPORTED"


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"seed": -1}, "Seed"),
        ({"game": 'x"]'}, "Game"),
        ({"comment": "a\0b"}, "not allowed"),
        ({"comment": "\ud800"}, "not allowed"),
        ({"tags": (("Seed", "8"),)}, "Seed"),
        ({"tags": (("Event", "x\n"),)}, "Event"),
        ({"date": datetime(2026, 1, 1)}, "cannot express"),
        ({"date": datetime(2026, 1, 1, 0, 0, 0, 5, tzinfo=UTC)}, "cannot express"),
        ({"options": {"seats": float("nan")}}, "wrong type"),
        ({"options": {"seats": {1}}}, "wrong type"),
        ({"moves": (RecordedMove(0, "a\nend"),)}, "nothing may follow"),
        ({"moves": (RecordedMove(0, "?"),)}, "cannot express"),
        ({"moves": (RecordedMove(-2, "red"),)}, "moves"),
        ({"moves": (RecordedMove(0, "red", (2.0,)),)}, "moves"),
        ({"moves": (RecordedMove(0, "red", clock=-1),)}, "moves"),
        ({"viewer": 1}, "seed"),
    ],
)
def test_a_record_without_a_text_cannot_be_written(changes: dict[str, Any], message: str):
    with pytest.raises(InvalidRecord, match=message):
        write_record(replace(RECORD, **changes))


def test_dates_are_written_in_utc():
    date = datetime(2026, 11, 18, 10, 30, tzinfo=timezone(timedelta(hours=1)))
    assert write_record(replace(RECORD, date=date)) == TEXT


def nested(depth: int) -> tuple[RecordedMove, ...]:
    variations = (nested(depth - 1),) if depth else ()
    return (RecordedMove(0, "red", variations=variations),)


def test_sizes_are_limited():
    line = (RecordedMove(0, "red"),) * MAX_MOVES
    assert len(read_record(write_record(Record("contrast", 1, line))).moves) == MAX_MOVES
    with pytest.raises(InvalidRecord, match="more than 16384 moves"):
        write_record(Record("contrast", 1, (*line, RecordedMove(0, "red"))))
    assert write_record(Record("contrast", 1, nested(MAX_DEPTH)))
    with pytest.raises(InvalidRecord, match="nested more than 8 deep"):
        write_record(Record("contrast", 1, nested(MAX_DEPTH + 1)))
    for oversized in ("x" * (MAX_CHARACTERS + 1), b"x" * (4 * MAX_CHARACTERS + 1)):
        with pytest.raises(InvalidRecord, match="at most"):
            read_record(oversized)


@pytest.mark.parametrize("seed", range(200))
def test_writing_what_was_read_gives_the_same_text(seed: int):
    record = random_record(random.Random(seed))
    text = write_record(record)
    assert read_record(text) == record
    assert check_reading(text)


def test_mutated_records_are_rejected_with_a_typed_error_or_read_exactly():
    chance = random.Random(1)
    texts = [write_record(random_record(chance)) for _ in range(100)]
    accepted = sum(check_reading(mutate(chance.choice(texts), chance)) for _ in range(4000))
    # Both outcomes are common enough to be tested.
    assert 200 < accepted < 3800
