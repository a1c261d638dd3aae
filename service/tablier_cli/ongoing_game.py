"""A game in progress, on any backend."""

from __future__ import annotations

from collections.abc import Mapping

from tablier_client import errors
from tablier_core.options import Value
from tablier_core.position import Game

from tablier_cli.backend import Backend, State


class MoveRejected(Exception):
    """The move is unreadable or illegal; the message explains why."""


def start_game(backend: Backend, game: Game, options: Mapping[str, Value], seed: int) -> State:
    """Start a game and return its first state."""
    state: State = backend.send(backend.calls.start(game.name, options, seed=seed))
    return state


class OngoingGame:
    """A game in progress; `state` is its current state."""

    def __init__(
        self, backend: Backend, game: Game, options: Mapping[str, Value], seed: int
    ) -> None:
        self._backend = backend
        self.state = start_game(backend, game, options, seed)

    def notations(self, seat: int) -> list[str]:
        """List the legal moves of a seat."""
        moves = self._backend.send(self._backend.calls.moves(self.state, seat))
        return [move.notation for move in moves]

    def suggestion(self, seat: int, level: int, seed: int) -> str:
        """Return the move that the advisor plays for a seat at a level."""
        call = self._backend.calls.suggest(self.state, seat, level=level, seed=seed, limit=1)
        return self._backend.send(call).suggestions[0].move.notation

    def play(self, seat: int, notation: str) -> None:
        """Make a move; raises MoveRejected."""
        try:
            self.state = self._backend.send(
                self._backend.calls.play(self.state, notation, seat=seat)
            )
        except (errors.UnparsableMove, errors.IllegalMove) as error:
            raise MoveRejected(error.message) from None

    def draw(self, seat: int) -> str:
        """Draw a seat's view as text."""
        return self._backend.send(self._backend.calls.draw(self.state, seat))
