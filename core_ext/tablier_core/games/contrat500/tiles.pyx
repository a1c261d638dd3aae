"""Sets of tiles: building them, listing them, drawing from them and finding triples."""

from libc.stdint cimport uint8_t, uint64_t

from tablier_core.rng cimport Rng, rng_below


cdef bint has_triple(uint64_t tiles, int contract) noexcept nogil:
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


cdef bint contains(uint64_t tiles, uint64_t part) noexcept nogil:
    cdef int tile
    for tile in range(1, HIGHEST + 1):
        if count_of(tiles, tile) < count_of(part, tile):
            return False
    return True


cdef uint64_t full_set(int seats) noexcept nogil:
    cdef uint64_t tiles = 0
    cdef int tile
    for tile in range(1, HIGHEST + 1):
        tiles += 2 * seats * one(tile)
    return tiles


cdef uint64_t gather(const uint8_t* row, int n) noexcept nogil:
    cdef uint64_t tiles = 0
    cdef int i
    for i in range(n):
        tiles += one(row[i])
    return tiles


cdef void spread(uint64_t tiles, uint8_t* out) noexcept nogil:
    cdef int tile, _copy
    for tile in range(1, HIGHEST + 1):
        for _copy in range(count_of(tiles, tile)):
            out[0] = <uint8_t>tile
            out += 1


cdef int pick_tile(uint64_t tiles, Rng* rng) noexcept nogil:
    cdef int left = <int>rng_below(rng, size_of(tiles)), tile = 1
    # The lowest four bits count the copies of the tile that is looked at.
    while left >= <int>(tiles & 15):
        left -= <int>(tiles & 15)
        tiles >>= 4
        tile += 1
    return tile


cdef uint64_t draw_tiles(uint64_t* tiles, int n, Rng* rng) noexcept nogil:
    cdef uint64_t drawn = 0
    cdef int _tile, tile
    for _tile in range(n):
        tile = pick_tile(tiles[0], rng)
        tiles[0] -= one(tile)
        drawn += one(tile)
    return drawn


cdef void spread_randomly(uint64_t tiles, uint8_t* out, int n, Rng* rng) noexcept nogil:
    cdef int i
    for i in range(n):
        out[i] = <uint8_t>pick_tile(tiles, rng)
        tiles -= one(out[i])
