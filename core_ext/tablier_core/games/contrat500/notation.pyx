"""Actions as text: a word, and a number for bids and discards."""

from libc.string cimport memcmp

from tablier_core.abi cimport move_t
from tablier_core.games.contrat500.state cimport (
    ACTIONS, ANNOUNCE, DECLINE, FIRST_BID, FIRST_DISCARD, LOWEST_CONTRACT, POT, TAKE,
)


cdef const char* word_of(move_t move) noexcept nogil:
    """The text of a move, or the part before its number."""
    if move < POT:
        return b"bid "
    if move == POT:
        return b"pot"
    if move == TAKE:
        return b"take"
    if move < ANNOUNCE:
        return b"discard "
    if move == ANNOUNCE:
        return b"announce"
    return b"decline" if move == DECLINE else b"void"


cdef int write_move(move_t move, char* out) noexcept nogil:
    cdef const char* word = word_of(move)
    cdef int n = 0, number = 0
    while word[n]:
        out[n] = word[n]
        n += 1
    if move < POT:
        number = <int>(move - FIRST_BID + LOWEST_CONTRACT)
    elif FIRST_DISCARD <= move < ANNOUNCE:
        number = <int>(move - FIRST_DISCARD + 1)
    if number >= 10:
        out[n] = <char>(48 + number // 10)
        n += 1
    if number:
        out[n] = <char>(48 + number % 10)
        n += 1
    return n


cdef long read_move(const char* text, size_t length) noexcept nogil:
    # There are few enough actions to compare the text with each.
    cdef char[16] spelling
    cdef move_t move
    for move in range(ACTIONS):
        if <size_t>write_move(move, spelling) == length and not memcmp(text, spelling, length):
            return move
    return -1
