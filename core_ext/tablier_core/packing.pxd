# Little-endian fields in a byte buffer, for every game's `pack` and `unpack` and for the envelope.
# Each function moves the cursor that it is given.

from libc.stdint cimport uint8_t, uint64_t


cdef inline void put(uint8_t** cursor, uint64_t value, int size) noexcept nogil:
    """Append the low `size` bytes of a value."""
    cdef int i
    for i in range(size):
        cursor[0][i] = <uint8_t>(value >> (8 * i))
    cursor[0] += size


cdef inline uint64_t take(const uint8_t** cursor, int size) noexcept nogil:
    """Read the next `size` bytes as one value; the caller has checked that they are there."""
    cdef uint64_t value = 0
    cdef int i
    for i in range(size):
        value |= <uint64_t>cursor[0][i] << (8 * i)
    cursor[0] += size
    return value
