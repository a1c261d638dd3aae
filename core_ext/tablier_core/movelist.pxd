# The ascending list that a game's `moves` wrote: looking up a move, and the list as a mask.

from libc.stddef cimport size_t
from libc.stdint cimport uint8_t, uint32_t

from tablier_core.abi cimport move_t

# Return whether a move is among the n moves of an ascending list.
cdef bint is_listed(const move_t* moves, uint32_t n, move_t move) noexcept nogil

# A mask marks the legal ones of all actions. It has a byte per action, 1 or 0, as long as there are
# at most this many; otherwise a bit per action, the least significant one of a byte first.
cdef enum:
    LONGEST_BYTE_MASK = 4096

# Return the number of bytes of a mask.
cdef size_t mask_size(uint32_t num_actions) noexcept nogil
# Write a mask of n listed moves.
cdef void write_mask(
    const move_t* moves, uint32_t n, uint32_t num_actions, uint8_t* mask
) noexcept nogil
