"""Games as the adapters see them: one seat at a time, in numbers.

A `Turn` is a moment of a game: the seat that is asked, what each seat observes, and the legal
actions. It never changes; `play` returns the next one. A `Source` starts games. The order in which
seats are asked, and the action `wait`, are those of `tablier_core.asking`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Protocol, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray
from tablier_core import asking, codec
from tablier_core.advice import advise
from tablier_core.drawing import PLAIN
from tablier_core.errors import UnknownGame
from tablier_core.png import draw_pixels
from tablier_core.position import REFEREE, Game, Position
from tablier_core.registry import GAMES
from tablier_core.testing.games import TESTING_GAMES

ALL_GAMES: Mapping[str, Game] = {**GAMES, **TESTING_GAMES}

Observation: TypeAlias = NDArray[np.float32]
Mask: TypeAlias = NDArray[np.int8]


def find_game(name: str) -> Game:
    """Return a game by its name, such as "contigo-alignment"; raises UnknownGame."""
    if name not in ALL_GAMES:
        known = ", ".join(ALL_GAMES)
        raise UnknownGame("game", f"unknown game {name!r}; choose from: {known}")
    return ALL_GAMES[name]


class Turn(ABC):
    """A moment of a game."""

    game: Game
    phase: str
    actors: Sequence[int]
    """The seats that may move."""
    returns: Sequence[float]
    """The return of every seat, from -1 to 1; empty until the game is over."""
    waited: int
    """The seats that have waited since the last move, as a bit mask."""

    @property
    @abstractmethod
    def position(self) -> Position:
        """The position in the core; raises TokenMalformed if a service keeps it secret."""

    @abstractmethod
    def moves(self, seat: int) -> list[int]:
        """Return the actions of a seat that the rules allow now."""

    @abstractmethod
    def observe(self, seat: int) -> Observation:
        """Return the features that a seat observes."""

    @abstractmethod
    def apply(self, seat: int, action: int) -> Self:
        """Return the turn after a move of any seat that may move."""

    @abstractmethod
    def wait(self, waited: int) -> Self:
        """Return the same turn after these seats have waited."""

    @abstractmethod
    def advise(self, level: int, seed: int) -> int:
        """Return the action that a level chooses for the seat that is asked."""

    @abstractmethod
    def draw_text(self, viewer: int) -> str:
        """Draw what a viewer sees as text."""

    @abstractmethod
    def draw_svg(self, viewer: int) -> str:
        """Draw what a viewer sees as SVG."""

    @cached_property
    def asked(self) -> int:
        """The seat that moves next, or -1 if the game is over."""
        return asking.asked_among(self.game, self.phase, self.actors, self.waited)

    def can_wait(self, seat: int) -> bool:
        """Return whether a seat may wait instead of moving."""
        return asking.can_wait_among(self.game, self.phase, self.actors, seat)

    def legal(self, seat: int) -> list[int]:
        """Return the legal actions of a seat, ascending; none unless it is asked."""
        if seat != self.asked:
            return []
        return self.moves(seat) + [self.game.num_actions] * self.can_wait(seat)

    def play(self, action: int) -> Self:
        """Return the turn after a legal action of the seat that is asked."""
        if action == self.game.num_actions and self.can_wait(self.asked):
            return self.wait(self.waited | 1 << self.asked)
        return self.apply(self.asked, action)

    def __deepcopy__(self, memo: object) -> Self:
        return self


class Source(Protocol):
    """Starts games with the same options."""

    @property
    def game(self) -> Game:
        """The game."""

    @property
    def seats(self) -> int:
        """The number of seats."""

    def start(self, seed: int) -> Turn:
        """Start a game."""


# ---- In this process -----------------------------------------------------------------------------


class LocalTurn(Turn):
    """A position of the core in this process."""

    def __init__(self, position: Position, waited: int = 0) -> None:
        self._position = position
        self.waited = waited
        self.game = position.game
        self.phase = position.phase
        self.actors = position.actors

    @property
    def position(self) -> Position:
        return self._position

    @cached_property
    def returns(self) -> Sequence[float]:  # type: ignore[override]
        return self._position.returns

    def moves(self, seat: int) -> list[int]:
        return self._position.moves(seat)

    def observe(self, seat: int) -> Observation:
        return np.frombuffer(self._position.features(seat), np.float32)

    def apply(self, seat: int, action: int) -> LocalTurn:
        return LocalTurn(self._position.apply(seat, action))

    def wait(self, waited: int) -> LocalTurn:
        return LocalTurn(self._position, waited)

    def advise(self, level: int, seed: int) -> int:
        return advise(self._position, self.asked, level=level, seed=seed).suggestions[0].action

    def draw_text(self, viewer: int) -> str:
        return self._position.draw_text(viewer)

    def draw_svg(self, viewer: int) -> str:
        return self._position.draw_svg(viewer, PLAIN)

    def __reduce__(self) -> tuple[Any, ...]:
        return restore_turn, (codec.encode(self._position), self.waited)


def restore_turn(token: bytes, waited: int) -> LocalTurn:
    """Restore a pickled turn."""
    return LocalTurn(codec.decode(token, ALL_GAMES), waited)


@dataclass(frozen=True)
class LocalSource:
    """Starts games on the compiled core in this process."""

    name: str
    options: Mapping[str, object] = field(default_factory=dict)

    @cached_property
    def game(self) -> Game:
        """The game."""
        return find_game(self.name)

    @cached_property
    def seats(self) -> int:
        """The number of seats, which the options decide."""
        return self.game.start(self.options, 0).seats

    def start(self, seed: int) -> LocalTurn:
        return LocalTurn(self.game.start(self.options, seed))

    def __reduce__(self) -> tuple[Any, ...]:
        return LocalSource, (self.name, dict(self.options))


# ---- In numbers ----------------------------------------------------------------------------------


def count_actions(game: Game) -> int:
    """Return the number of actions, with `wait` if the game has it."""
    return game.num_actions + asking.has_wait(game)


def bounds(game: Game) -> tuple[Observation, Observation]:
    """Return the lowest and the highest value of every feature."""
    low, high = (np.empty(game.num_features, np.float32) for _ in range(2))
    for part in game.features:
        low[part.offset : part.offset + part.size] = part.low
        high[part.offset : part.offset + part.size] = part.high
    return low, high


def mask_of(legal: list[int], actions: int) -> Mask:
    """Return a mask of legal actions."""
    mask = np.zeros(actions, np.int8)
    mask[legal] = 1
    return mask


# ---- Pictures ------------------------------------------------------------------------------------

RENDER_MODES = ("human", "ansi", "svg", "rgb_array")


def render(turn: Turn, mode: str | None, viewer: int = REFEREE) -> Any:
    """Draw a turn: as text for "ansi", on the terminal for "human", as SVG, or as pixels."""
    if mode == "ansi":
        return turn.draw_text(viewer)
    if mode == "svg":
        return turn.draw_svg(viewer)
    if mode == "rgb_array":
        width, height, pixels = draw_pixels(turn.draw_svg(viewer))
        return np.frombuffer(pixels, np.uint8).reshape(height, width, 3)
    if mode == "human":
        print(turn.draw_text(viewer))  # noqa: T201
    return None


def check_render_mode(mode: str | None) -> None:
    """Raise ValueError for an unknown mode."""
    if mode is not None and mode not in RENDER_MODES:
        raise ValueError(f"render_mode must be one of {', '.join(RENDER_MODES)}, not {mode!r}")
