# Sets of tiles (reference: Components).
#
# A set is one 64-bit word: four bits count the copies of each number, eight bits count all tiles,
# and the remaining bits hold their sum. Sets are added and subtracted as plain integers.

from libc.stdint cimport uint8_t, uint64_t

from tablier_core.rng cimport Rng

cdef enum:
    HIGHEST = 10                # tiles are numbered from 1
    HAND = 6
    SIZE_SHIFT = 40
    SUM_SHIFT = 48


cdef inline uint64_t one(int tile) noexcept nogil:
    """The set that holds a single tile."""
    return (
        <uint64_t>1 << (4 * (tile - 1)) | <uint64_t>1 << SIZE_SHIFT | <uint64_t>tile << SUM_SHIFT
    )


cdef inline int count_of(uint64_t tiles, int tile) noexcept nogil:
    """The number of copies of a tile in a set."""
    return <int>(tiles >> (4 * (tile - 1))) & 15


cdef inline int size_of(uint64_t tiles) noexcept nogil:
    return <int>(tiles >> SIZE_SHIFT) & 255


cdef inline int sum_of(uint64_t tiles) noexcept nogil:
    return <int>(tiles >> SUM_SHIFT)


cdef inline bint makes(uint64_t hand, const uint8_t* contracts) noexcept nogil:
    """Whether six tiles split into two triples that make both contracts.

    If the sum is right, the tiles outside a triple for the first contract make the second.
    """
    return sum_of(hand) == contracts[0] + contracts[1] and has_triple(hand, contracts[0])


# Whether exactly three of the tiles make the contract.
cdef bint has_triple(uint64_t tiles, int contract) noexcept nogil
# Whether a set includes another.
cdef bint contains(uint64_t tiles, uint64_t part) noexcept nogil
# All tiles of a match.
cdef uint64_t full_set(int seats) noexcept nogil
# The set of the first n tiles of a row.
cdef uint64_t gather(const uint8_t* row, int n) noexcept nogil
# Write the tiles of a set in ascending order.
cdef void spread(uint64_t tiles, uint8_t* out) noexcept nogil
# A tile chosen at random from a set that is not empty.
cdef int pick_tile(uint64_t tiles, Rng* rng) noexcept nogil
# Remove n random tiles from a set and return them.
cdef uint64_t draw_tiles(uint64_t* tiles, int n, Rng* rng) noexcept nogil
# Write n tiles of a set in random order.
cdef void spread_randomly(uint64_t tiles, uint8_t* out, int n, Rng* rng) noexcept nogil
