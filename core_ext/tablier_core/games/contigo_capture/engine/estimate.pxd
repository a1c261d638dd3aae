# Estimated returns: the slot `evaluate` of the game's GameOps.

cdef void evaluate(const void* state, double* out) noexcept nogil
