"""`tablier play`: play in the terminal against the advisor or random moves."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from random import Random

import click
from rich.columns import Columns
from rich.console import Console
from rich.table import Table
from rich.text import Text
from tablier_client import TablierError
from tablier_core.drawing import counted
from tablier_core.position import Game

from tablier_cli.arguments import command_error, find_game, parse_options
from tablier_cli.backend import State, open_backend
from tablier_cli.catalogue import notation_table
from tablier_cli.ongoing_game import MoveRejected, OngoingGame

# The most moves listed at once; a prefix narrows the list down.
LISTED = 60

COMMANDS = (
    ("MOVE", "make this move, written as `moves` lists it"),
    ("moves", "list your legal moves"),
    ("moves TEXT", "list your legal moves that start with TEXT"),
    ("help", "show this help"),
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
    """Start a game and play until it is over or the player quits."""
    game = find_game(name)
    options = parse_options(game, pairs)
    if seed is None:
        seed = secrets.randbits(32)
    try:
        with open_backend(server) as backend:
            ongoing = OngoingGame(backend, game, options, seed)
            seats = ongoing.state.seats
            if seat >= seats:
                raise click.BadParameter(
                    f"this game has {seats} seats, numbered from 0", param_hint="--seat"
                )
            others = f"play at level {level}" if level else "move at random"
            click.echo(
                f"{game.title}, seed {seed}. You have seat {seat}; the others {others}. "
                "Type `help` for help."
            )
            TerminalPlayer(game, ongoing, seat, level, Random(seed)).run()
    except TablierError as error:
        raise command_error(error) from None


class TerminalPlayer:
    """Plays one seat by prompting, and the others at a level or at random."""

    def __init__(
        self, game: Game, ongoing: OngoingGame, seat: int, level: int | None, chance: Random
    ) -> None:
        self._game = game
        self._ongoing = ongoing
        self._seat = seat
        # Level of the other players, or None if they move at random.
        self._level = level
        self._chance = chance
        self._console = Console()

    def run(self) -> None:
        """Play until the game is over or the player quits."""
        while (state := self._ongoing.state).actors:
            if self._seat in state.actors:
                click.echo(f"\n{self._ongoing.draw(self._seat)}")
                if not self._ask(state.phase):
                    return
            else:
                self._move_another(self._chance.choice(state.actors))
        click.echo(f"\n{self._ongoing.draw(self._seat)}\n")
        self._show_result(state)

    def _ask(self, phase: str) -> bool:
        """Prompt until the player makes a move; False if they quit instead."""
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
                    self._ongoing.play(self._seat, text.strip())
                except MoveRejected as error:
                    click.echo(f"{error} (`moves` lists your legal moves, `help` shows help)")
                else:
                    return True

    def _move_another(self, seat: int) -> None:
        if self._level:
            notation = self._ongoing.suggestion(seat, self._level, self._chance.getrandbits(64))
        else:
            notation = self._chance.choice(self._ongoing.notations(seat))
        self._ongoing.play(seat, notation)
        # With hidden information, the move itself may be secret; the drawing shows what is public.
        action = "moves" if self._game.has_hidden_information else f"plays {notation}"
        click.echo(f"seat {seat} {action}")

    def _list_moves(self, prefix: str) -> None:
        moves = [text for text in self._ongoing.notations(self._seat) if text.startswith(prefix)]
        if not moves:
            click.echo(f"no legal move starts with {prefix}")
            return
        self._console.print(Columns([Text(text) for text in moves[:LISTED]], padding=(0, 2)))
        if len(moves) > LISTED:
            click.echo(
                f"... and {len(moves) - LISTED} more; `moves TEXT` lists those that start with TEXT"
            )

    def _help(self) -> None:
        commands = Table("type", "to", title="Commands")
        for command, meaning in COMMANDS:
            commands.add_row(command, meaning)
        self._console.print(commands)
        self._console.print(notation_table(self._game.notation))

    def _show_result(self, state: State) -> None:
        result = Table(
            "seat", "score", "return", title=f"Game over after {counted(state.ply, 'move')}"
        )
        for seat, (score, value) in enumerate(zip(state.scores, state.returns, strict=True)):
            who = f"{seat} (you)" if seat == self._seat else str(seat)
            result.add_row(who, f"{score:g}", f"{value:+g}")
        self._console.print(result)
        mine = state.returns[self._seat]
        click.echo("You win." if mine > 0 else "You lose." if mine < 0 else "A draw.")
