"""A hash of packed bytes, for information sets."""

from libc.stdint cimport uint8_t, uint64_t

from tablier_core.packing cimport take


cdef uint64_t hash_bytes(uint64_t start, const uint8_t* data, size_t length) noexcept nogil:
    cdef const uint8_t* cursor = data
    cdef const uint8_t* end = data + length
    cdef uint64_t value = start
    # Eight bytes at a time: the product spreads bits upwards, the shift spreads them downwards.
    while cursor + 8 <= end:
        value = (value ^ take(&cursor, 8)) * <uint64_t>0x9E3779B97F4A7C15u
        value ^= value >> 29
    # The remaining bytes and the length; then a final mix, so that they reach every bit.
    value ^= take(&cursor, <int>(end - cursor)) ^ (<uint64_t>length << 56)
    value = (value ^ (value >> 32)) * <uint64_t>0x9E3779B97F4A7C15u
    value = (value ^ (value >> 29)) * <uint64_t>0xBF58476D1CE4E5B9u
    return value ^ (value >> 32)
