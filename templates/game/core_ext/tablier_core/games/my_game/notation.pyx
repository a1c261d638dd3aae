"""The notation of My Game (reference: Moves and notation)."""

from tablier_core.abi cimport move_t
from tablier_core.games.my_game.state cimport CARDS


cdef int write_move(move_t move, char* out) noexcept nogil:
    cdef int number = <int>move + 1, length = 0
    if number >= 10:
        out[0] = c"1"
        length = 1
    out[length] = <char>(c"0" + number % 10)
    return length + 1


cdef long read_move(const char* text, size_t length) noexcept nogil:
    """Compare with every spelling, so that nothing else is accepted: `07` is not a move."""
    cdef char spelling[2]
    cdef int move, i, size
    for move in range(CARDS):
        size = write_move(<move_t>move, spelling)
        if length == <size_t>size:
            for i in range(size):
                if text[i] != spelling[i]:
                    break
            else:
                return move
    return -1
