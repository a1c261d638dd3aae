# The state of a capture game, its options, the numbers of its actions, and who controls what.

from libc.stdint cimport uint8_t, uint32_t, uint64_t

from tablier_core.games.contigo.board cimport PITS, STRAIGHTS
from tablier_core.games.contigo.sowing cimport SOWINGS

# Actions: moves to a free square, captures, the end of a chain, then sowings.
cdef enum:
    FIRST_CAPTURE = STRAIGHTS
    STOP = 2 * STRAIGHTS
    FIRST_SOWING = STOP + 1
    ACTIONS = FIRST_SOWING + SOWINGS

cdef enum Phase:
    PAWN = 0
    CHAIN = 1
    SOW = 2
    OVER = 3

cdef enum:
    COLOURS = 4                         # R, B, Y, G: the seats, clockwise from the north-west
    NOBODY = 4                          # as a winner: none yet, or a draw
    RANDOM = 4                          # as the first seat: drawn by lot
    NOWHERE = 36                        # as the square of a chain: there is none

cdef struct State:
    uint64_t pieces[COLOURS]            # the squares of each colour's pieces, its King included
    uint64_t kings                      # the squares of all Kings
    uint32_t turns                      # turns completed, over all seats
    uint32_t turn_limit                 # 0: none
    uint8_t beads[PITS]
    uint8_t owner[COLOURS]              # the seat that controls each colour; itself while in play
    uint8_t to_move
    uint8_t phase
    uint8_t chain                       # where the piece stands that may capture again
    uint8_t winner
    uint8_t quick

cdef struct Options:
    uint64_t pieces[COLOURS]
    uint64_t kings
    uint32_t turn_limit
    uint8_t beads[PITS]
    uint8_t first
    uint8_t quick


cdef inline bint limit_reached(const State* s) noexcept nogil:
    return s.turn_limit != 0 and s.turns >= s.turn_limit


cdef inline uint64_t all_pieces(const State* s) noexcept nogil:
    return s.pieces[0] | s.pieces[1] | s.pieces[2] | s.pieces[3]


cdef inline uint64_t controlled(const State* s, int seat) noexcept nogil:
    """The squares of every piece that a seat may move, whatever its colour."""
    return (
        (s.pieces[0] if s.owner[0] == seat else 0)
        | (s.pieces[1] if s.owner[1] == seat else 0)
        | (s.pieces[2] if s.owner[2] == seat else 0)
        | (s.pieces[3] if s.owner[3] == seat else 0)
    )


cdef inline bint is_in(const State* s, int seat) noexcept nogil:
    """Whether a seat still has its King: then it controls its own colour."""
    return s.owner[seat] == seat


cdef inline int count_in(const State* s) noexcept nogil:
    return is_in(s, 0) + is_in(s, 1) + is_in(s, 2) + is_in(s, 3)


cdef inline int count_squares(uint64_t squares) noexcept nogil:
    return __builtin_popcountll(squares)


cdef extern from *:
    int __builtin_popcountll(unsigned long long) noexcept nogil
