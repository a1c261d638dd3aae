"""The names of the actions."""

from libc.string cimport memcmp, memcpy

from tablier_core.abi cimport move_t
from tablier_core.games.contrast.state cimport ACTIONS, SYMBOLS

cdef enum:
    NAME_SIZE = 8

# NAME_SIZE bytes per name, in the order of the actions; the last byte is the name's length.
cdef const char* NAMES = (
    b"red    3yellow 6blue   4green  5large  5small  5heavy  5light  5"
    b"thick  5thin   4round  5square 6exclude7"
)

SYMBOL_NAMES = tuple(
    [NAMES[NAME_SIZE * i:NAME_SIZE * (i + 1) - 1].decode("ascii").rstrip() for i in range(SYMBOLS)]
)


cdef int write_move(move_t move, char* out) noexcept nogil:
    cdef const char* name = NAMES + NAME_SIZE * move
    # A copy of constant size is a single instruction.
    memcpy(out, name, NAME_SIZE)
    return name[NAME_SIZE - 1] - c"0"


cdef long read_move(const char* text, size_t length) noexcept nogil:
    cdef char name[NAME_SIZE]
    cdef move_t move
    for move in range(ACTIONS):
        if <size_t>write_move(move, name) == length and memcmp(text, name, length) == 0:
            return <long>move
    return -1
