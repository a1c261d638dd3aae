# The one random generator of the project: PCG-XSH-RR 64/32.
#
# Sixteen bytes of state, a stream number, and the same output on every machine: a game started
# from a seed is the same game everywhere, forever. tests/core/test_rng.py holds golden vectors.
# A stream is named by its purpose, so that two consumers of one seed never share numbers.

from libc.stdint cimport uint8_t, uint32_t, uint64_t

ctypedef struct Rng:
    uint64_t state
    uint64_t increment      # always odd; selects the stream

# What a stream of a seed is for. Values are part of every golden file: never renumber.
cpdef enum Stream:
    GAME_STREAM = 1         # set-up and every later shuffle or draw; lives inside the state
    PLAYOUT_STREAM = 2      # which moves random players choose
    VIEW_STREAM = 3         # the world drawn for a view token
    SEARCH_STREAM = 4       # everything that a search draws
    ENGINE_STREAM = 5       # what a game's own engine draws
    WORLD_STREAM = 6        # the world that advice starts from
    LEVEL_STREAM = 7        # when a level slips, and how
    SIMULATION_STREAM = 8   # worlds and seeds of simulated games


cdef inline uint32_t rng_next(Rng* rng) noexcept nogil:
    """Thirty-two uniform bits."""
    cdef uint64_t old = rng.state
    rng.state = old * <uint64_t>6364136223846793005u + rng.increment
    cdef uint32_t xorshifted = <uint32_t>(((old >> 18) ^ old) >> 27)
    cdef uint32_t rotation = <uint32_t>(old >> 59)
    return (xorshifted >> rotation) | (xorshifted << ((32 - rotation) & 31))


cdef inline void rng_seed(Rng* rng, uint64_t seed, uint64_t stream) noexcept nogil:
    """Start the given stream of a seed, by the generator's reference procedure."""
    rng.state = 0
    rng.increment = (stream << 1) | 1
    rng_next(rng)
    rng.state += seed
    rng_next(rng)


cdef inline uint32_t rng_below(Rng* rng, uint32_t bound) noexcept nogil:
    """A uniform integer in [0, bound), without bias; bound must be at least 1."""
    cdef uint64_t product = <uint64_t>rng_next(rng) * bound
    cdef uint32_t low = <uint32_t>product
    cdef uint32_t floor
    if low < bound:
        # Multiply-and-reject: `floor` values out of 2**32 would be favoured, so draw again there.
        floor = (<uint32_t>0 - bound) % bound
        while low < floor:
            product = <uint64_t>rng_next(rng) * bound
            low = <uint32_t>product
    return <uint32_t>(product >> 32)


cdef inline double rng_unit(Rng* rng) noexcept nogil:
    """A uniform double in [0, 1) with 53 random bits."""
    cdef uint64_t high = rng_next(rng) >> 5
    cdef uint64_t low = rng_next(rng) >> 6
    return <double>((high << 26) | low) * (1.0 / 9007199254740992.0)


# Fisher-Yates from the end: item i changes places with one of the first i + 1. The order of these
# draws is part of every golden file.
cdef void shuffle(uint8_t* items, int count, Rng* rng) noexcept nogil
