"""Moves of Contract as text: words, then a number, a kind of card, or both."""

from libc.stddef cimport size_t
from libc.string cimport memcmp, memcpy, strlen

from tablier_core.abi cimport MAX_NOTATION, move_t
from tablier_core.games.contract.state cimport (
    ACTIONS, CHASE_TO, COPPER_TO, DONE, DROP, FAMILIES, JOIN_FAMILY, ON, PASS, PAY_DOLLAR, PAY_DOWN,
    PLACE_CONTRACT, PLACE_DOLLAR, PLACE_DOWN, PLACE_TOKEN, PLACE_VICELARD, TAKE_COPPER, VALUES,
    VICELARD_TO,
)


cdef const char* kind_name(int kind) noexcept nogil:
    if kind == 0:
        return b"brakova"
    if kind == 1:
        return b"yakaz"
    if kind == 2:
        return b"rodrigos"
    if kind == 3:
        return b"costa"
    return b"dollar"


cdef const char* stem_of(move_t move, int* number, int* kind) noexcept nogil:
    """Return the words of a move, and in `number` and `kind` what follows them or else -1."""
    number[0] = kind[0] = -1
    if move < PLACE_TOKEN:
        number[0] = <int>(move - ON) + 1
        return b"on"
    if move < PLACE_DOWN:
        if move == PLACE_TOKEN:
            return b"token"
        if move == PLACE_CONTRACT:
            return b"contract"
        if move == PLACE_DOLLAR:
            return b"dollar"
        return b"vicelard" if move == PLACE_VICELARD else b"copper"
    if move < DONE:
        kind[0] = <int>(move - PLACE_DOWN)
        return b"down"
    if move == DONE:
        return b"done"
    if move < VICELARD_TO:
        number[0] = <int>(move - COPPER_TO) + 1
        return b"copper-to"
    if move < PAY_DOLLAR:
        number[0] = <int>(move - VICELARD_TO) + 1
        return b"vicelard-to"
    if move == PAY_DOLLAR:
        return b"pay dollar"
    if move < CHASE_TO:
        kind[0] = <int>(move - PAY_DOWN)
        return b"pay down"
    if move < PASS:
        number[0] = <int>(move - CHASE_TO) + 1
        return b"chase"
    if move == PASS:
        return b"pass"
    if move < DROP:
        kind[0] = <int>(move - JOIN_FAMILY)
        return b"join"
    if move == TAKE_COPPER:
        return b"take-copper"
    number[0] = <int>(move - DROP) // (FAMILIES * VALUES)
    kind[0] = <int>(move - DROP) // VALUES % FAMILIES
    return b"drop"


cdef int put_text(char* out, const char* text) noexcept nogil:
    cdef size_t length = strlen(text)
    memcpy(out, text, length)
    return <int>length


cdef int put_number(char* out, int number) noexcept nogil:
    """Write a space and one or two digits."""
    cdef int n = 0
    out[n] = b" "
    if number >= 10:
        n += 1
        out[n] = <char>(48 + number // 10)
    n += 1
    out[n] = <char>(48 + number % 10)
    return n + 1


cdef int write_move(move_t move, char* out) noexcept nogil:
    cdef int number, kind
    cdef int n = put_text(out, stem_of(move, &number, &kind))
    if number >= 0:
        n += put_number(out + n, number)
    if kind >= 0:
        out[n] = b" "
        n += 1
        n += put_text(out + n, kind_name(kind))
    if DROP <= move < TAKE_COPPER:
        n += put_number(out + n, <int>(move - DROP) % VALUES)
    return n


cdef long read_move(const char* text, size_t length) noexcept nogil:
    """Compare the text with the spelling of every action: there are few of them."""
    cdef char spelling[MAX_NOTATION]
    cdef move_t move
    cdef bint drops = length > 4 and text[0] == b"d" and text[1] == b"r"
    for move in range(DROP if drops else 0, ACTIONS):
        if not drops and DROP <= move < TAKE_COPPER:
            continue
        if <size_t>write_move(move, spelling) == length and not memcmp(spelling, text, length):
            return move
    return -1
