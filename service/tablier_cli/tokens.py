"""The commands on tokens and records in pipes: `start`, `moves`, `apply` and others."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click
from google.protobuf.json_format import MessageToDict
from tablier_client import Candidate, Move, Record, TablierError, errors, write_record
from tablier_core.languages import catalogue
from tablier_core.registry import GAMES
from tablier_service.calls.language import choose_language

from tablier_cli.arguments import command_error, find_game, parse_options
from tablier_cli.backend import Backend, State, open_backend
from tablier_cli.calls import Look, described_steps, drawing, legal_moves, picture
from tablier_cli.server import Server
from tablier_cli.states import Source, write_token
from tablier_cli.terminal import Paint, fit, make_table, open_console

# A move of a named seat, as in `1: red`.
SEATED = re.compile(r"(?P<seat>\d+|table): *(?P<notation>.+)")
REFEREE = -1


def print_start(
    name: str,
    pairs: Sequence[str],
    seed: int,
    match: str,
    server: Server | None,
    as_record: bool,
    as_json: bool,
) -> None:
    """Start a game and print its token, or its record."""
    game = find_game(name)
    options = parse_options(game, pairs)
    if as_record:
        date = datetime.now(UTC).replace(microsecond=0)
        begun = Record(game.name, game.rules_version, options=options, seed=seed, date=date)
        click.echo(write_record(begun), nl=False)
        return
    try:
        with open_backend(server) as backend:
            call = backend.calls.start(game.name, options, seed=seed, match=match)
            state: State = backend.send(call)
    except TablierError as error:
        raise command_error(error) from None
    if as_json:
        facts = {**situation(state), "seed": str(seed), "token": write_token(state.token)}
        click.echo(json.dumps(facts, indent=2))
    else:
        click.echo(write_token(state.token))


def print_moves(
    source: Source, seat: int | None, server: Server | None, language: str, as_json: bool
) -> None:
    """Print the legal moves: a table in a terminal, lines with tabs in a pipe, or JSON."""
    try:
        with open_backend(server) as backend:
            state = source.open(backend, server).state
            found = backend.send(legal_moves(backend.calls, state, seat, language))
    except TablierError as error:
        raise command_error(error) from None
    out = open_console()
    if as_json:
        click.echo(json.dumps([move._asdict() for move in found], indent=2, ensure_ascii=False))
    elif out.is_terminal:
        texts = catalogue(choose_language(language))
        headings = (texts.gettext("seat"), texts.gettext("move"), texts.gettext("what it does"))
        rows = [(str(move.seat), move.notation, move.words) for move in found]
        out.print(make_table(out.width, headings, rows, heads=2))
    else:
        for move in found:
            click.echo(f"{move.notation}\t{move.seat}\t{move.words}")


def print_interpretation(
    source: Source,
    text: str,
    seat: int | None,
    server: Server | None,
    language: str,
    as_json: bool,
) -> None:
    """Print the notation of the move that a text says, or explain why there is none and exit."""
    try:
        with open_backend(server) as backend:
            state = source.open(backend, server).state
            read = backend.send(backend.calls.interpret(state, text, seat, language=language))
    except TablierError as error:
        raise command_error(error) from None
    if as_json:
        facts = {
            "outcome": read.outcome,
            "move": as_fact(read.understood) if read.understood else None,
            "candidates": [as_fact(each) for each in read.candidates],
            "reason": read.reason,
            "forms": dict(read.forms),
        }
        click.echo(json.dumps(facts, indent=2, ensure_ascii=False))
    elif read.move is not None:
        click.echo(read.move.notation)
    else:
        texts = catalogue(choose_language(language))
        if read.outcome == "ambiguous":
            problem = texts.gettext("The text is not exactly one move. It may mean:")
        else:
            problem = read.reason or texts.gettext("The text is not a legal move. The nearest are:")
        click.echo(problem, err=True)
        for each in read.candidates:
            click.echo(f"{each.move.notation}\t{each.words}", err=True)
    if read.move is None:
        sys.exit(1)


def as_fact(candidate: Candidate) -> dict[str, Any]:
    """A move with its words as JSON types."""
    return {**candidate.move._asdict(), "words": candidate.words}


def print_applied(
    source: Source,
    texts: Sequence[str],
    seat: int | None,
    viewer: int | None,
    server: Server | None,
    language: str,
    as_json: bool,
) -> None:
    """Make moves and print the token after them; a record becomes a longer record.

    What happened goes to standard error in a terminal. Words for a seat need less than the role
    `referee`, which a key may lack.
    """
    moves = [parse_move(text, seat) for text in texts]
    try:
        with open_backend(server) as backend:
            opened = source.open(backend, server)
            if viewer is None:
                viewer = first_mover(opened.state, moves)
            played = backend.send(
                described_steps(backend.calls, opened.state, moves, viewer, language)
            )
            record = None
            if opened.record is not None:
                record = opened.extend(backend, [each.step.move for each in played])
    except (errors.IllegalMove, errors.UnparsableMove, errors.WrongSeat) as error:
        raise click.BadParameter(illegal(error, texts), param_hint="MOVE") from None
    except TablierError as error:
        raise command_error(error) from None
    last = played[-1].step.state
    if as_json:
        steps = [{**each.step.move._asdict(), "words": each.words} for each in played]
        facts = {**situation(last), "moves": steps, "token": write_token(last.token)}
        click.echo(json.dumps(facts, indent=2, ensure_ascii=False))
        return
    if sys.stderr.isatty():
        for each in played:
            click.echo(each.words, err=True)
    if record is None:
        click.echo(write_token(last.token))
    else:
        click.echo(write_record(record), nl=False)


def first_mover(state: State, moves: Sequence[Move]) -> int:
    """The seat that moves first; if that is the table, any seat sees as much."""
    seats = (moves[0].seat, *state.actors)
    return next((seat for seat in seats if seat is not None and seat >= 0), 0)


def parse_move(text: str, seat: int | None) -> Move:
    """Read a move, with or without its seat: `a6-a4`, `1: red` or `table: exclude`."""
    seated = SEATED.fullmatch(text)
    if seated is None:
        return Move(text, seat)
    return Move(seated["notation"], -1 if seated["seat"] == "table" else int(seated["seat"]))


def illegal(error: TablierError, texts: Sequence[str]) -> str:
    """Say which move is wrong, and why."""
    number = re.match(r"moves\[(\d+)\]", error.field)
    return f"{texts[int(number[1])]}: {error.message}" if number else error.message


def print_state(
    source: Source, seat: int | None, server: Server | None, language: str, as_json: bool
) -> None:
    """Print the drawing of a state, or its situation and view as JSON."""
    try:
        with open_backend(server) as backend:
            state = source.open(backend, server).state
            if as_json:
                click.echo(json.dumps(described(backend, state, seat), indent=2))
                return
            drawn = backend.send(drawing(backend.calls, state, seat, language))
    except TablierError as error:
        raise command_error(error) from None
    out = open_console()
    if not out.is_terminal:
        click.echo(drawn)
        return
    texts = catalogue(choose_language(language))
    painted = Paint(GAMES[state.game], texts).drawing(fit(drawn, out.width))
    out.print(painted, soft_wrap=True)


def described(backend: Backend, state: State, seat: int | None) -> dict[str, Any]:
    """A state as JSON types: what a seat may know, or everything for the referee."""
    view = backend.send(backend.calls.view(state, seat))
    facts = {
        **situation(state),
        "view": MessageToDict(view, preserving_proto_field_name=True),
    }
    if seat is None or seat == REFEREE:
        return {**facts, "token": write_token(state.token)}
    return {**facts, "token": write_token(backend.send(backend.calls.view_token(state, seat)))}


def situation(state: State) -> dict[str, Any]:
    """What everyone may know about a state."""
    return {
        "game": state.game,
        "seats": state.seats,
        "ply": state.ply,
        "phase": state.phase,
        "actors": state.actors,
        "over": state.over,
        "scores": state.scores,
        "returns": state.returns,
    }


def write_picture(
    source: Source,
    seat: int | None,
    server: Server | None,
    kind: str,
    look: Look,
    output: Path | None,
) -> None:
    """Draw a state as SVG or PNG, into a file or to standard output."""
    if kind == "png" and output is None and sys.stdout.isatty():
        raise click.UsageError("a PNG is not text: use --output, or a pipe")
    try:
        with open_backend(server) as backend:
            state = source.open(backend, server).state
            calls = backend.calls
            if kind == "png":
                content = backend.send(picture(calls.png(state, seat), look))
            else:
                content = backend.send(picture(calls.svg(state, seat), look)).encode() + b"\n"
    except TablierError as error:
        raise command_error(error) from None
    if output is None:
        click.echo(content, nl=False)
    else:
        output.write_bytes(content)
