# The capture game in words; Python uses it through TELLING.

from tablier_core.abi cimport move_t

# The squares where a move or a capture begins and ends.
cdef int origin_of(move_t move) noexcept
cdef int target_of(move_t move) noexcept
