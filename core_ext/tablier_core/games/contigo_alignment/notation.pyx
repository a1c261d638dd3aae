"""The notation of the alignment game: `a6-a4`, `a6-a4-d4`, `13+0.2.1`."""

from tablier_core.abi cimport move_t
from tablier_core.games.contigo.board cimport (
    SIZE, in_line, straight_origin, straight_target,
)
from tablier_core.games.contigo.notation cimport (
    read_sowing, read_square, read_straight, write_sowing, write_square, write_straight,
)
from tablier_core.games.contigo_alignment.rules cimport ell, ell_target
from tablier_core.games.contigo_alignment.state cimport FIRST_ELL, FIRST_SOWING


cdef int write_move(move_t move, char* out) noexcept nogil:
    if move >= FIRST_SOWING:
        return write_sowing(move - FIRST_SOWING, out)
    if move < FIRST_ELL:
        return write_straight(move, c"-", out)
    write_straight((move - FIRST_ELL) // 5, c"-", out)
    out[5] = c"-"
    write_square(ell_target(move - FIRST_ELL), out + 6)
    return 8


cdef long read_move(const char* text, size_t length) noexcept nogil:
    cdef long number
    if length == 0 or not c"a" <= text[0] <= c"z":
        number = read_sowing(text, length)
        return number if number < 0 else FIRST_SOWING + number
    if length != 5 and length != 8 or text[2] != c"-":
        return -1
    number = read_straight(text)
    return number if length == 5 or number < 0 else read_second_leg(number, text + 5)


cdef long read_second_leg(long first_leg, const char* text) noexcept nogil:
    """Read what follows the first leg of an L move: a dash, and a square at a right angle."""
    cdef int origin = straight_origin(first_leg), corner = straight_target(first_leg)
    cdef int target = read_square(text + 1)
    if text[0] != c"-" or target < 0 or not in_line(corner, target):
        return -1
    if (origin % SIZE == corner % SIZE) == (corner % SIZE == target % SIZE):
        return -1
    return FIRST_ELL + ell(origin, corner, target)
