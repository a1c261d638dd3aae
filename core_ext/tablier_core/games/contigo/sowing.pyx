"""The sowings of a Contigo ring: listed from tables, carried out, written and read."""

from libc.stdint cimport uint8_t, uint32_t, uint64_t
from libc.string cimport memcpy, memset

from tablier_core.abi cimport move_t
from tablier_core.games.contigo.board cimport PIT_LIMIT, PITS

cdef extern from "sowings.h":
    enum:
        TABLIER_SPLIT_WORDS
    ctypedef struct tablier_split_tables:
        uint32_t positions[256][8]
        uint8_t count[256]
        uint64_t fitting[6][7][TABLIER_SPLIT_WORDS]
        uint64_t available[7][TABLIER_SPLIT_WORDS]
    uint32_t tablier_list_sowings(
        const tablier_split_tables* tables, const uint8_t* beads, uint32_t first, uint32_t* out
    ) noexcept nogil

# Filled once below, at import, and only read afterwards.
cdef struct Tables:
    uint8_t entries[SPLITS][6]          # how many beads each split drops, nearest pit first
    uint8_t size[SPLITS]                # how many beads it takes: the number of its entries
    uint8_t ahead[SPLITS]               # which pits change: bit 0 the one it takes from, then on
    uint8_t behind[SPLITS]              # the same from the far end: bit 6 the one it takes from
    uint32_t start[8]                   # where the splits of k beads begin; start[7] = 637
    tablier_split_tables splits         # for listing

cdef Tables tables


cdef void fill_tables() noexcept:
    cdef uint8_t entry[6]
    cdef int k, i, left
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
            fill_changes(split)
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
    fill_listing()


cdef void fill_changes(uint32_t split) noexcept:
    cdef int i
    tables.ahead[split] = 1
    tables.behind[split] = 1 << 6
    for i in range(6):
        if tables.entries[split][i]:
            tables.ahead[split] |= <uint8_t>(2 << i)
            tables.behind[split] |= <uint8_t>(1 << (5 - i))


cdef void fill_listing() noexcept:
    cdef uint32_t split
    cdef uint64_t mark
    cdef int i, k, room, left
    for split in range(SPLITS):
        mark = <uint64_t>1 << (split % 64)
        for room in range(PIT_LIMIT + 1):
            for i in range(6):
                if tables.entries[split][i] <= room:
                    tables.splits.fitting[i][room][split // 64] |= mark
            if tables.size[split] <= room:
                tables.splits.available[room][split // 64] |= mark
    for k in range(256):
        left = 0
        for i in range(8):
            if k & (1 << i):
                tables.splits.positions[k][left] = i
                left += 1
        tables.splits.count[k] = left


fill_tables()


cdef uint32_t list_sowings(const uint8_t* beads, move_t first, move_t* out) noexcept nogil:
    return tablier_list_sowings(&tables.splits, beads, first, out)


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


cdef uint32_t pits_of(uint32_t sowing) noexcept nogil:
    cdef uint32_t pit = sowing // (2 * SPLITS), split = sowing % SPLITS
    cdef uint64_t pits
    if sowing // SPLITS % 2 == 0:
        pits = <uint64_t>tables.ahead[split] << pit
    else:
        pits = <uint64_t>tables.behind[split] << (pit + PITS - 6)
    # What lies past the ring's end goes round; pits are at most 28 + 22 + 7 places along.
    return <uint32_t>((pits | pits >> PITS) & ((<uint32_t>1 << PITS) - 1))


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
