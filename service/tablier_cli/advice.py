"""`tablier suggest` and `tablier analyze`: ranked moves, once or as a stream of reports."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Any

import click
from rich.console import RenderableType
from rich.live import Live
from tablier_client import Advice, Move, Suggestion, TablierError
from tablier_core.drawing import counted
from tablier_core.registry import GAMES

from tablier_cli.arguments import command_error
from tablier_cli.backend import State, open_backend
from tablier_cli.server import Server
from tablier_cli.states import Source
from tablier_cli.terminal import make_table, open_console

# Moves of an expected line in the table; `--json` has all of them.
SHOWN_MOVES = 6

STOPPED = {
    "iterations": "iteration limit reached",
    "time": "time is up",
    "settled": "the game's engine is certain",
    "unspecified": "searching",
}


@dataclass(frozen=True)
class Question:
    """The arguments that `suggest` and `analyze` share."""

    source: Source
    seat: int | None
    milliseconds: int
    iterations: int
    seed: int
    limit: int


def print_suggestions(question: Question, level: int, server: Server | None, as_json: bool) -> None:
    """Ask for advice and print it as a table or as JSON."""
    try:
        with open_backend(server) as backend:
            state = question.source.open(backend, server).state
            advice = backend.send(
                backend.calls.suggest(
                    state,
                    question.seat,
                    milliseconds=question.milliseconds,
                    iterations=question.iterations,
                    level=level,
                    seed=question.seed,
                    limit=question.limit,
                )
            )
    except TablierError as error:
        raise command_error(error) from None
    if as_json:
        click.echo(json.dumps(plain(state, advice), indent=2))
    else:
        out = open_console()
        out.print(table_of(out.width, state, advice))


def watch_analysis(question: Question, interval: int, server: Server | None, as_json: bool) -> None:
    """Print reports as they arrive, until the budget is spent or Ctrl-C."""
    try:
        with open_backend(server) as backend:
            state = question.source.open(backend, server).state
            call = backend.calls.analyze(
                state,
                question.seat,
                milliseconds=question.milliseconds,
                iterations=question.iterations,
                interval=interval,
                seed=question.seed,
                limit=question.limit,
            )
            # Closing the stream, also after Ctrl-C, cancels the search.
            with closing(backend.stream(call)) as reports:  # type: ignore[type-var]
                if as_json:
                    print_lines(state, reports)
                else:
                    print_tables(state, reports)
    except TablierError as error:
        raise command_error(error) from None


def print_lines(state: State, reports: Iterator[Advice]) -> None:
    """Print every report as a line of JSON."""
    try:
        for advice in reports:
            click.echo(json.dumps(plain(state, advice)))
    except KeyboardInterrupt:
        # All reports so far are printed already.
        return


def print_tables(state: State, reports: Iterator[Advice]) -> None:
    """Update one table in the terminal; elsewhere, print a line per report and the last table."""
    out = open_console()
    last = None
    cancelled = False
    with Live(console=out, auto_refresh=False, transient=True) as live:
        try:
            for last in reports:
                if out.is_terminal:
                    live.update(table_of(out.width, state, last), refresh=True)
                else:
                    click.echo(summary(last))
        except KeyboardInterrupt:
            cancelled = True
    if last is not None:
        out.print(table_of(out.width, state, last, cancelled=cancelled))


def summary(advice: Advice) -> str:
    """Summarise a report in one line."""
    best = advice.suggestions[0]
    values = values_of(best)
    return (
        f"{advice.milliseconds:,.0f} ms, {counted(advice.iterations, 'iteration', ',')}: "
        f"{best.move.notation} ({values})"
    )


def table_of(
    width: int, state: State, advice: Advice, *, cancelled: bool = False
) -> RenderableType:
    """Make a table of a report, best move first."""
    game = GAMES[state.game]
    seat = advice.suggestions[0].move.seat
    engine = any(suggestion.weight for suggestion in advice.suggestions)
    headings = ["", "move", "value by seat", "spread", "visits", "engine", "expected line"]
    rows = [
        [
            str(rank),
            suggestion.move.notation,
            values_of(suggestion),
            f"{suggestion.spread:.2f}",
            f"{suggestion.visits:,}",
            f"{suggestion.weight:.3g}",
            line_of(suggestion.line),
        ]
        for rank, suggestion in enumerate(advice.suggestions, 1)
    ]
    if not engine:
        for cells in (headings, *rows):
            del cells[5]
    return make_table(
        width,
        headings,
        rows,
        title=(
            f"{game.title}, seat {seat} to move ({state.phase}), after {counted(state.ply, 'move')}"
        ),
        caption=caption_of(advice, cancelled),
        right=("", "spread", "visits", "engine"),
        heads=2,
    )


def caption_of(advice: Advice, cancelled: bool) -> str:
    """State the effort of a search and why it ended."""
    # A search limited by iterations alone reports no time.
    time = f" in {advice.milliseconds:,.0f} ms" if advice.milliseconds else ""
    why = "interrupted" if cancelled else STOPPED[advice.stopped]
    return f"{counted(advice.iterations, 'iteration', ',')}{time}; {why}"


def values_of(suggestion: Suggestion) -> str:
    """Format the mean return of every seat, starting with seat 0."""
    return " ".join(f"{value:+.2f}" for value in suggestion.values)


def line_of(line: Sequence[Move]) -> str:
    """Format the expected moves, each with its seat."""
    shown = [f"{move.seat}:{move.notation}" for move in line[:SHOWN_MOVES]]
    return "  ".join([*shown, "…"] if len(line) > SHOWN_MOVES else shown)


def plain(state: State, advice: Advice) -> dict[str, Any]:
    """Convert a report to JSON types."""
    return {
        "game": state.game,
        "ply": state.ply,
        "phase": state.phase,
        "seat": advice.suggestions[0].move.seat,
        "iterations": advice.iterations,
        "milliseconds": advice.milliseconds,
        "stopped": advice.stopped,
        "suggestions": [
            {
                **suggestion._asdict(),
                "move": suggestion.move._asdict(),
                "line": [move._asdict() for move in suggestion.line],
            }
            for suggestion in advice.suggestions
        ],
    }
