# The bytes of a Contrast state.

from libc.stdint cimport uint8_t

# One line per fault of `unpack`, from 1.
cdef const char* FAULTS

cdef size_t pack(const void* state, uint8_t* out) noexcept nogil
cdef int unpack(void* state, const uint8_t* data, size_t length) noexcept nogil
