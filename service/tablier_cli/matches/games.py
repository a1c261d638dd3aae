"""One game of a match, from its number alone, so that it can be played anywhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random
from time import perf_counter

from tablier_core.options import Value
from tablier_core.position import Position
from tablier_core.registry import GAMES

from tablier_cli.matches.players import Budget, Player, find_player


@dataclass(frozen=True)
class Match:
    """All that decides how the games of a match go; small, and can be sent to other machines."""

    game: str
    options: Mapping[str, Value]
    # One for every seat of the first game.
    players: tuple[str, ...]
    budget: Budget
    seed: int
    # Whether players change seats from game to game.
    rotating: bool


@dataclass(frozen=True)
class GameResult:
    """How one game ended, by player as the match lists them."""

    returns: tuple[float, ...]
    moves: tuple[int, ...]
    seconds: tuple[float, ...]


class BadMove(Exception):
    """A player chose a move that it does not have."""


def seating(match: Match, number: int) -> list[int]:
    """Which player has which seat in a game: element i is the player at seat i."""
    count = len(match.players)
    turn = number % count if match.rotating else 0
    return [(seat + turn) % count for seat in range(count)]


def deal(match: Match, number: int) -> int:
    """The seed of a game's chance: players play each deal from every seat before the next."""
    rounds = number // len(match.players) if match.rotating else number
    return (match.seed + rounds) % 2**64


def play_game(match: Match, number: int) -> GameResult:
    """Play game `number` of a match."""
    players = [find_player(name, match.budget) for name in match.players]
    seated = seating(match, number)
    rng = Random(f"{match.seed}/{number}")
    position = GAMES[match.game].start(match.options, deal(match, number))
    moves = [0] * len(players)
    seconds = [0.0] * len(players)
    while actors := position.actors:
        # Where several are to move at once, none knows what the others chose: any order will do.
        seat = rng.choice(actors)
        who = seated[seat]
        begun = perf_counter()
        action = choose(players[who], match.players[who], position, seat, rng)
        seconds[who] += perf_counter() - begun
        moves[who] += 1
        position = position.apply(seat, action)
    returns = [0.0] * len(players)
    for seat, value in enumerate(position.returns):
        returns[seated[seat]] = value
    return GameResult(tuple(returns), tuple(moves), tuple(seconds))


def choose(player: Player, name: str, position: Position, seat: int, rng: Random) -> int:
    """The move of a player, who is told nothing that its seat does not know."""
    action = player(position.view_of(seat), seat, rng)
    if not position.is_legal(seat, action):
        raise BadMove(f"{name} at seat {seat} chose {action}, which is no legal move")
    return action


def seats_of(game: str, options: Mapping[str, Value]) -> int:
    """How many seats a game with these options has."""
    return GAMES[game].start(options, 0).seats


def fill_seats(players: Sequence[str], seats: int) -> tuple[str, ...]:
    """A player for every seat: the last one named takes those that are left."""
    if not 1 <= len(players) <= seats:
        raise ValueError(f"this game has {seats} seats, for 1 to {seats} players")
    return (*players, *[players[-1]] * (seats - len(players)))
