# Numbers in a float buffer: the tools for every `write_features`.
#
# Each function appends numbers at the cursor that it is given and advances it.

from libc.stdint cimport uint8_t, uint32_t, uint64_t

# Append one number.
cdef void put_number(float** cursor, double value) noexcept nogil
# Append zeros.
cdef void put_zeros(float** cursor, int count) noexcept nogil
# Append a number per byte.
cdef void put_numbers(float** cursor, const uint8_t* values, int count) noexcept nogil
# Append a 1 for every member of a set and a 0 for all others; bit i stands for member i.
cdef void put_set(float** cursor, uint64_t members, int count) noexcept nogil
# Append a 1 for the chosen one of several and a 0 for the others. Any other number chooses none.
cdef void put_choice(float** cursor, int chosen, int count) noexcept nogil
# Append a 1 for every seat in a set and a 0 for all others, as `seat` sees them: itself first, then
# the next seats. Places behind the last of `seats` get a 0, up to `places`.
cdef void put_seats(
    float** cursor, uint32_t members, int seat, int seats, int places
) noexcept nogil
# Append a number that a float cannot hold exactly, as digits of base 256, the lowest one first.
cdef void put_digits(float** cursor, uint64_t value, int digits) noexcept nogil


cdef inline int seat_after(int seat, int places, int seats) noexcept nogil:
    """The seat that is so many places, fewer than there are seats, after another one."""
    return seat + places if seat + places < seats else seat + places - seats


cdef inline int place_of(int other, int seat, int seats) noexcept nogil:
    """How many places after a seat another one is."""
    return other - seat if other >= seat else other - seat + seats
