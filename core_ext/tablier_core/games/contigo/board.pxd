# The 6 x 6 board of Contigo inside its ring of 28 pits (rules page: Geometry).
#
# Squares are numbered a1 = 0, b1 = 1, ... f6 = 35. Directions are numbered so that the squares they
# lead to ascend: south, west, east, north.

from libc.stdint cimport uint8_t, uint32_t, uint64_t

cdef enum:
    SIZE = 6
    SQUARES = 36
    PITS = 28
    PIT_LIMIT = 6               # beads that a pit can hold
    OFF_BOARD = 63              # as a destination: there is none; a square that no set has
    STRAIGHTS = 360             # moves along a line: 36 squares x 10 others on its file and rank

cdef enum Direction:
    SOUTH = 0
    WEST = 1
    EAST = 2
    NORTH = 3


cdef inline int pit_towards(int square, int direction) noexcept nogil:
    """The pit that ends the line from a square in a direction."""
    cdef int file = square % SIZE, rank = square // SIZE
    if direction == SOUTH:
        return 20 - file
    if direction == WEST:
        return 22 + rank
    if direction == EAST:
        return 13 - rank
    return 1 + file


cdef inline bint is_right_angle(int direction, int other) noexcept nogil:
    return (direction == SOUTH or direction == NORTH) != (other == SOUTH or other == NORTH)


cdef inline int squares_ahead(int square, int direction) noexcept nogil:
    """How many squares there are between a square and the edge of the board."""
    cdef int file = square % SIZE, rank = square // SIZE
    if direction == SOUTH:
        return rank
    if direction == WEST:
        return file
    if direction == EAST:
        return SIZE - 1 - file
    return SIZE - 1 - rank


cdef inline int destination(const uint8_t* beads, int square, int direction) noexcept nogil:
    """Where a piece must land: as many squares on as the pit ahead has beads; or OFF_BOARD."""
    cdef int distance = beads[pit_towards(square, direction)]
    cdef int step = -SIZE if direction == SOUTH else SIZE
    if direction == WEST or direction == EAST:
        step = -1 if direction == WEST else 1
    # One comparison for both ends of the range: 0 - 1 is a large unsigned number.
    if <unsigned int>(distance - 1) < <unsigned int>squares_ahead(square, direction):
        return square + step * distance
    return OFF_BOARD


cdef inline bint beads_valid(const uint8_t* beads) noexcept nogil:
    """Options: 28 counts from 0 to 6, not all of them empty and not all full."""
    cdef int pit, total = 0
    for pit in range(PITS):
        if beads[pit] > PIT_LIMIT:
            return False
        total += beads[pit]
    return 0 < total < PITS * PIT_LIMIT


cdef inline bint in_line(int a, int b) noexcept nogil:
    """Two different squares on one file or rank."""
    return a != b and (a % SIZE == b % SIZE or a // SIZE == b // SIZE)


# Moves along a line, numbered 10 x origin + slot, the slots ascending with the square reached:
# first the file to the south, then the rank, then the file to the north.

cdef inline uint32_t straight(int origin, int target) noexcept nogil:
    """The number of the move between two squares on one file or rank."""
    cdef int file = origin % SIZE, rank = origin // SIZE
    cdef int target_file = target % SIZE, target_rank = target // SIZE
    cdef int slot
    if target_file == file:
        slot = target_rank if target_rank < rank else target_rank + 4
    else:
        slot = rank + (target_file if target_file < file else target_file - 1)
    return <uint32_t>(10 * origin + slot)


cdef inline int straight_target(uint32_t number) noexcept nogil:
    """The square that a numbered move leads to; its origin is number // 10."""
    cdef int origin = <int>(number // 10), slot = <int>(number % 10)
    cdef int file = origin % SIZE, rank = origin // SIZE
    if slot < rank:
        return slot * SIZE + file
    if slot >= rank + 5:
        return (slot - 4) * SIZE + file
    slot -= rank
    return rank * SIZE + (slot if slot < file else slot + 1)


cdef inline uint64_t bit(int square) noexcept nogil:
    return <uint64_t>1 << square


cdef inline bint has(uint64_t squares, int square) noexcept nogil:
    """Whether a square is in a set; OFF_BOARD is in none."""
    return (squares >> square) & 1


cdef inline uint64_t free_squares(uint64_t pieces) noexcept nogil:
    return ~pieces & ((<uint64_t>1 << SQUARES) - 1)


cdef inline int lowest(uint64_t squares) noexcept nogil:
    """The lowest square of a non-empty set."""
    return __builtin_ctzll(squares)


cdef extern from *:
    int __builtin_ctzll(unsigned long long) noexcept nogil


cdef inline int write_square(int square, char* out) noexcept nogil:
    out[0] = <char>(97 + square % SIZE)         # 'a'
    out[1] = <char>(49 + square // SIZE)        # '1'
    return 2


cdef inline int read_square(const char* text) noexcept nogil:
    """The square named by two characters, or -1."""
    cdef int file = text[0] - 97, rank = text[1] - 49
    if 0 <= file < SIZE and 0 <= rank < SIZE:
        return rank * SIZE + file
    return -1
