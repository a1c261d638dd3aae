"""`tablier suggest` and `tablier analyze`: ranked moves, once or as a stream of reports."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Any

import click
from rich.console import Console
from rich.live import Live
from rich.table import Table
from rich.text import Text
from tablier_client import Advice, Move, Suggestion, TablierError
from tablier_client.errors import InvalidToken
from tablier_core.drawing import counted
from tablier_core.registry import GAMES
from tablier_service.security.sealing import MAGIC_AND_FORMAT

from tablier_cli.arguments import bad_token, command_error, parse_options, read_token
from tablier_cli.backend import Backend, State, open_backend
from tablier_cli.ongoing_game import start_game

# Moves of an expected line in the table; `--json` has all of them.
SHOWN_MOVES = 6
# Width of tables that go to a file or a pipe.
WIDTH_WITHOUT_TERMINAL = 120

STOPPED = {
    "iterations": "iteration limit reached",
    "time": "time is up",
    "settled": "the game's engine is certain",
    "unspecified": "searching",
}


@dataclass(frozen=True)
class Question:
    """The arguments that `suggest` and `analyze` share."""

    state: str  # a game name, a token, a file or "-"
    options: Sequence[str]
    seat: int | None
    milliseconds: int
    iterations: int
    seed: int
    limit: int
    match: str

    def find_state(self, backend: Backend, server: str | None) -> State:
        """Start a new game, or open the token that the argument names."""
        game = GAMES.get(self.state)
        if game is not None:
            return start_game(backend, game, parse_options(game, self.options), self.seed)
        if self.options:
            raise click.UsageError("--option only applies to a new game: STATE must be a game name")
        token = read_token(self.state)
        if server is None and token.startswith(MAGIC_AND_FORMAT):
            raise click.BadParameter(
                "this token is sealed: use --server with the service that holds its keys",
                param_hint="STATE",
            )
        try:
            state: State = backend.send(backend.calls.state(token, match=self.match))
        except InvalidToken as error:
            raise bad_token(self.state, error.message) from None
        return state


def print_suggestions(question: Question, level: int, server: str | None, as_json: bool) -> None:
    """Ask for advice and print it as a table or as JSON."""
    try:
        with open_backend(server) as backend:
            state = question.find_state(backend, server)
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
        console().print(table_of(state, advice))


def watch_analysis(question: Question, interval: int, server: str | None, as_json: bool) -> None:
    """Print reports as they arrive, until the budget is spent or Ctrl-C."""
    try:
        with open_backend(server) as backend:
            state = question.find_state(backend, server)
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
    out = console()
    last = None
    cancelled = False
    with Live(console=out, auto_refresh=False, transient=True) as live:
        try:
            for last in reports:
                if out.is_terminal:
                    live.update(table_of(state, last), refresh=True)
                else:
                    click.echo(summary(last))
        except KeyboardInterrupt:
            cancelled = True
    if last is not None:
        out.print(table_of(state, last, cancelled=cancelled))


def console() -> Console:
    """The console that tables are printed to."""
    out = Console()
    return out if out.is_terminal else Console(width=max(out.width, WIDTH_WITHOUT_TERMINAL))


def summary(advice: Advice) -> str:
    """Summarise a report in one line."""
    best = advice.suggestions[0]
    values = values_of(best)
    return (
        f"{advice.milliseconds:,.0f} ms, {counted(advice.iterations, 'iteration', ',')}: "
        f"{best.move.notation} ({values})"
    )


def table_of(state: State, advice: Advice, *, cancelled: bool = False) -> Table:
    """Make a table of a report, best move first."""
    game = GAMES[state.game]
    seat = advice.suggestions[0].move.seat
    engine = any(suggestion.weight for suggestion in advice.suggestions)
    table = Table(
        title=(
            f"{game.title}, seat {seat} to move ({state.phase}), after {counted(state.ply, 'move')}"
        ),
        caption=caption_of(advice, cancelled),
    )
    for heading, justify in (
        ("", "right"),
        ("move", "left"),
        ("value by seat", "left"),
        ("spread", "right"),
        ("visits", "right"),
        *([("engine", "right")] if engine else []),
        ("expected line", "left"),
    ):
        table.add_column(heading, justify=justify, overflow="fold")  # type: ignore[arg-type]
    for rank, suggestion in enumerate(advice.suggestions, 1):
        table.add_row(
            str(rank),
            Text(suggestion.move.notation),
            values_of(suggestion),
            f"{suggestion.spread:.2f}",
            f"{suggestion.visits:,}",
            *([f"{suggestion.weight:.3g}"] if engine else []),
            Text(line_of(suggestion.line)),
        )
    return table


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
