# Numbers in a float buffer: the tools for every `write_features`.
#
# Each function appends numbers at the cursor that it is given and advances it. They are inline,
# because a call into another module takes longer than what most of them do
# (docs/adr/0011-declarations-in-headers.md has the measurements).

from libc.stdint cimport uint8_t, uint32_t, uint64_t
from libc.string cimport memset


cdef inline int seat_after(int seat, int places, int seats) noexcept nogil:
    """The seat that is `places` places, fewer than there are seats, after another one."""
    return seat + places if seat + places < seats else seat + places - seats


cdef inline int place_of(int other, int seat, int seats) noexcept nogil:
    """How many places after a seat another one is."""
    return other - seat if other >= seat else other - seat + seats


cdef inline void put_number(float** cursor, double value) noexcept nogil:
    """Append one number."""
    cursor[0][0] = <float>value
    cursor[0] += 1


cdef inline void put_zeros(float** cursor, int count) noexcept nogil:
    """Append zeros."""
    memset(cursor[0], 0, count * sizeof(float))
    cursor[0] += count


cdef inline void put_numbers(float** cursor, const uint8_t* values, int count) noexcept nogil:
    """Append a number per byte."""
    cdef int i
    for i in range(count):
        cursor[0][i] = values[i]
    cursor[0] += count


cdef inline void put_set(float** cursor, uint64_t members, int count) noexcept nogil:
    """Append a 1 for every member of a set and a 0 for all others; bit i stands for member i."""
    cdef int i
    for i in range(count):
        cursor[0][i] = <float>(<int>(members & 1))
        members >>= 1
    cursor[0] += count


cdef inline void put_choice(float** cursor, int chosen, int count) noexcept nogil:
    """Append a 1 for the chosen one of several and a 0 for the others.

    Any other number chooses none.
    """
    cdef int i
    for i in range(count):
        cursor[0][i] = <float>(i == chosen)
    cursor[0] += count


cdef inline void put_seats(
    float** cursor, uint32_t members, int seat, int seats, int places
) noexcept nogil:
    """Append a 1 for every seat in a set and a 0 for all others, as `seat` sees them.

    First itself, then the next seats. Places behind the last of `seats` get a 0, up to `places`.
    """
    # The seats from `seat` on move to the front, those before it behind them.
    members &= (<uint32_t>1 << seats) - 1
    put_set(cursor, members >> seat | members << (seats - seat), seats)
    put_zeros(cursor, places - seats)


cdef inline void put_digits(float** cursor, uint64_t value, int digits) noexcept nogil:
    """Append a number that a float cannot hold exactly, as digits of base 256, lowest first."""
    cdef int _digit
    for _digit in range(digits):
        put_number(cursor, <double>(value & 255))
        value >>= 8
