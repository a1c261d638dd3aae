# How likely each seat is to win.

cdef void evaluate(const void* state, double* out) noexcept nogil
