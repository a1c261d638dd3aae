"""One seat at a time: which seat to ask for the next move where several may move.

Learners and most frameworks ask one seat at a time. All of ours ask in this order:

  * The lowest actor is asked first. Where all actors have to move, each of them is asked once, in
    ascending order, because a seat that has moved is no longer an actor.
  * In an optional phase of the game, only the lowest actor has to move, and it is asked last. The
    other actors are asked before it, in ascending order. Each may move, or `wait`: an action that
    the core does not have, numbered `num_actions`. After a move the order begins again, so everyone
    can react to what happened.

Everyone knows which seats have waited: the actors below the seat that is asked.
"""

from collections.abc import Sequence

from tablier_core.position import Game, Position

def has_wait(game: Game) -> bool:
    """Return whether a game has an optional phase, and so the action `wait`."""

def asked_seat(position: Position, waited: int = 0) -> int:
    """Return the seat that is asked for the next move, or -1 if the game is over.

    `waited` is a mask of the seats that have waited since the last move: bit i stands for seat i.
    """

def asked_among(game: Game, phase: str, actors: Sequence[int], waited: int = 0) -> int:
    """Do the same where only the phase and the actors are known, as in answers of a service."""

def can_wait(position: Position, seat: int) -> bool:
    """Return whether a seat that is asked for the next move may wait instead."""

def can_wait_among(game: Game, phase: str, actors: Sequence[int], seat: int) -> bool:
    """Do the same where only the phase and the actors are known."""
