# The notation of My Game.

from tablier_core.abi cimport move_t

cdef int write_move(move_t move, char* out) noexcept nogil
cdef long read_move(const char* text, size_t length) noexcept nogil
