"""A game under way as the terminal needs it, on whatever service."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tablier_client import errors
from tablier_core.options import Value
from tablier_core.position import Game

from tablier_cli.service import Service, State


class Refused(Exception):
    """A move that cannot be made; the message says why."""


def start_game(service: Service, game: Game, options: Mapping[str, Value], seed: int) -> State:
    """The first state of a game."""
    # The service takes values, not the words that stand for them on a command line.
    values: dict[str, Any] = {
        option.name: option.read(options[option.name])
        for option in game.options
        if option.name in options
    }
    state: State = service.send(service.calls.start(game.name, seed=seed, **values))
    return state


class Table:
    """A game with its moves so far."""

    def __init__(
        self, service: Service, game: Game, options: Mapping[str, Value], seed: int
    ) -> None:
        self._service = service
        # Where the game stands.
        self.state = start_game(service, game, options, seed)

    def notations(self, seat: int) -> list[str]:
        """The legal moves of a seat."""
        moves = self._service.send(self._service.calls.moves(self.state, seat))
        return [move.notation for move in moves]

    def suggestion(self, seat: int, level: int, seed: int) -> str:
        """What the machine would play for a seat at a level."""
        call = self._service.calls.suggest(self.state, seat, level=level, seed=seed, limit=1)
        return self._service.send(call).suggestions[0].move.notation

    def play(self, seat: int, notation: str) -> None:
        """Make a move; raises Refused."""
        try:
            self.state = self._service.send(
                self._service.calls.play(self.state, notation, seat=seat)
            )
        except (errors.UnparsableMove, errors.IllegalMove) as error:
            raise Refused(error.message) from None

    def draw(self, seat: int) -> str:
        """What a seat sees, as text."""
        return self._service.send(self._service.calls.draw(self.state, seat))
