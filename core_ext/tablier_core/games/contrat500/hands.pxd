# Hands by number. Every hand of six tiles has a rank, and so has every hand of seven, so that facts
# about all hands fit into arrays.

from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t

from tablier_core.games.contrat500.tiles cimport HAND, HIGHEST

cdef enum:
    HANDS = 5005                # multisets of six tiles
    SEVENS = 11440              # multisets of seven tiles
    MOST_MAKING = 225           # hands that can make one pair of contracts: 15 triples each

# Tables by rank, filled at import and only read afterwards.
cdef uint32_t[16][HAND + 2] choose          # binomial coefficients
cdef uint64_t[HANDS] hand_at                # the tiles
cdef uint8_t[HANDS] total_at                # the sum of the tiles
cdef uint32_t[HANDS] triples_at             # bit c: three of the tiles make contract c
cdef uint8_t[HANDS] split_at                # a contract of the most valuable split
cdef uint16_t[HANDS][HIGHEST] seven_with    # the seven that the hand and tile i + 1 make
cdef uint16_t[SEVENS][HAND + 1] six_left    # the hands after each discard; some repeat


cdef inline bint rank_makes(int rank, int first, int second) noexcept nogil:
    """Whether a hand splits into two triples that make both contracts."""
    return total_at[rank] == first + second and triples_at[rank] >> first & 1


# The rank of a hand of six or seven tiles.
cdef int rank_of(uint64_t tiles) noexcept nogil
