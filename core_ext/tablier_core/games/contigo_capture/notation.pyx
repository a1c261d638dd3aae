"""The notation of the capture game: `a6-a4`, `a6xa4`, `stop`, `13+0.2.1`."""

from libc.string cimport memcmp, memcpy

from tablier_core.abi cimport move_t
from tablier_core.games.contigo.notation cimport (
    read_sowing, read_straight, write_sowing, write_straight,
)
from tablier_core.games.contigo_capture.state cimport FIRST_CAPTURE, FIRST_SOWING, STOP


cdef int write_move(move_t move, char* out) noexcept nogil:
    if move >= FIRST_SOWING:
        return write_sowing(move - FIRST_SOWING, out)
    if move == STOP:
        memcpy(out, b"stop", 4)
        return 4
    if move >= FIRST_CAPTURE:
        return write_straight(move - FIRST_CAPTURE, c"x", out)
    return write_straight(move, c"-", out)


cdef long read_move(const char* text, size_t length) noexcept nogil:
    cdef long number
    if length == 0 or not c"a" <= text[0] <= c"z":
        number = read_sowing(text, length)
        return number if number < 0 else FIRST_SOWING + number
    if length == 4 and memcmp(text, b"stop", 4) == 0:
        return STOP
    if length != 5 or (text[2] != c"-" and text[2] != c"x"):
        return -1
    number = read_straight(text)
    return number if number < 0 or text[2] == c"-" else FIRST_CAPTURE + number
