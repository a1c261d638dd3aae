"""The names of the actions."""

from libc.string cimport memcmp

from tablier_core.abi cimport move_t
from tablier_core.games.contrast.state cimport ACTIONS, SYMBOLS

# Eight bytes per name, in the order of the actions.
cdef const char* NAMES = (
    b"red     yellow  blue    green   large   small   heavy   light   "
    b"thick   thin    round   square  exclude "
)

SYMBOL_NAMES = tuple(NAMES.decode("ascii").split())[:SYMBOLS]


cdef int write_move(move_t move, char* out) noexcept nogil:
    cdef const char* name = NAMES + 8 * move
    cdef int length = 0
    while name[length] != b" ":
        out[length] = name[length]
        length += 1
    return length


cdef long read_move(const char* text, size_t length) noexcept nogil:
    cdef char name[8]
    cdef move_t move
    for move in range(ACTIONS):
        if <size_t>write_move(move, name) == length and memcmp(text, name, length) == 0:
            return <long>move
    return -1
