# Looking up a move in the ascending list that a game's `moves` wrote.

from libc.stdint cimport uint32_t

from tablier_core.abi cimport move_t

# Return whether a move is among the n moves of an ascending list.
cdef bint is_listed(const move_t* moves, uint32_t n, move_t move) noexcept nogil
