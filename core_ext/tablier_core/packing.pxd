# Little-endian numbers in a byte buffer: the tools for every `pack` and `unpack`, and for tokens.
#
# `put` and `take` advance the cursor that they are given. A kernel header: with a constant size,
# inline, each of them becomes a single machine instruction
# (docs/adr/0011-declarations-in-headers.md).

from libc.stdint cimport uint8_t, uint64_t


cdef inline void put(uint8_t** cursor, uint64_t value, int size) noexcept nogil:
    """Append the low `size` bytes of a value."""
    cdef int i
    for i in range(size):
        cursor[0][i] = <uint8_t>(value >> (8 * i))
    cursor[0] += size


cdef inline uint64_t take(const uint8_t** cursor, int size) noexcept nogil:
    """Read the next `size` bytes as a number. The caller has checked that they exist."""
    cdef uint64_t value = 0
    cdef int i
    for i in range(size):
        value |= <uint64_t>cursor[0][i] << (8 * i)
    cursor[0] += size
    return value


# Return a hash for information sets, the same on every machine. `start` separates different kinds
# of hashes.
cdef uint64_t hash_bytes(uint64_t start, const uint8_t* data, size_t length) noexcept nogil
