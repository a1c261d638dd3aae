# Little-endian fields in a byte buffer, for every game's `pack` and `unpack` and for the envelope,
# and a hash of such bytes. `put` and `take` move the cursor that they are given.

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


cdef inline uint64_t hash_bytes(uint64_t start, const uint8_t* data, size_t length) noexcept nogil:
    """A hash for information sets, the same on every machine; `start` tells kinds of hash apart."""
    cdef const uint8_t* cursor = data
    cdef const uint8_t* end = data + length
    cdef uint64_t value = start
    # Eight bytes at a time: multiply to spread upwards, shift to spread downwards.
    while cursor + 8 <= end:
        value = (value ^ take(&cursor, 8)) * <uint64_t>0x9E3779B97F4A7C15u
        value ^= value >> 29
    # The rest with its length; then once more, for the last bytes to reach every bit.
    value ^= take(&cursor, <int>(end - cursor)) ^ (<uint64_t>length << 56)
    value = (value ^ (value >> 32)) * <uint64_t>0x9E3779B97F4A7C15u
    value = (value ^ (value >> 29)) * <uint64_t>0xBF58476D1CE4E5B9u
    return value ^ (value >> 32)
