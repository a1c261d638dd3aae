"""`tablier record`: check, show and convert game records."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

import click
from rich.box import SIMPLE_HEAD
from tablier_client import Record, RecordedMove, TablierError, read_record, write_record
from tablier_client.errors import IncompleteRecord
from tablier_client.records.forms import duration_text, numbers_text
from tablier_core.drawing import counted

from tablier_cli.arguments import command_error
from tablier_cli.backend import open_backend
from tablier_cli.server import Server
from tablier_cli.terminal import make_details, make_table, open_console


def check_record(content: bytes, server: Server | None) -> None:
    """Check a record and print what was found."""
    record = read(content)
    try:
        replay(record, None, server)
    except IncompleteRecord as error:
        click.echo(f"The record is well-formed, but {error.message}.")
        return
    click.echo(f"The record is valid: {counted(len(record.moves), 'move')} of {record.game}.")


def show_record(content: bytes) -> None:
    """Print the tags and the moves of a record."""
    record = read(content)
    out = open_console()
    out.print(make_details(out.width, list(details_of(record))))
    rows = list(rows_of(record.moves, record))
    headings = ("move", "seat", "notation", "notes")
    out.print(make_table(out.width, headings, rows, heads=3, box=SIMPLE_HEAD))


def convert_record(content: bytes, viewer: int | None, server: Server | None) -> None:
    """Print a record again, complete or for a viewer."""
    try:
        converted = replay(read(content), viewer, server)
    except IncompleteRecord as error:
        raise click.ClickException(f"the record {error.message}") from None
    click.echo(write_record(converted), nl=False)


def read(content: bytes) -> Record:
    """Read a record; an invalid one ends the command."""
    try:
        return read_record(content)
    except TablierError as error:
        raise click.ClickException(str(error)) from None


def replay(record: Record, viewer: int | None, server: Server | None) -> Record:
    """Replay a record and return it for a viewer; an error other than a gap ends the command."""
    with open_backend(server) as backend:
        try:
            replayed = backend.send(backend.calls.replay_record(record, viewer=viewer))
        except IncompleteRecord:
            raise
        except TablierError as error:
            if error.field.startswith("record"):
                raise click.ClickException(str(error)) from None
            raise command_error(error) from None
    assert replayed.record is not None
    return replayed.record


def details_of(record: Record) -> Iterator[tuple[str, str]]:
    """Yield what a record says about the game as a whole."""
    yield "game", f"{record.game}, rules version {record.rules}"
    yield "options", json.dumps(record.options, ensure_ascii=False) if record.options else "none"
    if record.viewer is None:
        yield "seed", "none" if record.seed is None else str(record.seed)
    else:
        yield "viewer", f"seat {record.viewer}; {counted(record.hidden_moves, 'hidden move')}"
    if record.date is not None:
        yield "began", record.date.isoformat(" ").replace("+00:00", " UTC")
    for seat, name in record.players.items():
        yield f"seat {seat}", name
    if record.scores:
        yield "scores", numbers_text(record.scores)
    yield "result", numbers_text(record.result) if record.result else "unfinished"
    yield from record.tags
    if record.comment:
        yield "comment", record.comment


def rows_of(
    moves: Sequence[RecordedMove], record: Record, number: int = 1, indent: str = ""
) -> Iterator[tuple[str, ...]]:
    """Yield the rows of the table of moves; those of a variation follow its first move."""
    for ply, move in enumerate(moves, start=number):
        mover = "table" if move.seat < 0 else record.players.get(move.seat, str(move.seat))
        notes = "\n".join(notes_of(move))
        yield f"{indent}{ply}", mover, move.notation or "(hidden)", notes
        for variation in move.variations:
            yield from rows_of(variation, record, ply, f"{indent}  ")


def notes_of(move: RecordedMove) -> Iterator[str]:
    """Yield what was noted about a move."""
    if move.values:
        yield f"values {numbers_text(move.values)}"
    if move.clock is not None:
        yield f"clock {duration_text(move.clock)}"
    if move.elapsed is not None:
        yield f"took {duration_text(move.elapsed)}"
    if move.comment:
        yield move.comment
