# Sowings (reference: A turn): take k beads from a pit and spread them over the next k pits.

from libc.stdint cimport uint8_t, uint32_t

from tablier_core.abi cimport move_t

cdef enum:
    SPLITS = 637                # ways to spread 1 to 6 beads over as many pits
    SOWINGS = 35672             # 28 pits x 2 directions x 637 splits

# Sowings are numbered by pit, then clockwise before anticlockwise, then by split. Splits are
# numbered by the beads they take, then in lexicographic order.

cdef inline uint32_t sowing_number(uint32_t pit, bint clockwise, uint32_t split) noexcept nogil:
    return (2 * pit + (not clockwise)) * SPLITS + split


cdef inline uint32_t pit_of(uint32_t sowing) noexcept nogil:
    """The pit that a sowing takes its beads from."""
    return sowing // (2 * SPLITS)


cdef inline bint is_clockwise(uint32_t sowing) noexcept nogil:
    return sowing // SPLITS % 2 == 0


cdef inline uint32_t split_of(uint32_t sowing) noexcept nogil:
    return sowing % SPLITS


# Copy what a split drops, nearest pit first, and return how many beads it takes, which is also how
# many pits it reaches. `drops` has room for PIT_LIMIT counts; those behind the last pit are 0.
cdef int read_split(uint32_t split, uint8_t* drops) noexcept nogil
# The number of the split that takes `count` beads and drops `drops` of them, nearest pit first, or
# -1 if there is none.
cdef long find_split(const uint8_t* drops, int count) noexcept nogil

# Write the legal sowings of a ring as `first` + their number, ascending, and return how many there
# are. Overwrites up to MOVE_SLACK entries of `out` behind the last one.
cdef uint32_t list_sowings(const uint8_t* beads, move_t first, move_t* out) noexcept nogil
# Carry out a legal sowing.
cdef void sow(uint8_t* beads, uint32_t sowing) noexcept nogil
# The pits whose beads a sowing changes, one bit per pit.
cdef uint32_t changed_pits(uint32_t sowing) noexcept nogil
