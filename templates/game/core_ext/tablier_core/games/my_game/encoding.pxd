# The bytes of My Game, and its facts for Python.

from libc.stdint cimport uint8_t

cdef const char* FAULTS

cdef size_t pack(const void* state, uint8_t* out) noexcept nogil
cdef int unpack(void* state, const uint8_t* data, size_t length) noexcept nogil
