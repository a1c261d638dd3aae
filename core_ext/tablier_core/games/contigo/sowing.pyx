"""The sowings of a Contigo ring: listed from tables, carried out, written and read."""

from libc.stdint cimport uint8_t, uint32_t, uint64_t
from libc.string cimport memcpy, memset

from tablier_core.abi cimport move_t
from tablier_core.games.contigo.board cimport PIT_LIMIT, PITS

cdef extern from "expand.h":
    ctypedef struct tablier_bits:
        uint32_t positions[256][8]
        uint8_t count[256]
    uint32_t* tablier_expand(
        const tablier_bits* bits, uint64_t word, uint32_t base, uint32_t* out
    ) noexcept nogil

cdef enum:
    WORDS = 10                  # 64-bit words that hold one bit a split

# Filled once below, at import, and only read afterwards.
cdef struct Tables:
    uint8_t entries[SPLITS][6]          # how many beads each split drops, nearest pit first
    uint8_t size[SPLITS]                # how many beads it takes: the number of its entries
    uint32_t start[8]                   # where the splits of k beads begin; start[7] = 637
    uint64_t fitting[6][7][WORDS]       # by entry and room in its pit: the splits that fit there
    tablier_bits bits

cdef Tables tables


cdef void fill_tables() noexcept:
    cdef uint8_t entry[6]
    cdef int k, i, left, room
    cdef uint32_t split = 0
    memset(&tables, 0, sizeof(tables))
    for k in range(1, PIT_LIMIT + 1):
        tables.start[k] = split
        # All ways to write k as k ordered numbers, in lexicographic order: begin with 0 ... 0 k,
        # then move one bead left from the last number that can give one, the rest to the end.
        memset(entry, 0, sizeof(entry))
        entry[k - 1] = k
        while True:
            memcpy(tables.entries[split], entry, sizeof(entry))
            tables.size[split] = k
            split += 1
            i = k - 1
            while i > 0 and entry[i] == 0:
                i -= 1
            if i == 0:
                break
            left = entry[i] - 1
            entry[i] = 0
            entry[i - 1] += 1
            entry[k - 1] = left
    tables.start[7] = split
    for i in range(6):
        for room in range(PIT_LIMIT + 1):
            for split in range(SPLITS):
                if tables.entries[split][i] <= room:
                    tables.fitting[i][room][split // 64] |= <uint64_t>1 << (split % 64)
    for k in range(256):
        left = 0
        for i in range(8):
            if k & (1 << i):
                tables.bits.positions[k][left] = i
                left += 1
        tables.bits.count[k] = left


fill_tables()


cdef inline move_t* list_from_pit(
    const uint8_t* room, int step, int held, move_t base, move_t* out
) noexcept nogil:
    """Append the sowings of one pit in one direction; `room` points at the nearest pit ahead."""
    cdef uint32_t count = tables.start[held + 1]
    cdef int words = <int>((count + 63) // 64), i, w
    cdef uint64_t fit[WORDS]
    cdef const uint64_t* mask
    memset(fit, 255, words * sizeof(uint64_t))
    # A pit with room for all that is taken forbids nothing.
    for i in range(held):
        if room[i * step] < held:
            mask = tables.fitting[i][room[i * step]]
            for w in range(words):
                fit[w] &= mask[w]
    if count % 64:
        fit[words - 1] &= (<uint64_t>1 << (count % 64)) - 1
    for w in range(words):
        out = tablier_expand(&tables.bits, fit[w], base + 64 * w, out)
    return out


cdef uint32_t list_sowings(const uint8_t* beads, move_t first, move_t* out) noexcept nogil:
    cdef uint8_t ring[PITS + 12]        # the room in each pit, with six pits repeated at both ends
    cdef move_t* end = out
    cdef int pit
    for pit in range(PITS):
        ring[6 + pit] = PIT_LIMIT - beads[pit]
    memcpy(ring, ring + PITS, 6)
    memcpy(ring + 6 + PITS, ring + 6, 6)
    for pit in range(PITS):
        if beads[pit]:
            end = list_from_pit(ring + pit + 7, 1, beads[pit], first, end)
            end = list_from_pit(ring + pit + 5, -1, beads[pit], first + SPLITS, end)
        first += 2 * SPLITS
    return <uint32_t>(end - out)


cdef void sow(uint8_t* beads, uint32_t sowing) noexcept nogil:
    cdef int pit = <int>(sowing // (2 * SPLITS))
    cdef int step = 1 if sowing // SPLITS % 2 == 0 else PITS - 1
    cdef uint32_t split = sowing % SPLITS
    cdef int i
    beads[pit] -= tables.size[split]
    for i in range(tables.size[split]):
        pit += step
        if pit >= PITS:
            pit -= PITS
        beads[pit] += tables.entries[split][i]


cdef int write_sowing(uint32_t sowing, char* out) noexcept nogil:
    cdef uint32_t pit = sowing // (2 * SPLITS), split = sowing % SPLITS
    cdef int n = 0, i
    if pit >= 10:
        out[n] = <char>(48 + pit // 10)
        n += 1
    out[n] = <char>(48 + pit % 10)
    out[n + 1] = b"+" if sowing // SPLITS % 2 == 0 else b"-"
    n += 2
    for i in range(tables.size[split]):
        if i:
            out[n] = b"."
            n += 1
        out[n] = <char>(48 + tables.entries[split][i])
        n += 1
    return n


cdef long read_sowing(const char* text, size_t length) noexcept nogil:
    cdef uint32_t pit = 0, direction, split
    cdef uint8_t entry[6]
    cdef size_t at = 0
    cdef int k = 0, total = 0, i
    while at < length and at < 2 and 48 <= text[at] <= 57:
        pit = 10 * pit + <uint32_t>(text[at] - 48)
        at += 1
    if at == 0 or pit >= PITS or (at == 2 and text[0] == 48) or at == length:
        return -1
    if text[at] != b"+" and text[at] != b"-":
        return -1
    direction = 0 if text[at] == b"+" else 1
    # What follows is digits with dots between them, one digit a pit.
    memset(entry, 0, sizeof(entry))
    while True:
        at += 1
        if at >= length or k == 6 or not 48 <= text[at] <= 54:
            return -1
        entry[k] = <uint8_t>(text[at] - 48)
        total += entry[k]
        k += 1
        at += 1
        if at == length:
            break
        if text[at] != b".":
            return -1
    if total != k:
        return -1
    for split in range(tables.start[k], tables.start[k + 1]):
        for i in range(k):
            if tables.entries[split][i] != entry[i]:
                break
        else:
            return <long>((2 * pit + direction) * SPLITS + split)
    return -1
