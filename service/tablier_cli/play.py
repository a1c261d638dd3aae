"""`tablier play`: a person at a terminal against the machine, at a level or moving at random."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from random import Random

import click
from rich.columns import Columns
from rich.console import Console
from rich.table import Table as Grid
from rich.text import Text
from tablier_client import TablierError
from tablier_core.position import Game

from tablier_cli.arguments import command_error, find_game, parse_options
from tablier_cli.catalogue import notation_table
from tablier_cli.service import State, open_service
from tablier_cli.table import Refused, Table

# More moves than this are not listed at once; a prefix narrows them down.
LISTED = 60

COMMANDS = (
    ("a move", "make it, e.g. as listed by `moves`"),
    ("moves", "list your legal moves"),
    ("moves TEXT", "list those that begin with TEXT"),
    ("help", "show this"),
    ("quit", "leave the game"),
)


def play_game(
    name: str,
    pairs: Sequence[str],
    seat: int,
    level: int | None,
    seed: int | None,
    server: str | None,
) -> None:
    """Set the table and play until the game is over or the person leaves."""
    game = find_game(name)
    options = parse_options(game, pairs)
    if seed is None:
        seed = secrets.randbits(32)
    try:
        with open_service(server) as service:
            table = Table(service, game, options, seed)
            seats = table.state.seats
            if seat >= seats:
                raise click.BadParameter(
                    f"this game has {seats} seats, from 0", param_hint="--seat"
                )
            others = f"play at level {level}" if level else "move at random"
            click.echo(
                f"{game.title}, seed {seed}. You have seat {seat}; the others {others}. "
                "`help` explains."
            )
            Session(game, table, seat, level, Random(seed)).run()
    except TablierError as error:
        raise command_error(error) from None


class Session:
    """One game of one person."""

    def __init__(
        self, game: Game, table: Table, seat: int, level: int | None, chance: Random
    ) -> None:
        self._game = game
        self._table = table
        self._seat = seat
        # Of the other players; None if they move at random.
        self._level = level
        self._chance = chance
        self._console = Console()

    def run(self) -> None:
        """Take turns until the end."""
        while (state := self._table.state).actors:
            if self._seat in state.actors:
                click.echo(f"\n{self._table.draw(self._seat)}")
                if not self._ask(state.phase):
                    return
            else:
                self._move_another(self._chance.choice(state.actors))
        click.echo(f"\n{self._table.draw(self._seat)}\n")
        self._show_result(state)

    def _ask(self, phase: str) -> bool:
        """Let the person make one move; False if they leave instead."""
        while True:
            try:
                text = click.prompt(
                    f"seat {self._seat}, {phase}",
                    default="",
                    show_default=False,
                    prompt_suffix="> ",
                )
            except click.Abort:
                click.echo()
                return False
            command, _, rest = text.strip().partition(" ")
            if command == "quit":
                return False
            if command == "help":
                self._help()
            elif command == "moves":
                self._list_moves(rest.strip())
            elif command:
                try:
                    self._table.play(self._seat, text.strip())
                except Refused as error:
                    click.echo(f"{error} (`moves` lists what you can do, `help` explains)")
                else:
                    return True

    def _move_another(self, seat: int) -> None:
        if self._level:
            notation = self._table.suggestion(seat, self._level, self._chance.getrandbits(64))
        else:
            notation = self._chance.choice(self._table.notations(seat))
        self._table.play(seat, notation)
        # Where seats know different things, a move may be a secret; the drawing shows what is not.
        told = "moves" if self._game.has_hidden_information else f"plays {notation}"
        click.echo(f"seat {seat} {told}")

    def _list_moves(self, prefix: str) -> None:
        moves = [text for text in self._table.notations(self._seat) if text.startswith(prefix)]
        if not moves:
            click.echo(f"no legal move begins with {prefix}")
            return
        self._console.print(Columns([Text(text) for text in moves[:LISTED]], padding=(0, 2)))
        if len(moves) > LISTED:
            click.echo(
                f"... and {len(moves) - LISTED} more; `moves TEXT` lists those with a prefix"
            )

    def _help(self) -> None:
        commands = Grid("type", "to", title="Commands")
        for command, meaning in COMMANDS:
            commands.add_row(command, meaning)
        self._console.print(commands)
        self._console.print(notation_table(self._game.notation))

    def _show_result(self, state: State) -> None:
        result = Grid("seat", "score", "return", title=f"Over after {state.ply} moves")
        for seat, (score, value) in enumerate(zip(state.scores, state.returns, strict=True)):
            who = f"{seat} (you)" if seat == self._seat else str(seat)
            result.add_row(who, f"{score:g}", f"{value:+g}")
        self._console.print(result)
        mine = state.returns[self._seat]
        click.echo("You win." if mine > 0 else "You lose." if mine < 0 else "A draw.")
