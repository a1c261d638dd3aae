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

from libc.stdint cimport uint32_t

from tablier_core.position cimport Game, Position

cdef extern from *:
    int __builtin_ctz(unsigned int) noexcept nogil


cdef int next_asked(uint32_t actors, bint optional, uint32_t waited) noexcept nogil:
    cdef uint32_t others
    if not actors:
        return -1
    # A mask without its lowest seat: those that need not move.
    others = actors & (actors - 1) & ~waited
    return __builtin_ctz(others if optional and others else actors)


cdef bint may_wait(uint32_t actors, bint optional, int seat) noexcept nogil:
    return optional and (actors & (actors - 1)) >> seat & 1


def has_wait(Game game not None):
    """Return whether a game has an optional phase, and so the action `wait`."""
    return bool(game.optional_phases)


def asked_seat(Position position not None, uint32_t waited=0):
    """Return the seat that is asked for the next move, or -1 if the game is over.

    `waited` is a mask of the seats that have waited since the last move: bit i stands for seat i.
    """
    return asked_among(position.game, position.phase, position.actors, waited)


def asked_among(Game game not None, str phase, actors, uint32_t waited=0):
    """Do the same where only the phase and the actors are known, as in answers of a service."""
    cdef uint32_t mask = 0
    for seat in actors:
        mask |= <uint32_t>1 << <int>seat
    return next_asked(mask, phase in game.optional_phases, waited)


def can_wait(Position position not None, int seat):
    """Return whether a seat that is asked for the next move may wait instead."""
    return can_wait_among(position.game, position.phase, position.actors, seat)


def can_wait_among(Game game not None, str phase, actors, int seat):
    """Do the same where only the phase and the actors are known."""
    return phase in game.optional_phases and seat in actors[1:]
