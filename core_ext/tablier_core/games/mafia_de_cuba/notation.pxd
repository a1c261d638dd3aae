# The notation of Mafia de Cuba (reference: Moves and notation).

from tablier_core.abi cimport move_t

cdef int write_move(move_t move, char* out) noexcept nogil
cdef long read_move(const char* text, size_t length) noexcept nogil

# The same words for Python. A claim is a number of diamonds, counts by token kind, or a take.
cdef str name_question(int question)
cdef str name_take(int taken)
cdef object name_claim(int claim)
