"""Numbers in a float buffer, for the observations of learners."""

from libc.stdint cimport uint8_t, uint32_t, uint64_t
from libc.string cimport memset


cdef void put_number(float** cursor, double value) noexcept nogil:
    cursor[0][0] = <float>value
    cursor[0] += 1


cdef void put_zeros(float** cursor, int count) noexcept nogil:
    memset(cursor[0], 0, count * sizeof(float))
    cursor[0] += count


cdef void put_numbers(float** cursor, const uint8_t* values, int count) noexcept nogil:
    cdef int i
    for i in range(count):
        cursor[0][i] = values[i]
    cursor[0] += count


cdef void put_set(float** cursor, uint64_t members, int count) noexcept nogil:
    cdef int i
    for i in range(count):
        cursor[0][i] = <float>(<int>(members & 1))
        members >>= 1
    cursor[0] += count


cdef void put_choice(float** cursor, int chosen, int count) noexcept nogil:
    cdef int i
    for i in range(count):
        cursor[0][i] = <float>(i == chosen)
    cursor[0] += count


cdef void put_seats(
    float** cursor, uint32_t members, int seat, int seats, int places
) noexcept nogil:
    # The seats from `seat` on move to the front, those before it behind them.
    members &= (<uint32_t>1 << seats) - 1
    put_set(cursor, members >> seat | members << (seats - seat), seats)
    put_zeros(cursor, places - seats)


cdef void put_digits(float** cursor, uint64_t value, int digits) noexcept nogil:
    cdef int _digit
    for _digit in range(digits):
        put_number(cursor, <double>(value & 255))
        value >>= 8
