# Tiles (rules page: Components). A set of tiles is one word: four bits count each number, eight
# bits count all the tiles, and the rest is their sum. Adding and removing tiles is plain arithmetic
# on such words, and so is taking the known part away from a hand.

from libc.stdint cimport uint8_t, uint64_t

from tablier_core.rng cimport Rng, rng_below

cdef enum:
    HIGHEST = 10                # tiles are numbered from 1
    HAND = 6
    SIZE_SHIFT = 40
    SUM_SHIFT = 48


cdef inline uint64_t one(int tile) noexcept nogil:
    return (
        <uint64_t>1 << (4 * (tile - 1)) | <uint64_t>1 << SIZE_SHIFT | <uint64_t>tile << SUM_SHIFT
    )


cdef inline int count_of(uint64_t tiles, int tile) noexcept nogil:
    return <int>(tiles >> (4 * (tile - 1))) & 15


cdef inline int size_of(uint64_t tiles) noexcept nogil:
    return <int>(tiles >> SIZE_SHIFT) & 255


cdef inline int sum_of(uint64_t tiles) noexcept nogil:
    return <int>(tiles >> SUM_SHIFT)


cdef inline bint contains(uint64_t tiles, uint64_t part) noexcept nogil:
    cdef int tile
    for tile in range(1, HIGHEST + 1):
        if count_of(tiles, tile) < count_of(part, tile):
            return False
    return True


cdef inline uint64_t full_set(int seats) noexcept nogil:
    """Twice as many copies of each number as there are seats."""
    cdef uint64_t tiles = 0
    cdef int tile
    for tile in range(1, HIGHEST + 1):
        tiles += 2 * seats * one(tile)
    return tiles


cdef inline uint64_t gather(const uint8_t* row, int n) noexcept nogil:
    """The set of the tiles that lie in a row."""
    cdef uint64_t tiles = 0
    cdef int i
    for i in range(n):
        tiles += one(row[i])
    return tiles


cdef inline void spread(uint64_t tiles, uint8_t* out) noexcept nogil:
    """Lay the tiles in a row, ascending."""
    cdef int tile, _copy
    for tile in range(1, HIGHEST + 1):
        for _copy in range(count_of(tiles, tile)):
            out[0] = <uint8_t>tile
            out += 1


cdef inline int pick_tile(uint64_t tiles, Rng* rng) noexcept nogil:
    """One of the tiles, each with the same chance; there must be one."""
    cdef int left = <int>rng_below(rng, size_of(tiles)), tile = 1
    while left >= count_of(tiles, tile):
        left -= count_of(tiles, tile)
        tile += 1
    return tile


cdef inline bint has_triple(uint64_t tiles, int contract) noexcept nogil:
    """Whether exactly three of the tiles make the contract."""
    cdef int low, middle, high
    cdef uint64_t rest
    for low in range(max(1, contract - 2 * HIGHEST), contract // 3 + 1):
        if not count_of(tiles, low):
            continue
        rest = tiles - one(low)
        for middle in range(max(low, contract - low - HIGHEST), (contract - low) // 2 + 1):
            high = contract - low - middle
            if count_of(rest, middle) and count_of(rest - one(middle), high):
                return True
    return False


cdef inline bint makes(uint64_t hand, const uint8_t* contracts) noexcept nogil:
    """Whether six tiles split into two triples that make both contracts."""
    # With the sum right, the three tiles beside a triple of the first contract make the second.
    return sum_of(hand) == contracts[0] + contracts[1] and has_triple(hand, contracts[0])
