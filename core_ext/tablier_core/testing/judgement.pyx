"""A game's own judgement of a position, for tests: the slot `evaluate` by itself."""

from tablier_core.abi cimport MAX_SEATS
from tablier_core.position cimport Position


def estimate(Position position not None):
    """Return the estimated returns of all seats in a game that is not over."""
    cdef double out[MAX_SEATS]
    cdef int seat
    position.check_running()
    if position.game.ops.evaluate == NULL:
        raise ValueError("this game has no estimate")
    position.game.ops.evaluate(position.state, out)
    return [out[seat] for seat in range(position.seats)]
