"""Prospects of hands: expectimax over the tiles to come, with one sweep over all hands per turn."""

from libc.stdint cimport uint16_t, uint64_t
from libc.string cimport memset

from tablier_core.games.contrat500.hands cimport (
    HANDS, SEVENS, choose, hand_at, rank_makes, seven_with, six_left,
)
from tablier_core.games.contrat500.tiles cimport HAND, HIGHEST, count_of

# How often the discard on offer is as good as a random tile; otherwise it is useless.
cdef float OFFERED = 0.5
# The value of making the contracts one turn later, since the deal may end before.
cdef float DISCOUNT = 0.92


cdef void count_draws(uint64_t unseen, uint64_t held, Draws* draws) noexcept nogil:
    cdef int rank, tile, copies, all_copies
    cdef uint64_t hand
    for rank in range(HANDS):
        hand = hand_at[rank]
        all_copies = 0
        for tile in range(1, HIGHEST + 1):
            copies = count_of(unseen, tile) - max(0, count_of(hand, tile) - count_of(held, tile))
            # A hand that needs more than the unseen tiles is never reached: any number will do.
            copies = max(0, copies)
            draws.chance[rank][tile - 1] = <float>copies
            all_copies += copies
        for tile in range(HIGHEST):
            draws.chance[rank][tile] /= <float>max(1, all_copies)


cdef double weigh_hands(float* mass, uint64_t unseen, uint64_t known) noexcept nogil:
    cdef int rank, tile, more
    cdef double ways, total = 0.0
    for rank in range(HANDS):
        ways = 1.0
        for tile in range(1, HIGHEST + 1):
            more = count_of(hand_at[rank], tile) - count_of(known, tile)
            ways = ways * choose[count_of(unseen, tile)][more] if more >= 0 else 0.0
        mass[rank] = <float>ways
        total += ways
    return total


cdef void best_of_sevens(const float* after, float* sevens) noexcept nogil:
    cdef int seven, i
    cdef float best
    cdef const uint16_t* left
    for seven in range(SEVENS):
        left = six_left[seven]
        best = after[left[0]]
        for i in range(1, HAND + 1):
            best = max(best, after[left[i]])
        sevens[seven] = best


cdef void begin_turns(const Draws* draws, const float* sevens, float* begin) noexcept nogil:
    """Draw from the pot, or take the discard on offer if that is better."""
    cdef int rank, i
    cdef float drawn, offered
    cdef const float* chance
    cdef const uint16_t* seven
    for rank in range(HANDS):
        chance = draws.chance[rank]
        seven = seven_with[rank]
        drawn = offered = 0.0
        for i in range(HIGHEST):
            drawn += chance[i] * sevens[seven[i]]
        for i in range(HIGHEST):
            offered += chance[i] * max(<float>0.0, sevens[seven[i]] - drawn)
        begin[rank] = drawn + OFFERED * offered


cdef void pursue(
    const Draws* draws, int first, int second, float* begin, float* after, float* sevens
) noexcept nogil:
    cdef int rank
    for rank in range(HANDS):
        after[rank] = 1.0 if rank_makes(rank, first, second) else DISCOUNT * begin[rank]
    best_of_sevens(after, sevens)
    begin_turns(draws, sevens, begin)


cdef void choose_discards(const float* after, uint16_t* left) noexcept nogil:
    cdef int seven, i
    cdef uint16_t hand
    for seven in range(SEVENS):
        hand = six_left[seven][0]
        for i in range(1, HAND + 1):
            if after[six_left[seven][i]] > after[hand]:
                hand = six_left[seven][i]
        left[seven] = hand


cdef double play_turn(
    const Draws* draws, int first, int second, const float* worth, const uint16_t* left,
    float* mass, float* later
) noexcept nogil:
    cdef int rank, i
    cdef float drawn, taken, share
    cdef double made = 0.0, others = 0.0
    cdef const float* chance
    cdef const uint16_t* seven
    memset(later, 0, HANDS * sizeof(float))
    for rank in range(HANDS):
        if mass[rank] == 0.0:
            continue
        if rank_makes(rank, first, second):
            made += mass[rank]
            continue
        chance = draws.chance[rank]
        seven = seven_with[rank]
        drawn = taken = 0.0
        for i in range(HIGHEST):
            drawn += chance[i] * worth[seven[i]]
        for i in range(HIGHEST):
            if worth[seven[i]] > drawn:
                taken += OFFERED * chance[i]
        for i in range(HIGHEST):
            share = (1.0 - taken) * chance[i]
            if worth[seven[i]] > drawn:
                share += OFFERED * chance[i]
            later[left[seven[i]]] += mass[rank] * share
    for rank in range(HANDS):
        if later[rank] == 0.0:
            continue
        if rank_makes(rank, first, second):
            made += later[rank]
            later[rank] = 0.0
        else:
            others += later[rank]
    if others > 0.0:
        # The seat did not announce, so it holds one of the other hands.
        for rank in range(HANDS):
            mass[rank] = <float>(later[rank] / others)
    return made / (made + others) if made + others > 0.0 else 0.0
