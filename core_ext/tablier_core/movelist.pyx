"""The ascending list that a game's `moves` wrote: looking up a move, and the list as a mask."""

from libc.stddef cimport size_t
from libc.stdint cimport uint8_t, uint32_t
from libc.string cimport memset

from tablier_core.abi cimport move_t


cdef bint is_listed(const move_t* moves, uint32_t n, move_t move) noexcept nogil:
    cdef uint32_t low = 0, high = n, middle
    while low < high:
        middle = (low + high) // 2
        if moves[middle] < move:
            low = middle + 1
        else:
            high = middle
    return low < n and moves[low] == move


cdef size_t mask_size(uint32_t num_actions) noexcept nogil:
    return num_actions if num_actions <= LONGEST_BYTE_MASK else (num_actions + 7) // 8


cdef void write_mask(
    const move_t* moves, uint32_t n, uint32_t num_actions, uint8_t* mask
) noexcept nogil:
    cdef uint32_t i
    memset(mask, 0, mask_size(num_actions))
    if num_actions <= LONGEST_BYTE_MASK:
        for i in range(n):
            mask[moves[i]] = 1
    else:
        for i in range(n):
            mask[moves[i] >> 3] |= <uint8_t>(1 << (moves[i] & 7))
