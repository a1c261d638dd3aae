# Hands by number: a hand of six is a combination with repetition, and so is a hand of seven.

from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t

from tablier_core.games.contrat500.tiles cimport HAND, HIGHEST, count_of

cdef enum:
    HANDS = 5005                # multisets of six tiles
    SEVENS = 11440              # and of seven

# Tables; filled once at import, only read afterwards.
cdef uint32_t[16][HAND + 2] choose          # binomial coefficients
cdef uint64_t[HANDS] hand_at                # a hand by its number
cdef uint8_t[HANDS] total_at                # the sum of its tiles
cdef uint32_t[HANDS] triples_at             # bit c: three of its tiles make contract c
cdef uint8_t[HANDS] split_at                # a contract of its dearest split
cdef uint16_t[HANDS][HIGHEST] seven_with    # the seven that a hand and tile i + 1 make
cdef uint16_t[SEVENS][HAND + 1] six_left    # the hands that a seven leaves; some repeat


cdef inline int rank_of(uint64_t tiles) noexcept nogil:
    """The number of a hand among all of its size."""
    cdef int tile, _copy, i = 0, rank = 0
    for tile in range(1, HIGHEST + 1):
        for _copy in range(count_of(tiles, tile)):
            rank += choose[tile - 1 + i][i + 1]
            i += 1
    return rank


cdef inline bint rank_makes(int rank, int first, int second) noexcept nogil:
    """Whether a hand splits into two triples that make both contracts."""
    return total_at[rank] == first + second and triples_at[rank] >> first & 1
