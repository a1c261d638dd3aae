"""`tablier suggest` and `tablier analyze`: what to play, once, or better and better."""

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
from tablier_core.registry import GAMES
from tablier_service.sealing import MAGIC_AND_FORMAT

from tablier_cli.arguments import command_error, parse_options, read_token
from tablier_cli.service import Service, State, open_service
from tablier_cli.table import start_game

# Of an expected line, so many moves are shown; `--json` tells them all.
SHOWN_MOVES = 6
# Where nothing says how wide the output may be: lines that a log or a pager can still show.
WIDTH_WITHOUT_TERMINAL = 120

STOPPED = {
    "iterations": "all iterations were made",
    "time": "the time was up",
    "settled": "the game's own engine knew the answer",
    "unspecified": "it goes on",
}


@dataclass(frozen=True)
class Question:
    """What is asked about a state, as far as both commands share it."""

    state: str  # the name of a game, a token, a file or "-"
    options: Sequence[str]
    seat: int | None
    milliseconds: int
    iterations: int
    seed: int
    limit: int
    match: str

    def find_state(self, service: Service, server: str | None) -> State:
        """The state that is asked about."""
        game = GAMES.get(self.state)
        if game is not None:
            return start_game(service, game, parse_options(game, self.options), self.seed)
        if self.options:
            raise click.UsageError("--option belongs to a new game: name a game, not its state")
        token = read_token(self.state)
        if server is None and token.startswith(MAGIC_AND_FORMAT):
            raise click.BadParameter(
                "this token is sealed: ask the service that has its keys, with --server",
                param_hint="STATE",
            )
        state: State = service.send(service.calls.state(token, match=self.match))
        return state


def print_suggestions(question: Question, level: int, server: str | None, as_json: bool) -> None:
    """Ask for advice and print it as a table."""
    try:
        with open_service(server) as service:
            state = question.find_state(service, server)
            advice = service.send(
                service.calls.suggest(
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
    """Print reports as they come, until the budget is spent or somebody has seen enough."""
    try:
        with open_service(server) as service:
            state = question.find_state(service, server)
            call = service.calls.analyze(
                state,
                question.seat,
                milliseconds=question.milliseconds,
                iterations=question.iterations,
                interval=interval,
                seed=question.seed,
                limit=question.limit,
            )
            # Closed also by Ctrl-C: that cancels the search.
            with closing(service.stream(call)) as reports:  # type: ignore[type-var]
                if as_json:
                    print_lines(state, reports)
                else:
                    print_tables(state, reports)
    except TablierError as error:
        raise command_error(error) from None


def print_lines(state: State, reports: Iterator[Advice]) -> None:
    """One JSON object a line for every report."""
    try:
        for advice in reports:
            click.echo(json.dumps(plain(state, advice)))
    except KeyboardInterrupt:
        # Every report is printed already.
        return


def print_tables(state: State, reports: Iterator[Advice]) -> None:
    """One table that changes; without a terminal, a line for every report and the last table."""
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
    """Where tables go."""
    out = Console()
    return out if out.is_terminal else Console(width=max(out.width, WIDTH_WITHOUT_TERMINAL))


def summary(advice: Advice) -> str:
    """A report in one line."""
    best = advice.suggestions[0]
    values = values_of(best)
    return (
        f"{advice.milliseconds:,.0f} ms, {advice.iterations:,} iterations: "
        f"{best.move.notation} ({values})"
    )


def table_of(state: State, advice: Advice, *, cancelled: bool = False) -> Table:
    """A report as a table: the best move first."""
    game = GAMES[state.game]
    seat = advice.suggestions[0].move.seat
    engine = any(suggestion.weight for suggestion in advice.suggestions)
    table = Table(
        title=f"{game.title}, seat {seat} to move ({state.phase}), after {state.ply} moves",
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
    """What the advice took, and why the search ended."""
    # A search by iterations alone does not look at the clock.
    time = f" in {advice.milliseconds:,.0f} ms" if advice.milliseconds else ""
    why = "you stopped it" if cancelled else STOPPED[advice.stopped]
    return f"{advice.iterations:,} iterations{time}; {why}"


def values_of(suggestion: Suggestion) -> str:
    """The mean return of every seat, from seat 0 on."""
    return " ".join(f"{value:+.2f}" for value in suggestion.values)


def line_of(line: Sequence[Move]) -> str:
    """The moves that are expected, with their seats."""
    shown = [f"{move.seat}:{move.notation}" for move in line[:SHOWN_MOVES]]
    return "  ".join([*shown, "…"] if len(line) > SHOWN_MOVES else shown)


def plain(state: State, advice: Advice) -> dict[str, Any]:
    """A report for other programs."""
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
