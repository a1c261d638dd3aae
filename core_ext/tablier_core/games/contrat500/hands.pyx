"""Hands by number: ranks of combinations with repetition, and tables of facts about each hand."""

from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t

from tablier_core.games.contrat500.settlement cimport value_of
from tablier_core.games.contrat500.state cimport CONTRACTS_END, LOWEST_CONTRACT
from tablier_core.games.contrat500.tiles cimport (
    HAND, HIGHEST, count_of, has_triple, one, size_of, sum_of,
)


cdef int rank_of(uint64_t tiles) noexcept nogil:
    cdef int tile, _copy, i = 0, rank = 0
    for tile in range(1, HIGHEST + 1):
        for _copy in range(count_of(tiles, tile)):
            rank += choose[tile - 1 + i][i + 1]
            i += 1
    return rank


# ---- Tables --------------------------------------------------------------------------------------

cdef void fill_hand(uint64_t hand) noexcept:
    cdef int tile, contract, rank = rank_of(hand)
    cdef uint32_t worth, most = 0
    hand_at[rank] = hand
    total_at[rank] = <uint8_t>sum_of(hand)
    for contract in range(LOWEST_CONTRACT, CONTRACTS_END):
        triples_at[rank] |= <uint32_t>has_triple(hand, contract) << contract
        if triples_at[rank] >> contract & 1:
            worth = value_of[contract] + value_of[total_at[rank] - contract]
            if worth > most:
                most = worth
                split_at[rank] = <uint8_t>contract
    for tile in range(1, HIGHEST + 1):
        seven_with[rank][tile - 1] = <uint16_t>rank_of(hand + one(tile))


cdef void fill_seven(uint64_t seven) noexcept:
    cdef int tile, _copy, i = 0, rank = rank_of(seven)
    for tile in range(1, HIGHEST + 1):
        for _copy in range(count_of(seven, tile)):
            six_left[rank][i] = <uint16_t>rank_of(seven - one(tile))
            i += 1


cdef void fill_hands(uint64_t tiles, int lowest) noexcept:
    """Enter every hand of six or seven that adds tiles from `lowest` upwards to these."""
    cdef int tile
    if size_of(tiles) == HAND:
        fill_hand(tiles)
    if size_of(tiles) == HAND + 1:
        fill_seven(tiles)
        return
    for tile in range(lowest, HIGHEST + 1):
        fill_hands(tiles + one(tile), tile)


cdef void fill_tables() noexcept:
    cdef int n, k
    for n in range(16):
        choose[n][0] = 1
        for k in range(1, HAND + 2):
            choose[n][k] = choose[n - 1][k - 1] + choose[n - 1][k] if n else 0
    fill_hands(0, 1)


fill_tables()
