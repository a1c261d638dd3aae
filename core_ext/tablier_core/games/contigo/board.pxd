# The 6 x 6 board of Contigo inside its ring of 28 pits (reference: Geometry).
#
# Squares are numbered a1 = 0, b1 = 1, ... f6 = 35. Directions are numbered so that the squares they
# lead to ascend: south, west, east, north. Whatever follows from the geometry alone is looked up in
# tables, which board.pyx fills at import.

from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t

cdef enum:
    SIZE = 6
    SQUARES = 36
    DIRECTIONS = 4
    PITS = 28
    PIT_LIMIT = 6               # beads that a pit can hold
    OFF_BOARD = 63              # as a destination: there is none; no set of squares contains it
    STRAIGHTS = 360             # moves along a line: 36 squares x 10 others on its file and rank

cdef enum Direction:
    SOUTH = 0
    WEST = 1
    EAST = 2
    NORTH = 3

ctypedef struct Geometry:
    uint8_t[SQUARES][DIRECTIONS] pit_ahead      # the pit that ends the line in a direction
    uint8_t[SQUARES][DIRECTIONS] squares_ahead  # squares between here and the edge of the board
    uint8_t[SQUARES][DIRECTIONS][PIT_LIMIT + 1] landing     # by distance: a square, or OFF_BOARD
    uint16_t[SQUARES][OFF_BOARD + 1] straight   # the number of the move between two squares
    uint8_t[STRAIGHTS] straight_target

# Read only: filled at import.
cdef Geometry geometry

# Whether 28 counts are a ring: 0 to 6 in each pit, not all pits empty and not all full.
cdef bint beads_valid(const uint8_t* beads) noexcept nogil
# Copy the option `beads`; raises OptionError unless it is a ring.
cdef int read_beads(object counts, uint8_t* beads) except -1
# Return the text of a board, rank 6 first, given the squares of each letter; on a shared square the
# later letter wins.
cdef str write_layout(const char* letters, const uint64_t* squares)


cdef inline int destination(const uint8_t* beads, int square, int direction) noexcept nogil:
    """Where a piece must land: as many squares on as the pit ahead has beads; or OFF_BOARD."""
    return geometry.landing[square][direction][beads[geometry.pit_ahead[square][direction]]]


cdef inline bint is_right_angle(int direction, int other) noexcept nogil:
    return (direction == SOUTH or direction == NORTH) != (other == SOUTH or other == NORTH)


cdef inline bint in_line(int a, int b) noexcept nogil:
    """Whether two squares are different and on one file or rank."""
    return a != b and (a % SIZE == b % SIZE or a // SIZE == b // SIZE)


# Moves along a line are numbered 10 x origin + slot, the slots ascending with the square reached:
# first the file to the south, then the rank, then the file to the north.

cdef inline uint32_t straight(int origin, int target) noexcept nogil:
    """The number of the move between two squares on one file or rank; 0 if there is none."""
    return geometry.straight[origin][target]


cdef inline int straight_origin(uint32_t number) noexcept nogil:
    return <int>(number // 10)


cdef inline int straight_target(uint32_t number) noexcept nogil:
    return geometry.straight_target[number]


# Sets of squares, one bit per square.

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


cdef inline uint64_t cross(int square) noexcept nogil:
    """The file and the rank of a square."""
    return <uint64_t>0x041041041u << (square % SIZE) | <uint64_t>63 << (square // SIZE * SIZE)


cdef extern from *:
    int __builtin_ctzll(unsigned long long) noexcept nogil
