# Uniformly random play of any game: for play-outs, soak tests and searches without judgement.
#
# A kernel header: a game of tic-tac-toe takes a tenth of a microsecond, and calling this loop
# through another module would add a tenth to that (docs/adr/0011-declarations-in-headers.md).

from libc.stdint cimport uint32_t, uint64_t

from tablier_core.abi cimport GameOps, move_t
from tablier_core.rng cimport Rng, rng_below

cdef extern from *:
    int __builtin_ctz(unsigned int) noexcept nogil

# What a random game consisted of.
ctypedef struct Played:
    uint32_t moves              # moves played
    uint64_t generated          # legal moves listed, summed over all moves played


cdef inline int random_actor(uint32_t actors, Rng* rng) noexcept nogil:
    """Return a random seat of a non-empty mask. A single actor takes no random number."""
    cdef uint32_t count = 0, rest = actors, _skipped
    if actors & (actors - 1):
        while rest:
            rest &= rest - 1
            count += 1
        for _skipped in range(rng_below(rng, count)):
            actors &= actors - 1
    return __builtin_ctz(actors)


cdef inline Played playout(
    const GameOps* ops, void* state, move_t* scratch, uint32_t limit, Rng* rng
) noexcept nogil:
    """Play random moves to the end of the game, at most `limit` of them.

    Each move takes one random number for the seat if several may move, then one for the choice.
    `scratch` has room for max_moves + MOVE_SLACK moves.
    """
    cdef Played played = Played(moves=0, generated=0)
    # A copy that no slot can reach stays in registers across the calls.
    cdef Rng own = rng[0]
    cdef uint32_t actors, n
    cdef int seat
    while played.moves < limit:
        actors = ops.actors(state)
        if not actors:
            break
        seat = random_actor(actors, &own)
        n = ops.moves(state, seat, scratch)
        ops.apply(state, seat, scratch[rng_below(&own, n)])
        played.moves += 1
        played.generated += n
    rng[0] = own
    return played
