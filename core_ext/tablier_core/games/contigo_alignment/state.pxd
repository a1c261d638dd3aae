# What a game of alignment holds, and how its pawn moves are numbered.

from libc.stdint cimport uint8_t, uint32_t, uint64_t

from tablier_core.games.contigo.board cimport (
    PITS, SIZE, STRAIGHTS, destination, free_squares, has, is_right_angle, lowest, straight,
    straight_target,
)
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
    NOBODY = 2                          # as a winner: none yet, or a draw

cdef struct State:
    uint64_t pawns[2]                   # the squares of each seat's pawns
    uint32_t turns                      # turns completed, over both seats
    uint32_t turn_limit                 # 0: none
    uint8_t beads[PITS]
    uint8_t to_move
    uint8_t phase
    uint8_t winner
    uint8_t advanced


cdef inline uint32_t ell(int origin, int corner, int target) noexcept nogil:
    """The number of an L move: 50 x origin + 5 x slot of the corner + slot of the target."""
    cdef uint32_t slot
    if corner % SIZE == target % SIZE:
        slot = target // SIZE - (1 if target > corner else 0)
    else:
        slot = target % SIZE - (1 if target > corner else 0)
    return 5 * straight(origin, corner) + slot


cdef inline int ell_target(uint32_t number) noexcept nogil:
    """The square where a numbered L move ends; its first leg is the straight move number // 5."""
    cdef int origin = <int>(number // 50), corner = straight_target(number // 5)
    cdef int slot = <int>(number % 5)
    if corner % SIZE == origin % SIZE:
        return corner // SIZE * SIZE + slot + (1 if slot >= corner % SIZE else 0)
    return (slot + (1 if slot >= corner // SIZE else 0)) * SIZE + corner % SIZE


cdef inline int pawn_origin(uint32_t move) noexcept nogil:
    return <int>((move - FIRST_ELL) // 50) if move >= FIRST_ELL else <int>(move // 10)


cdef inline int pawn_target(uint32_t move) noexcept nogil:
    return ell_target(move - FIRST_ELL) if move >= FIRST_ELL else straight_target(move)


cdef inline bint can_move(
    uint64_t own, uint64_t rivals, const uint8_t* beads, bint advanced
) noexcept nogil:
    """Whether a seat with the pawns `own` has any pawn move."""
    cdef uint64_t rest = own, free = free_squares(own | rivals)
    cdef int origin, first, second, corner
    while rest:
        origin = lowest(rest)
        rest &= rest - 1
        for first in range(4):
            corner = destination(beads, origin, first)
            if not has(free, corner):
                continue
            if not advanced:
                return True
            for second in range(4):
                if is_right_angle(first, second):
                    if has(free, destination(beads, corner, second)):
                        return True
    return False
