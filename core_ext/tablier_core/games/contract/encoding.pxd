# The bytes of a state and their validation (reference: Byte layout).

from libc.stddef cimport size_t
from libc.stdint cimport uint8_t

# What `unpack` can find wrong, one line per error code from 1.
cdef const char* FAULTS

cdef size_t pack(const void* state, uint8_t* out) noexcept nogil
cdef int unpack(void* state, const uint8_t* data, size_t length) noexcept nogil
