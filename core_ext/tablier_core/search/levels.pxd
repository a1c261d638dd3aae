# Levels of playing strength for people, 1 to 10: the one place that says what a level is.
#
# A level thinks for so many iterations, each level twice as many as the one below, and now and then
# slips: it then plays a legal move drawn at random. docs/protocol.md has the table.

from libc.stdint cimport uint32_t, uint64_t

cdef enum:
    FULL_STRENGTH = 0               # no level: all of the budget, and no slips
    LEVELS = 10


cdef inline uint64_t level_iterations(int level) noexcept nogil:
    return <uint64_t>8 << level


cdef inline uint32_t level_slips(int level) noexcept nogil:
    """Of a hundred moves, how many are slips: 60 at level 1, none from level 9 on."""
    return (LEVELS - level) * (LEVELS - level) * 3 // 4
