# The state of an alignment game, its options, and the numbers of its actions.

from libc.stdint cimport uint8_t, uint32_t, uint64_t

from tablier_core.games.contigo.board cimport PITS, STRAIGHTS
from tablier_core.games.contigo.sowing cimport SOWINGS

# Actions: straight pawn moves, then L moves (of the advanced game), then sowings.
cdef enum:
    ELLS = 1800                         # 36 origins x 10 corners x 5 squares across from the corner
    FIRST_ELL = STRAIGHTS
    FIRST_SOWING = STRAIGHTS + ELLS
    ACTIONS = FIRST_SOWING + SOWINGS

cdef enum Phase:
    PAWN = 0
    SOW = 1
    OVER = 2

cdef enum:
    SEATS = 2
    NOBODY = 2                          # as a winner: none yet, or a draw
    RANDOM = 2                          # as the first seat: drawn by lot

cdef struct State:
    uint64_t pawns[SEATS]               # the squares of each seat's pawns
    uint32_t turns                      # turns completed, over both seats
    uint32_t turn_limit                 # 0: none
    uint8_t beads[PITS]
    uint8_t to_move
    uint8_t phase
    uint8_t winner
    uint8_t advanced

cdef struct Options:
    uint64_t pawns[SEATS]
    uint32_t turn_limit
    uint8_t beads[PITS]
    uint8_t first
    uint8_t advanced


cdef inline bint limit_within(const State* s, uint32_t turns) noexcept nogil:
    """Whether the turn limit is reached after `turns` more turns, 0 for now."""
    return s.turn_limit != 0 and s.turns + turns >= s.turn_limit
