# distutils: sources = core_ext/tablier_core/games/contigo/sowings.c
"""The sowings of a Contigo ring: numbered, listed and carried out."""

from libc.stdint cimport uint8_t, uint32_t, uint64_t
from libc.string cimport memcmp, memcpy, memset

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

# Filled below, at import, and only read afterwards.
cdef struct Tables:
    uint8_t drops[SPLITS][PIT_LIMIT]    # beads that a split drops, nearest pit first
    uint8_t count[SPLITS]               # beads that it takes, and pits that it reaches
    uint8_t ahead[SPLITS]               # pits that change: bit 0 is the one it takes from
    uint8_t behind[SPLITS]              # the same from the far end: bit 6 is the one it takes from
    uint32_t start[8]                   # where the splits of k beads begin; start[7] = 637
    tablier_split_tables listing

cdef Tables tables


# ---- Tables --------------------------------------------------------------------------------------

cdef void fill_tables() noexcept:
    """Number the splits: all ways to write k as k ordered numbers, in lexicographic order."""
    cdef uint8_t drops[PIT_LIMIT]
    cdef int k, i, rest
    cdef uint32_t split = 0
    memset(&tables, 0, sizeof(tables))
    for k in range(1, PIT_LIMIT + 1):
        tables.start[k] = split
        # Begin with 0 ... 0 k. The next split moves one bead left from the last number that has
        # any, and the rest of that number to the end.
        memset(drops, 0, sizeof(drops))
        drops[k - 1] = k
        while True:
            memcpy(tables.drops[split], drops, sizeof(drops))
            tables.count[split] = k
            fill_changes(split)
            split += 1
            i = k - 1
            while i > 0 and drops[i] == 0:
                i -= 1
            if i == 0:
                break
            rest = drops[i] - 1
            drops[i] = 0
            drops[i - 1] += 1
            drops[k - 1] = rest
    tables.start[7] = split
    fill_listing()


cdef void fill_changes(uint32_t split) noexcept:
    cdef int i
    tables.ahead[split] = 1
    tables.behind[split] = 1 << PIT_LIMIT
    for i in range(PIT_LIMIT):
        if tables.drops[split][i]:
            tables.ahead[split] |= <uint8_t>(2 << i)
            tables.behind[split] |= <uint8_t>(1 << (PIT_LIMIT - 1 - i))


cdef void fill_listing() noexcept:
    cdef uint32_t split
    cdef uint64_t mark
    cdef int i, byte, room, n
    for split in range(SPLITS):
        mark = <uint64_t>1 << (split % 64)
        for room in range(PIT_LIMIT + 1):
            for i in range(PIT_LIMIT):
                if tables.drops[split][i] <= room:
                    tables.listing.fitting[i][room][split // 64] |= mark
            if tables.count[split] <= room:
                tables.listing.available[room][split // 64] |= mark
    for byte in range(256):
        n = 0
        for i in range(8):
            if byte & (1 << i):
                tables.listing.positions[byte][n] = i
                n += 1
        tables.listing.count[byte] = n


fill_tables()


# ---- Splits --------------------------------------------------------------------------------------

cdef int read_split(uint32_t split, uint8_t* drops) noexcept nogil:
    memcpy(drops, tables.drops[split], PIT_LIMIT)
    return tables.count[split]


cdef long find_split(const uint8_t* drops, int count) noexcept nogil:
    cdef uint32_t split
    for split in range(tables.start[count], tables.start[count + 1]):
        if memcmp(tables.drops[split], drops, PIT_LIMIT) == 0:
            return <long>split
    return -1


# ---- Sowings -------------------------------------------------------------------------------------

cdef uint32_t list_sowings(const uint8_t* beads, move_t first, move_t* out) noexcept nogil:
    return tablier_list_sowings(&tables.listing, beads, first, out)


cdef void sow(uint8_t* beads, uint32_t sowing) noexcept nogil:
    cdef int pit = <int>pit_of(sowing), step = 1 if is_clockwise(sowing) else PITS - 1
    cdef uint32_t split = split_of(sowing)
    cdef int i
    beads[pit] -= tables.count[split]
    for i in range(tables.count[split]):
        pit += step
        if pit >= PITS:
            pit -= PITS
        beads[pit] += tables.drops[split][i]


cdef uint32_t changed_pits(uint32_t sowing) noexcept nogil:
    cdef uint32_t split = split_of(sowing)
    cdef uint64_t pits
    if is_clockwise(sowing):
        pits = <uint64_t>tables.ahead[split] << pit_of(sowing)
    else:
        pits = <uint64_t>tables.behind[split] << (pit_of(sowing) + PITS - PIT_LIMIT)
    # Bits past the end of the ring wrap around; the highest is bit 27 + 22 + 6.
    return <uint32_t>((pits | pits >> PITS) & ((<uint32_t>1 << PITS) - 1))
