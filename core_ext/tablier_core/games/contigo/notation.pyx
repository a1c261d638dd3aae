"""The notation that both Contigo games share: squares, moves along a line, and sowings."""

from libc.stdint cimport uint8_t, uint32_t
from libc.string cimport memcpy, memset

from tablier_core.games.contigo.board cimport (
    PIT_LIMIT, PITS, SIZE, in_line, straight, straight_origin, straight_target,
)
from tablier_core.games.contigo.sowing cimport (
    SPLITS, find_split, is_clockwise, pit_of, read_split, sowing_number, split_of,
)

# ---- Squares and moves along a line --------------------------------------------------------------

cdef int write_square(int square, char* out) noexcept nogil:
    out[0] = <char>(c"a" + square % SIZE)
    out[1] = <char>(c"1" + square // SIZE)
    return 2


cdef int read_square(const char* text) noexcept nogil:
    cdef int file = text[0] - c"a", rank = text[1] - c"1"
    if 0 <= file < SIZE and 0 <= rank < SIZE:
        return rank * SIZE + file
    return -1


cdef int write_straight(uint32_t number, char mark, char* out) noexcept nogil:
    write_square(straight_origin(number), out)
    out[2] = mark
    write_square(straight_target(number), out + 3)
    return 5


cdef long read_straight(const char* text) noexcept nogil:
    cdef int origin = read_square(text), target = read_square(text + 3)
    if origin < 0 or target < 0 or not in_line(origin, target):
        return -1
    return straight(origin, target)


# ---- Sowings -------------------------------------------------------------------------------------

cdef enum:
    SPLIT_TEXT = 12             # room for six digits and the dots between them

# The splits as text, filled at import.
cdef char[SPLITS][SPLIT_TEXT] split_text
cdef uint8_t[SPLITS] split_length


cdef void fill_texts() noexcept:
    cdef uint8_t drops[PIT_LIMIT]
    cdef uint32_t split
    cdef int i, count
    for split in range(SPLITS):
        count = read_split(split, drops)
        for i in range(count):
            split_text[split][2 * i] = <char>(c"0" + drops[i])
            split_text[split][2 * i + 1] = c"."
        split_length[split] = 2 * count - 1


fill_texts()


cdef int write_sowing(uint32_t sowing, char* out) noexcept nogil:
    cdef uint32_t pit = pit_of(sowing), split = split_of(sowing)
    cdef int n = 0
    if pit >= 10:
        out[n] = <char>(c"0" + pit // 10)
        n += 1
    out[n] = <char>(c"0" + pit % 10)
    out[n + 1] = c"+" if is_clockwise(sowing) else c"-"
    memcpy(out + n + 2, split_text[split], SPLIT_TEXT)
    return n + 2 + split_length[split]


cdef long read_sowing(const char* text, size_t length) noexcept nogil:
    cdef uint32_t pit = 0
    cdef uint8_t drops[PIT_LIMIT]
    cdef size_t at = 0
    cdef int count = 0
    cdef long split
    cdef bint clockwise
    while at < length and at < 2 and c"0" <= text[at] <= c"9":
        pit = 10 * pit + <uint32_t>(text[at] - c"0")
        at += 1
    if at == 0 or at == length or pit >= PITS or (at == 2 and text[0] == c"0"):
        return -1
    if text[at] != c"+" and text[at] != c"-":
        return -1
    clockwise = text[at] == c"+"
    # The rest is one digit per pit, with dots between them.
    memset(drops, 0, sizeof(drops))
    while at < length:
        at += 1
        if at >= length or count == PIT_LIMIT or not c"0" <= text[at] <= c"6":
            return -1
        drops[count] = <uint8_t>(text[at] - c"0")
        count += 1
        at += 1
        if at < length and text[at] != c".":
            return -1
    split = find_split(drops, count)
    return split if split < 0 else sowing_number(pit, clockwise, split)
