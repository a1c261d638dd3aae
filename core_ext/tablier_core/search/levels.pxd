# Playing strength for people: levels 1 to 10. This is the only place that defines a level.
#
# Each level thinks for twice as many iterations as the level below. Low levels also slip: now and
# then they play a random legal move. docs/protocol.md has the table.

from libc.stdint cimport uint32_t, uint64_t

cdef enum:
    FULL_STRENGTH = 0               # no level: the whole budget, and no slips
    LEVELS = 10


cdef inline uint64_t level_iterations(int level) noexcept nogil:
    """Return the number of iterations that a level thinks for."""
    return <uint64_t>8 << level


cdef inline uint32_t level_slips(int level) noexcept nogil:
    """Return how many moves in a hundred are slips: 60 at level 1, none from level 9 on."""
    return (LEVELS - level) * (LEVELS - level) * 3 // 4
