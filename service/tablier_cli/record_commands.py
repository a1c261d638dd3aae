"""The commands of `tablier record`."""

from __future__ import annotations

from typing import BinaryIO

import click

from tablier_cli.flags import server_flags
from tablier_cli.server import Server

record_argument = click.argument("file", type=click.File("rb"), default="-")


@click.group()
def record() -> None:
    """Check, show and convert game records.

    A record is a text file with a whole game, like PGN for chess. FILE is its path, or - for
    standard input, which is the default. docs/records.md describes the format.

    \b
    tablier record show game.txt
    tablier record convert game.txt --viewer 2 > seen-by-seat-2.txt
    """


@record.command()
@record_argument
@server_flags
def check(file: BinaryIO, server: Server | None) -> None:
    """Check the record in FILE by replaying it.

    Variations are replayed, too. A record that lacks a seed or hides moves, such as that of a
    viewer, is only read, and the command says so. The exit status is 1 if something is wrong.
    """
    from tablier_cli.record import check_record

    check_record(file.read(), server)


@record.command()
@record_argument
def show(file: BinaryIO) -> None:
    """Show the record in FILE: its tags and a table of its moves.

    Variations are indented. This also works for records that cannot be replayed.
    """
    from tablier_cli.record import show_record

    show_record(file.read())


@record.command()
@record_argument
@click.option(
    "--viewer",
    type=click.IntRange(0),
    help="Seat that the new record is for: it contains only what this seat saw, without seed, "
    "comments, evaluations or variations.",
    show_default="everything",
)
@server_flags
def convert(file: BinaryIO, viewer: int | None, server: Server | None) -> None:
    """Replay the record in FILE and print it again, complete or for a viewer.

    Scores and the result are added if they are missing.
    """
    from tablier_cli.record import convert_record

    convert_record(file.read(), viewer, server)
