"""Looking up a move in the ascending list that a game's `moves` wrote."""

from libc.stdint cimport uint32_t

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
