"""Helpers for tests of Mafia de Cuba: games written in a few words."""

from __future__ import annotations

from tablier_core.position import Position
from tablier_core.registry import GAMES

GAME = GAMES["mafia-de-cuba"]

# The takes of seats 1 to 7, without and with the cleaner.
ROUND = ("4", "loyal", "fbi", "driver", "3", "loyal", "nothing")
WITH_CLEANER = ("4", "cleaner", "fbi", "driver", "3", "loyal", "nothing")


def play(position: Position, *moves: str) -> Position:
    """Play moves written as `seat notation`."""
    for move in moves:
        seat, notation = move.split(" ", 1)
        position = position.apply(int(seat), GAME.read_move(notation))
    return position


def start(**options: object) -> Position:
    return GAME.start(options, 0)


def theft(position: Position, *takes: str, hide: int = 0, pouch: str = "none") -> Position:
    """Play the theft, with the takes of seats 1, 2, ..."""
    position = play(position, f"0 hide {hide}", f"1 pouch {pouch}")
    return play(position, *(f"{seat} take {take}" for seat, take in enumerate(takes, start=1)))


def notations(position: Position, seat: int) -> list[str]:
    return [GAME.write_move(move) for move in position.moves(seat)]


def winners(position: Position) -> list[int]:
    assert position.phase == "over"
    return list(position.observe().winners)


def accused(seat: int, takes: tuple[str, ...] = WITH_CLEANER, **options: object) -> Position:
    return play(theft(start(cleaner=True, **options), *takes), f"0 accuse {seat}")


def reactions(position: Position, **shooter: str) -> Position:
    """Every seat that is asked holds, or reacts as `seat<number>` states."""
    return play(position, *(f"{s} {shooter.get(f'seat{s}', 'hold')}" for s in position.actors))
