"""What a game's own knowledge says of a position, for tests: the slot `evaluate` alone."""

from tablier_core.abi cimport MAX_SEATS
from tablier_core.position cimport Position


def estimate(Position position not None):
    """Estimated returns of every seat in a game that is not over."""
    cdef double out[MAX_SEATS]
    cdef int seat
    if position.over or position.game.ops.evaluate == NULL:
        raise ValueError("the game is over, or has no estimate")
    position.game.ops.evaluate(position.state, out)
    return [out[seat] for seat in range(position.seats)]
