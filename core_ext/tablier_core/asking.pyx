"""One seat at a time: whom to ask for the next move where several seats may move.

Learners and most frameworks ask one seat at a time. All of ours ask in this order:

  * The lowest actor is asked first. Where all actors have to move, each of them is asked once, in
    ascending order, because a seat that has moved is no actor any more.
  * In an optional phase of the game, only the lowest actor has to move, and it is asked last. The
    other actors are asked before it, in ascending order. Each may move, or `wait`: an action that
    the core does not have, numbered `num_actions`. After a move the order begins again, so everyone
    can react to what happened.

Who has waited is known to all: the actors below the seat that is asked.
"""

from libc.stdint cimport uint32_t

from tablier_core.position cimport Position

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


def has_wait(game):
    """Return whether a game has an optional phase, and so the action `wait`."""
    return bool(game.optional_phases)


def asked_seat(Position position not None, uint32_t waited=0):
    """Return the seat that is asked for the next move, or -1 if the game is over.

    `waited` is a mask of the seats that have waited since the last move: bit i stands for seat i.
    """
    cdef bint optional = position.phase in position.game.optional_phases
    return next_asked(position.game.ops.actors(position.state), optional, waited)


def can_wait(Position position not None, int seat):
    """Return whether a seat that is asked for the next move may wait instead."""
    cdef bint optional = position.phase in position.game.optional_phases
    return may_wait(position.game.ops.actors(position.state), optional, seat)
