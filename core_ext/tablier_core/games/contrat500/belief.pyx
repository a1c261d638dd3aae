"""Drawing the hidden hands of Contrat 500 so that they fit everything that was seen of them.

A seat's past is a chain: six dealt tiles, then in each turn one tile more and one thrown, and
after each the public fact whether the six made the seat's contracts (it was asked) or not. Which
tiles are used up by a past follows from the last hand alone: what is held now and what was thrown,
less what was taken. So a hand is drawn from the pool first, and its past is read backwards.
"""

from libc.stdint cimport uint8_t, uint32_t, uint64_t
from libc.string cimport memset

from tablier_core.games.contrat500.tiles cimport (
    HAND, HIGHEST, count_of, makes, one, pick_tile, size_of,
)
from tablier_core.rng cimport Rng, rng_unit

cdef enum:
    # Worlds drawn blindly before a search takes over. Nearly always one of the first few fits.
    ATTEMPTS = 256
    RIVALS = 3
    HANDS = 5005                        # multisets of six tiles
    HAND_BYTES = 626                    # a bit for each

cdef struct Search:
    Trace* traces
    int count                           # of traces
    Rng* rng
    # By trace, turns and rank of a hand, a bit each: there is no way back from it to dealt tiles.
    uint8_t dead[RIVALS][TURNS_EACH + 1][HAND_BYTES]


cdef uint64_t believe(Trace* traces, int n, uint64_t pool, Rng* rng) noexcept nogil:
    cdef Search search
    cdef uint64_t left = pool
    cdef int _attempt
    for _attempt in range(ATTEMPTS):
        if draw_world(traces, n, &left, rng):
            return left
        left = pool
    memset(&search, 0, sizeof(Search))
    search.traces = traces
    search.count = n
    search.rng = rng
    search_world(&search, 0, &left)
    return left


# ---- Blind drawing -------------------------------------------------------------------------------

cdef bint draw_world(Trace* traces, int n, uint64_t* pool, Rng* rng) noexcept nogil:
    """Draw every hand and its past; False if it is not what everybody saw.

    Backwards in time only the public answers can go wrong: the tile thrown comes back, and any of
    the seven but those known from before may be the one that was drawn. So each past that fits is
    reached, with the chance that it has if seats throw without looking.
    """
    cdef int i, turn, tile
    cdef Trace* trace
    cdef uint64_t hand
    for i in range(n):
        trace = &traces[i]
        hand = trace.known[trace.turns]
        while size_of(hand) < HAND:
            tile = pick_tile(pool[0], rng)
            pool[0] -= one(tile)
            hand += one(tile)
        trace.held = hand
        for turn in range(trace.turns - 1, -1, -1):
            if makes(hand, trace.contracts) != trace.asked[turn]:
                return False
            hand += one(trace.thrown[turn])
            tile = trace.taken[turn]
            if not tile:
                tile = pick_tile(hand - trace.known[turn], rng)
                trace.drawn[turn] = <uint8_t>tile
            hand -= one(tile)
        trace.dealt = hand
    return True


# ---- Search --------------------------------------------------------------------------------------

# Binomial coefficients, and every hand of six by its rank; filled once at import.
cdef uint32_t[16][HAND + 1] choose
cdef uint64_t[HANDS] hand_at


cdef int rank_of(uint64_t hand) noexcept nogil:
    """The number of a hand among all of them, as a combination with repetition."""
    cdef int tile, _copy, i = 0, rank = 0
    for tile in range(1, HIGHEST + 1):
        for _copy in range(count_of(hand, tile)):
            rank += choose[tile - 1 + i][i + 1]
            i += 1
    return rank


cdef void fill_hands(uint64_t hand, int lowest) noexcept:
    """Enter every hand that tiles from `lowest` on make of this beginning."""
    cdef int tile
    if size_of(hand) == HAND:
        hand_at[rank_of(hand)] = hand
        return
    for tile in range(lowest, HIGHEST + 1):
        fill_hands(hand + one(tile), tile)


cdef void fill_tables() noexcept:
    cdef int n, k
    for n in range(16):
        choose[n][0] = 1
        for k in range(1, HAND + 1):
            choose[n][k] = choose[n - 1][k - 1] + choose[n - 1][k] if n else 0
    fill_hands(0, 1)


fill_tables()


cdef bint retrace(Search* search, int i, int turn, uint64_t hand) noexcept nogil:
    """Find a past of trace i that led to the hand after `turn` turns, and write it down.

    Hands without a way back are marked, so that none is visited twice.
    """
    cdef Trace* trace = &search.traces[i]
    cdef int rank, first, step, tile
    cdef uint64_t seven, loose
    if turn == 0:
        trace.dealt = hand
        return True
    if makes(hand, trace.contracts) != trace.asked[turn - 1]:
        return False
    rank = rank_of(hand)
    if (search.dead[i][turn][rank >> 3] >> (rank & 7)) & 1:
        return False
    seven = hand + one(trace.thrown[turn - 1])
    if trace.taken[turn - 1]:
        if retrace(search, i, turn - 1, seven - one(trace.taken[turn - 1])):
            return True
    else:
        loose = seven - trace.known[turn - 1]
        first = pick_tile(loose, search.rng)
        for step in range(HIGHEST):
            tile = (first + step - 1) % HIGHEST + 1
            if count_of(loose, tile) and retrace(search, i, turn - 1, seven - one(tile)):
                trace.drawn[turn - 1] = <uint8_t>tile
                return True
    search.dead[i][turn][rank >> 3] |= <uint8_t>(1 << (rank & 7))
    return False


cdef double ways_to_hold(uint64_t hand, uint64_t known, uint64_t pool) noexcept nogil:
    """In how many ways tiles of the pool complete the known ones to the hand; 0 if they cannot."""
    cdef int tile, more
    cdef double ways = 1.0
    for tile in range(1, HIGHEST + 1):
        more = count_of(hand, tile) - count_of(known, tile)
        if more < 0:
            return 0.0
        ways *= choose[count_of(pool, tile)][more]
    return ways


cdef void weigh_hands(const Trace* trace, uint64_t pool, double* weights) noexcept nogil:
    """The ways to hold each hand that shows the last public answer."""
    cdef int rank
    for rank in range(HANDS):
        weights[rank] = 0.0
        if not trace.turns or makes(hand_at[rank], trace.contracts) == trace.asked[trace.turns - 1]:
            weights[rank] = ways_to_hold(hand_at[rank], trace.known[trace.turns], pool)


cdef int pick_weighted(const double* weights, Rng* rng) noexcept nogil:
    """A rank by its weight; -1 if none has any."""
    cdef double total = 0.0, left
    cdef int rank, chosen = -1
    for rank in range(HANDS):
        total += weights[rank]
    left = rng_unit(rng) * total
    for rank in range(HANDS):
        if weights[rank] > 0.0:
            chosen = rank
            left -= weights[rank]
            if left < 0.0:
                break
    return chosen


cdef bint search_world(Search* search, int i, uint64_t* pool) noexcept nogil:
    """Give hands to trace i and all after it; False if the pool cannot serve them all.

    The true hands are among those tried, so the search from trace 0 always succeeds.
    """
    cdef Trace* trace = &search.traces[i]
    cdef uint64_t hand, left
    cdef double[HANDS] weights
    cdef int rank
    weigh_hands(trace, pool[0], weights)
    while True:
        rank = pick_weighted(weights, search.rng)
        if rank < 0:
            return False
        weights[rank] = 0.0
        hand = hand_at[rank]
        if not retrace(search, i, trace.turns, hand):
            continue
        left = pool[0] - (hand - trace.known[trace.turns])
        if i + 1 == search.count or search_world(search, i + 1, &left):
            trace.held = hand
            pool[0] = left
            return True
