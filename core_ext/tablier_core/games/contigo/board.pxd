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


cdef inline int destination(const uint8_t* beads, int square, int direction) noexcept nogil:
    """Where a piece must land: as many squares on as the pit ahead has beads; -1: it cannot go."""
    cdef int file = square % SIZE, rank = square // SIZE
    cdef int distance = beads[pit_towards(square, direction)]
    if distance == 0:
        return -1
    if direction == SOUTH:
        return square - SIZE * distance if distance <= rank else -1
    if direction == WEST:
        return square - distance if distance <= file else -1
    if direction == EAST:
        return square + distance if file + distance < SIZE else -1
    return square + SIZE * distance if rank + distance < SIZE else -1


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
