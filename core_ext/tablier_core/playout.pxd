# Uniformly random play over any game: what play-outs, soak tests and searches without knowledge do.

from libc.stdint cimport uint32_t

from tablier_core.abi cimport GameOps, move_t
from tablier_core.rng cimport Rng, rng_below


cdef inline int random_actor(uint32_t actors, Rng* rng) noexcept nogil:
    """One seat of a non-empty mask, uniformly. A single actor costs no random number."""
    cdef int seat = 0
    cdef uint32_t count = 0, rest = actors
    while rest:
        rest &= rest - 1
        count += 1
    cdef uint32_t skip = rng_below(rng, count) if count > 1 else 0
    while True:
        if actors & (<uint32_t>1 << seat):
            if skip == 0:
                return seat
            skip -= 1
        seat += 1


cdef inline uint32_t playout(
    const GameOps* ops, void* state, move_t* scratch, uint32_t limit, Rng* rng
) noexcept nogil:
    """Play random moves to the end of the game, `limit` at most, and return how many were played.

    `scratch` has room for max_moves + MOVE_SLACK moves.
    """
    cdef uint32_t played = 0, actors, n
    cdef int seat
    while played < limit:
        actors = ops.actors(state)
        if not actors:
            break
        seat = random_actor(actors, rng)
        n = ops.moves(state, seat, scratch)
        ops.apply(state, seat, scratch[rng_below(rng, n)])
        played += 1
    return played
