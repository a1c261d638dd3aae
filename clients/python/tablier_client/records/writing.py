"""Writes records as text. Every record has exactly one text."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace

from tablier_client.errors import InvalidRecord
from tablier_client.records.forms import (
    comment_text,
    date_text,
    duration_text,
    numbers_text,
    options_text,
    quoted,
)
from tablier_client.records.reading import read_record
from tablier_client.records.record import (
    END,
    FORMAT_VERSION,
    HIDDEN,
    TABLE,
    TITLE,
    Record,
    RecordedMove,
    malformed,
)


def write_record(record: Record) -> str:
    """Return the text of a record; raises InvalidRecord if it has none, as with a negative seed."""
    try:
        text = "".join(f"{line}\n" for line in record_lines(record))
    except (TypeError, ValueError, OverflowError, AttributeError, RecursionError) as error:
        raise malformed("", f"the record has a value of the wrong type: {error}") from None
    # Reading knows all limits and forms, so it also checks what programs put into a record.
    try:
        again = read_record(text)
    except InvalidRecord as error:
        raise malformed(
            error.field.removeprefix("record").removeprefix("."), error.message
        ) from None
    if again != comparable(record):
        raise malformed("", "the record has a value that its text cannot express")
    return text


def comparable(record: Record) -> Record:
    """The record with the types that reading gives to its parts."""
    return replace(
        record,
        moves=tuple(record.moves),
        options=json.loads(options_text(record.options)),
        players=dict(record.players),
    )


def record_lines(record: Record) -> Iterator[str]:
    """Yield the lines of a record, without checking it."""
    yield f"{TITLE} {FORMAT_VERSION}"
    yield f"[Game {quoted(record.game)}]"
    yield f'[Rules "{record.rules:d}"]'
    yield f"[Options {options_text(record.options)}]"
    if record.seed is not None:
        yield f'[Seed "{record.seed:d}"]'
    if record.viewer is not None:
        yield f'[Viewer "{record.viewer:d}"]'
    if record.start is not None:
        yield f'[Start "{record.start:d}"]'
    if record.date is not None:
        yield f'[Date "{date_text(record.date)}"]'
    for seat in sorted(record.players):
        yield f"[Seat{seat:d} {quoted(record.players[seat])}]"
    if record.scores:
        yield f'[Scores "{numbers_text(record.scores)}"]'
    yield f'[Result "{numbers_text(record.result) if record.result else "*"}"]'
    for name, text in record.tags:
        yield f"[{name} {quoted(text)}]"
    yield ""
    if record.comment:
        yield comment_text(record.comment)
    yield from _move_lines(record.moves, 1, "")
    yield END


def _move_lines(moves: Sequence[RecordedMove], number: int, indent: str) -> Iterator[str]:
    for ply, move in enumerate(moves, start=number):
        yield f"{indent}{ply}. {move_text(move)}"
        for variation in move.variations:
            yield f"{indent}("
            yield from _move_lines(variation, ply, f"{indent}  ")
            yield f"{indent})"


def move_text(move: RecordedMove) -> str:
    """Write a move and its annotations."""
    mover = "table" if move.seat == TABLE else f"seat {move.seat:d}"
    parts = [f"{mover}: {move.notation or HIDDEN}"]
    if move.values:
        parts.append(f"[%eval {numbers_text(move.values)}]")
    if move.clock is not None:
        parts.append(f"[%clk {duration_text(move.clock)}]")
    if move.elapsed is not None:
        parts.append(f"[%emt {duration_text(move.elapsed)}]")
    if move.comment:
        parts.append(comment_text(move.comment))
    return " ".join(parts)
