"""A game under way as the terminal needs it: in this process, or on a service."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from tablier_client import Client, State, errors
from tablier_core.errors import TablierError
from tablier_core.options import Value
from tablier_core.position import Game, Position


class Refused(Exception):
    """A move that cannot be made; the message says why."""


@dataclass(frozen=True)
class Standing:
    """Where a game stands."""

    seats: int
    ply: int
    phase: str
    actors: Sequence[int]
    scores: Sequence[float]
    returns: Sequence[float]  # none before the end


class Table(Protocol):
    """A game with its moves so far."""

    def standing(self) -> Standing:
        """Where it stands."""

    def notations(self, seat: int) -> list[str]:
        """The legal moves of a seat."""

    def play(self, seat: int, notation: str) -> None:
        """Make a move; raises Refused."""

    def draw(self, seat: int) -> str:
        """What a seat sees, as text."""


class LocalTable:
    """A game in this process."""

    def __init__(self, game: Game, options: Mapping[str, Value], seed: int) -> None:
        self._position: Position = game.start(options, seed)

    def standing(self) -> Standing:
        here = self._position
        return Standing(here.seats, here.ply, here.phase, here.actors, here.scores, here.returns)

    def notations(self, seat: int) -> list[str]:
        return self._position.notations(seat)

    def play(self, seat: int, notation: str) -> None:
        try:
            action = self._position.game.read_move(notation)
            self._position = self._position.apply(seat, action)
        except TablierError as error:
            raise Refused(error.message) from None

    def draw(self, seat: int) -> str:
        return self._position.draw_text(seat)


class RemoteTable:
    """A game on a service."""

    def __init__(self, client: Client, game: Game, options: Mapping[str, Value], seed: int) -> None:
        # The service takes values, not the words that stand for them on a command line.
        values: dict[str, Any] = {
            option.name: option.read(options[option.name])
            for option in game.options
            if option.name in options
        }
        self._state: State = client.start(game.name, seed=seed, **values)

    def standing(self) -> Standing:
        here = self._state
        return Standing(here.seats, here.ply, here.phase, here.actors, here.scores, here.returns)

    def notations(self, seat: int) -> list[str]:
        return [move.notation for move in self._state.moves(seat)]

    def play(self, seat: int, notation: str) -> None:
        try:
            self._state = self._state.play(notation, seat=seat)
        except (errors.UnparsableMove, errors.IllegalMove) as error:
            raise Refused(error.message) from None

    def draw(self, seat: int) -> str:
        return self._state.draw(seat)
