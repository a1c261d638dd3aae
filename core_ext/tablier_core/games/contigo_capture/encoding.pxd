# The bytes of a capture game (reference: Byte layout).

from libc.stdint cimport uint8_t

cdef const char* FAULTS                 # what `unpack` can find wrong, one line per code from 1

cdef size_t pack(const void* state, uint8_t* out) noexcept nogil
cdef int unpack(void* state, const uint8_t* data, size_t length) noexcept nogil
