"""The geometry of the Contigo board as tables, its text, and the ring of beads as an option."""

from libc.stdint cimport uint8_t, uint16_t, uint64_t
from libc.string cimport memset

from tablier_core.errors import OptionError


cdef void fill_geometry() noexcept:
    cdef int square
    memset(&geometry, 0, sizeof(geometry))
    for square in range(SQUARES):
        fill_lines(square)
        fill_straights(square)


cdef void fill_lines(int square) noexcept:
    """What lies ahead of a square in each direction."""
    cdef int file = square % SIZE, rank = square // SIZE, direction, distance
    cdef int[DIRECTIONS] step = [-SIZE, -1, 1, SIZE]
    geometry.pit_ahead[square] = [20 - file, 22 + rank, 13 - rank, 1 + file]
    geometry.squares_ahead[square] = [rank, file, SIZE - 1 - file, SIZE - 1 - rank]
    for direction in range(DIRECTIONS):
        for distance in range(PIT_LIMIT + 1):
            geometry.landing[square][direction][distance] = OFF_BOARD
        for distance in range(1, geometry.squares_ahead[square][direction] + 1):
            geometry.landing[square][direction][distance] = <uint8_t>(
                square + distance * step[direction]
            )


cdef void fill_straights(int origin) noexcept:
    """Number the moves from a square in the order of the squares they reach."""
    cdef int target, number = 10 * origin
    for target in range(SQUARES):
        if in_line(origin, target):
            geometry.straight[origin][target] = <uint16_t>number
            geometry.straight_target[number] = <uint8_t>target
            number += 1


fill_geometry()


cdef bint beads_valid(const uint8_t* beads) noexcept nogil:
    cdef int pit, total = 0, too_many = 0
    for pit in range(PITS):
        total += beads[pit]
        too_many += beads[pit] > PIT_LIMIT
    return too_many == 0 and 0 < total < PITS * PIT_LIMIT


cdef int read_beads(object counts, uint8_t* beads) except -1:
    cdef int pit
    for pit in range(PITS):
        beads[pit] = counts[pit]
    if not beads_valid(beads):
        raise OptionError("beads", "must hold between 1 and 167 beads in all")
    return 0


cdef str write_layout(const char* letters, const uint64_t* squares):
    cdef char text[SIZE * (SIZE + 1)]
    cdef int rank, square, i = 0
    cdef uint64_t left
    memset(text, c".", sizeof(text))
    for rank in range(1, SIZE):
        text[rank * (SIZE + 1) - 1] = c"/"
    while letters[i]:
        left = squares[i]
        while left:
            square = lowest(left)
            left &= left - 1
            text[(SIZE - 1 - square // SIZE) * (SIZE + 1) + square % SIZE] = letters[i]
        i += 1
    return text[:SIZE * (SIZE + 1) - 1].decode("ascii")
