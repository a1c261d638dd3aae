"""The states that commands work on: tokens and records from arguments, files and pipes."""

from __future__ import annotations

import base64
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import click
from tablier_client import Move, Record, RecordedMove, TablierError, read_record
from tablier_client.errors import IncompleteRecord, InvalidToken
from tablier_core.registry import GAMES
from tablier_service.security.sealing import MAGIC_AND_FORMAT

from tablier_cli.arguments import bad_token, command_error, decode_token, is_file, parse_options
from tablier_cli.backend import Backend, State
from tablier_cli.ongoing_game import start_game
from tablier_cli.server import Server

RECORD_START = b"Tablier game record "


@dataclass(frozen=True)
class Source:
    """Where a state comes from: a game name, a token, a file with a token or a record, or `-`."""

    text: str
    options: Sequence[str] = ()
    seed: int = 0
    match: str = ""

    def open(self, backend: Backend, server: Server | None) -> Opened:
        """Start a new game, or open what the argument names."""
        game = GAMES.get(self.text)
        if game is not None:
            options = parse_options(game, self.options)
            return Opened(start_game(backend, game, options, self.seed), None)
        if self.options:
            raise click.UsageError("--option only applies to a new game: STATE must be a game name")
        content = read_content(self.text)
        if content.startswith(RECORD_START):
            return open_record(backend, content, self.match)
        token = decode_token(content) or content
        if server is None and token.startswith(MAGIC_AND_FORMAT):
            raise click.BadParameter(
                "this token is sealed: use --server with the service that holds its keys",
                param_hint="STATE",
            )
        try:
            state: State = backend.send(backend.calls.state(token, match=self.match))
        except InvalidToken as error:
            raise bad_token(self.text, error.message) from None
        return Opened(state, None)


@dataclass(frozen=True)
class Opened:
    """A state, and the record that it is the last state of, if it comes from one."""

    state: State
    record: Record | None

    def extend(self, backend: Backend, moves: Sequence[Move]) -> Record:
        """The record with more moves; its scores and result are those after them."""
        assert self.record is not None
        added = [RecordedMove(-1 if m.seat is None else m.seat, m.notation) for m in moves]
        longer = replace(self.record, moves=(*self.record.moves, *added), scores=(), result=())
        replayed = backend.send(backend.calls.replay_record(longer)).record
        assert replayed is not None
        return replayed


def read_content(text: str) -> bytes:
    """Read standard input (`-`) or a file, or take the argument itself."""
    if text == "-":
        if sys.stdin.isatty():
            raise click.UsageError(
                "there is no state: pipe one in, or name a token, a file or a game"
            )
        return sys.stdin.buffer.read()
    return Path(text).read_bytes() if is_file(text) else text.encode()


def open_record(backend: Backend, content: bytes, match: str) -> Opened:
    """Replay a record; one that is wrong or incomplete ends the command."""
    try:
        record = read_record(content)
        replay = backend.send(backend.calls.replay_record(record, match=match))
    except IncompleteRecord as error:
        raise click.ClickException(f"the record {error.message}") from None
    except TablierError as error:
        if error.field.startswith("record"):
            raise click.ClickException(str(error)) from None
        raise command_error(error) from None
    return Opened(replay.state, record)


def write_token(token: bytes) -> str:
    """A token as text, for files and pipes."""
    return base64.urlsafe_b64encode(token).decode()
