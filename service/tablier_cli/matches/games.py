"""Play one game of a match; it depends only on the match and the game's number."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from time import perf_counter

from tablier_core.options import Value
from tablier_core.position import Position
from tablier_core.registry import GAMES

from tablier_cli.matches.players import Budget, Player, find_player


@dataclass(frozen=True)
class Match:
    """Everything that determines the games of a match; can be pickled for other machines."""

    game: str
    options: Mapping[str, Value]
    # One per seat, as seated in the first game.
    players: tuple[str, ...]
    budget: Budget
    seed: int
    # Whether players change seats from game to game.
    rotating: bool


@dataclass(frozen=True)
class GameResult:
    """The result of one game, by player in the order of the match."""

    returns: tuple[float, ...]
    moves: tuple[int, ...]
    seconds: tuple[float, ...]


class BadMove(Exception):
    """A player chose an illegal move."""


def seating(match: Match, number: int) -> list[int]:
    """Return the player at each seat of a game."""
    count = len(match.players)
    turn = number % count if match.rotating else 0
    return [(seat + turn) % count for seat in range(count)]


def deal(match: Match, number: int) -> int:
    """Return the seed of a game; each deal is played once in every rotation of the seats."""
    rounds = number // len(match.players) if match.rotating else number
    return (match.seed + rounds) % 2**64


def play_game(match: Match, number: int, moved: Callable[[], None] | None = None) -> GameResult:
    """Play game `number` of a match; `moved` is called after every move."""
    return play_to_end(match, number, moved)[0]


def play_to_end(
    match: Match, number: int, moved: Callable[[], None] | None = None
) -> tuple[GameResult, Position]:
    """Play game `number` of a match, and also return its last position."""
    players = [find_player(name, match.budget) for name in match.players]
    seated = seating(match, number)
    rng = Random(f"{match.seed}/{number}")
    position = GAMES[match.game].start(match.options, deal(match, number))
    moves = [0] * len(players)
    seconds = [0.0] * len(players)
    while actors := position.actors:
        # In simultaneous phases, no seat knows what the others chose, so any order is fair.
        seat = rng.choice(actors)
        who = seated[seat]
        begun = perf_counter()
        action = choose(players[who], match.players[who], position, seat, rng)
        seconds[who] += perf_counter() - begun
        moves[who] += 1
        position = position.apply(seat, action)
        if moved is not None:
            moved()
    returns = [0.0] * len(players)
    for seat, value in enumerate(position.returns):
        returns[seated[seat]] = value
    return GameResult(tuple(returns), tuple(moves), tuple(seconds)), position


def choose(player: Player, name: str, position: Position, seat: int, rng: Random) -> int:
    """Ask a player for a move, given only its seat's view; raises BadMove."""
    action = player(position.view_of(seat), seat, rng)
    if not position.is_legal(seat, action):
        raise BadMove(f"{name} at seat {seat} chose action {action}, which is not legal")
    return action


def seats_of(game: str, options: Mapping[str, Value]) -> int:
    """Return the number of seats of a game with these options."""
    return GAMES[game].start(options, 0).seats


def fill_seats(players: Sequence[str], seats: int) -> tuple[str, ...]:
    """Assign a player to every seat; the last player takes all remaining seats."""
    if not 1 <= len(players) <= seats:
        raise ValueError(f"this game has {seats} seats, but {len(players)} players are named")
    return (*players, *[players[-1]] * (seats - len(players)))
