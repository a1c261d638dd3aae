# The bytes of a state (reference: Byte layout).

from libc.stdint cimport uint8_t

# The errors that `unpack` returns: one line per error code, from 1.
cdef const char* FAULTS

cdef size_t pack(const void* state, uint8_t* out) noexcept nogil
cdef int unpack(void* state, const uint8_t* data, size_t length) noexcept nogil
