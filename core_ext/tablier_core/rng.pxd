# The project's random number generator: PCG-XSH-RR 64/32.
#
# Its state has 16 bytes, and it draws the same numbers on every machine, so a seed always gives the
# same game. tests/core/test_rng.py holds golden vectors. Each purpose has a stream of its own, so
# two consumers of one seed never share numbers.
#
# A kernel header: `rng_next` and `rng_below` are inline because games draw in their innermost loops
# (docs/adr/0011-declarations-in-headers.md has the measurements).

from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t

# What can be shuffled.
ctypedef fused item_t:
    uint8_t
    uint16_t

ctypedef struct Rng:
    uint64_t state
    uint64_t increment      # always odd; selects the stream

# The purpose of a stream. The numbers are part of every golden file: never change them.
cpdef enum Stream:
    GAME_STREAM = 1         # setup, and every later shuffle or draw; part of the state
    PLAYOUT_STREAM = 2      # the moves of random players
    VIEW_STREAM = 3         # the world of a view token
    SEARCH_STREAM = 4       # everything that a search draws
    ENGINE_STREAM = 5       # everything that a game's own engine draws
    WORLD_STREAM = 6        # the world that advice starts from
    LEVEL_STREAM = 7        # when a level slips, and the move that it plays then
    SIMULATION_STREAM = 8   # the worlds and seeds of simulated games
    EPISODE_STREAM = 9      # the seeds of a vector's later episodes


cdef inline uint32_t rng_next(Rng* rng) noexcept nogil:
    """Return 32 uniform bits."""
    cdef uint64_t old = rng.state
    rng.state = old * <uint64_t>6364136223846793005u + rng.increment
    cdef uint32_t xorshifted = <uint32_t>(((old >> 18) ^ old) >> 27)
    cdef uint32_t rotation = <uint32_t>(old >> 59)
    return (xorshifted >> rotation) | (xorshifted << ((32 - rotation) & 31))


cdef inline void rng_seed(Rng* rng, uint64_t seed, uint64_t stream) noexcept nogil:
    """Start a stream of a seed, by the generator's reference procedure."""
    rng.state = 0
    rng.increment = (stream << 1) | 1
    rng_next(rng)
    rng.state += seed
    rng_next(rng)


cdef inline uint32_t rng_below(Rng* rng, uint32_t bound) noexcept nogil:
    """Return a uniform integer in [0, bound), without bias; bound must be at least 1."""
    cdef uint64_t product = <uint64_t>rng_next(rng) * bound
    cdef uint32_t low = <uint32_t>product
    cdef uint32_t floor
    if low < bound:
        # Multiply and reject: `floor` of the 2**32 values would be favoured, so draw again.
        floor = (<uint32_t>0 - bound) % bound
        while low < floor:
            product = <uint64_t>rng_next(rng) * bound
            low = <uint32_t>product
    return <uint32_t>(product >> 32)


# Return a uniform double in [0, 1) with 53 random bits.
cdef double rng_unit(Rng* rng) noexcept nogil

# Draw one of n indices with these weights, which need not add up to 1; one at least is positive.
cdef int draw_weighted(const double* weights, int n, Rng* rng) noexcept nogil

# Shuffle from the end (Fisher-Yates): swap item i with one of the first i + 1 items. The order of
# these draws is part of every golden file.
cdef void shuffle(item_t* items, int count, Rng* rng) noexcept nogil

# Shuffle from the start: swap item i with one of the first i + 1 items, for i from 1. Mafia de Cuba
# draws in this order, which its golden files fix.
cdef void shuffle_upwards(uint8_t* items, int count, Rng* rng) noexcept nogil
