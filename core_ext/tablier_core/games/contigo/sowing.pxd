# Sowing (rules page: A turn, step 2): take k beads from a pit and spread them over the next k pits.

from libc.stdint cimport uint8_t, uint32_t

from tablier_core.abi cimport move_t

cdef enum:
    SPLITS = 637                # ways to spread 1 to 6 beads over as many pits
    SOWINGS = 35672             # 28 pits x 2 directions x 637 splits

# Sowings are numbered by pit, then clockwise before anticlockwise, then the number of beads, then
# the split in lexicographic order.

# Write the legal sowings of a ring as `first` + their number, ascending, and return how many.
cdef uint32_t list_sowings(const uint8_t* beads, move_t first, move_t* out) noexcept nogil
# Carry out a legal sowing.
cdef void sow(uint8_t* beads, uint32_t sowing) noexcept nogil
# The pits whose beads a sowing changes, a bit each.
cdef uint32_t pits_of(uint32_t sowing) noexcept nogil
cdef int write_sowing(uint32_t sowing, char* out) noexcept nogil
# The number of a sowing, or -1 if the text is not one.
cdef long read_sowing(const char* text, size_t length) noexcept nogil
