"""Drawing the hidden hands of Contrat 500 so that they fit everything that was seen of them.

A seat's past is a chain: six dealt tiles, then in each turn one tile more and one thrown, and
after each the public fact whether the six made the seat's contracts (it was asked) or not. Which
tiles are used up by a past follows from the last hand alone: what is held now and what was thrown,
less what was taken. So a hand is drawn from the pool first, and its past is read backwards.

That seldom ends at a rare pair of contracts that a seat declined to announce. Then a search starts
from there: which of the few hands that make them it was, and which tiles of it are still held.
"""

from libc.stdint cimport uint8_t, uint64_t
from libc.string cimport memset

from tablier_core.games.contrat500.hands cimport HANDS, choose, hand_at, rank_of
from tablier_core.games.contrat500.tiles cimport (
    HAND, HIGHEST, contains, count_of, makes, one, pick_tile, size_of,
)
from tablier_core.rng cimport Rng, rng_unit

cdef enum:
    # Worlds drawn blindly before a search takes over. Nearly always one of the first few fits.
    ATTEMPTS = 256
    RIVALS = 3
    HAND_BYTES = 626                    # a bit for each
    MAKING = 225                        # the most hands that make two contracts: 15 triples each

cdef struct Recall:
    # The hands that a seat can have held when it was asked last.
    int turn                            # completed turns then; 0: it was never asked
    int count
    uint64_t hands[MAKING]

cdef struct Search:
    Trace* traces
    int count                           # of traces
    uint64_t pool
    Rng* rng
    Recall recalls[RIVALS]              # by trace
    int order[RIVALS]                   # traces that were asked, those with the fewest hands first
    int asked                           # how many
    # By trace, turns and rank of a hand, a bit each: there is no way back from it to dealt tiles.
    uint8_t dead[RIVALS][TURNS_EACH + 1][HAND_BYTES]


cdef uint64_t believe(Trace* traces, int n, uint64_t pool, Rng* rng) noexcept nogil:
    cdef Search search
    cdef uint64_t left = pool
    cdef int i, _attempt
    for i in range(n):
        memset(traces[i].kept, 0, sizeof(traces[i].kept))
    for _attempt in range(ATTEMPTS):
        if draw_world(traces, n, &left, rng):
            return left
        left = pool
    memset(&search, 0, sizeof(Search))
    search.traces = traces
    search.count = n
    search.pool = pool
    search.rng = rng
    for i in range(n):
        recall_asked(&search, i)
    # What truly happened is among the worlds drawn, so one of them fits in the end.
    while not recall_world(&search, &left):
        pass
    return left


# ---- Blind drawing -------------------------------------------------------------------------------

cdef uint64_t draw_tiles(uint64_t* pool, int n, Rng* rng) noexcept nogil:
    cdef uint64_t drawn = 0
    cdef int _tile, tile
    for _tile in range(n):
        tile = pick_tile(pool[0], rng)
        pool[0] -= one(tile)
        drawn += one(tile)
    return drawn


cdef bint go_back(Trace* trace, int first, uint64_t* hand, Rng* rng) noexcept nogil:
    """Draw how the hand came about, back to turn `first`; False if an answer was another one.

    Backwards in time only the public answers can go wrong: the tile thrown comes back, and any of
    the seven but those known from before may be the one that was drawn. So each past that fits is
    reached, with the chance that it has if seats throw without looking.
    """
    cdef int turn, tile
    for turn in range(trace.turns - 1, first - 1, -1):
        if makes(hand[0], trace.contracts) != trace.asked[turn]:
            return False
        hand[0] += one(trace.thrown[turn])
        tile = trace.taken[turn]
        if not tile:
            tile = pick_tile(hand[0] - trace.known[turn] - trace.kept[turn], rng)
            trace.drawn[turn] = <uint8_t>tile
        hand[0] -= one(tile)
    return True


cdef bint draw_world(Trace* traces, int n, uint64_t* pool, Rng* rng) noexcept nogil:
    """Draw every hand and its past; False if it is not what everybody saw."""
    cdef int i
    cdef Trace* trace
    for i in range(n):
        trace = &traces[i]
        trace.held = trace.known[trace.turns]
        trace.held += draw_tiles(pool, HAND - size_of(trace.held), rng)
        trace.dealt = trace.held
        if not go_back(trace, 0, &trace.dealt, rng):
            return False
    return True


# ---- Search --------------------------------------------------------------------------------------

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


cdef bint throws_loose(const Trace* trace, int turn) noexcept nogil:
    """Whether the tile thrown in a turn was not one that the seat was known to hold."""
    cdef uint64_t known = trace.known[turn]
    if trace.taken[turn]:
        known += one(trace.taken[turn])
    return not count_of(known, trace.thrown[turn])


cdef double combinations(int n, int k) noexcept nogil:
    cdef double ways = 1.0
    cdef int i
    for i in range(k):
        ways = ways * (n - i) / (i + 1)
    return ways


cdef double ways_since(
    const Trace* trace, int turn, uint64_t marked, uint64_t pool
) noexcept nogil:
    """In how many ways the later turns can have gone, from a hand that held the marked tiles.

    Besides its known tiles a hand holds loose ones. Those marked leave it only by being thrown;
    those not marked are any. So every marked tile was thrown later, or is still held and comes
    from the pool; and the tile drawn in a turn was any loose one that is not marked.
    """
    cdef int tile, loose = HAND - size_of(trace.known[turn]) - size_of(marked)
    cdef double ways
    if loose < 0:
        return 0.0
    # A hand with no other tiles tells whether it was asked.
    if not loose and makes(trace.known[turn] + marked, trace.contracts) != trace.asked[turn - 1]:
        return 0.0
    if turn == trace.turns:
        ways = combinations(size_of(pool) - size_of(marked), loose)
        for tile in range(1, HIGHEST + 1):
            ways *= choose[count_of(pool, tile)][count_of(marked, tile)]
        return ways
    ways = ways_since(trace, turn + 1, marked, pool)
    tile = trace.thrown[turn]
    if count_of(marked, tile) and throws_loose(trace, turn):
        ways += ways_since(trace, turn + 1, marked - one(tile), pool)
    return ways if trace.taken[turn] else ways * (loose + 1)


cdef void recall_asked(Search* search, int i) noexcept nogil:
    """List the hands that trace i can have held when its seat was asked last.

    Only those that have a past: what a world draws later cannot make up for it.
    """
    cdef const Trace* trace = &search.traces[i]
    cdef Recall* recall = &search.recalls[i]
    cdef uint64_t hand
    cdef int rank, place, turn = trace.turns
    while turn and not trace.asked[turn - 1]:
        turn -= 1
    recall.turn = turn
    if not turn:
        return
    for rank in range(HANDS):
        hand = hand_at[rank]
        if (
            makes(hand, trace.contracts) and contains(hand, trace.known[turn])
            and ways_since(trace, turn, hand - trace.known[turn], search.pool) > 0.0
            and retrace(search, i, turn, hand)
        ):
            recall.hands[recall.count] = hand
            recall.count += 1
    # The fewer its hands, the sooner it chooses: it would find its tiles gone.
    place = search.asked
    while place and search.recalls[search.order[place - 1]].count > recall.count:
        search.order[place] = search.order[place - 1]
        place -= 1
    search.order[place] = i
    search.asked += 1


cdef bint recall_held(Search* search, int i, uint64_t* pool) noexcept nogil:
    """Draw the hand that trace i was asked with; from the pool comes what is still held of it."""
    cdef Trace* trace = &search.traces[i]
    cdef const Recall* recall = &search.recalls[i]
    cdef double[MAKING] weights
    cdef double left, kept, thrown, total = 0.0
    cdef uint64_t marked
    cdef int tile, turn, chosen
    for chosen in range(recall.count):
        marked = recall.hands[chosen] - trace.known[recall.turn]
        weights[chosen] = ways_since(trace, recall.turn, marked, pool[0])
        total += weights[chosen]
    if total <= 0.0:
        return False
    left = rng_unit(search.rng) * total
    chosen = 0
    while chosen + 1 < recall.count and left >= weights[chosen]:
        left -= weights[chosen]
        chosen += 1
    marked = recall.hands[chosen] - trace.known[recall.turn]
    for turn in range(recall.turn, trace.turns):
        trace.kept[turn] = marked
        tile = trace.thrown[turn]
        if count_of(marked, tile) and throws_loose(trace, turn):
            kept = ways_since(trace, turn + 1, marked, pool[0])
            thrown = ways_since(trace, turn + 1, marked - one(tile), pool[0])
            if rng_unit(search.rng) * (kept + thrown) >= kept:
                marked -= one(tile)
    pool[0] -= marked
    trace.held += marked
    return True


cdef bint recall_world(Search* search, uint64_t* pool) noexcept nogil:
    """Draw what every seat still holds of an asked hand, then the rest; False if it cannot be."""
    cdef int i, turn
    cdef Trace* trace
    cdef uint64_t hand
    pool[0] = search.pool
    for i in range(search.count):
        search.traces[i].held = search.traces[i].known[search.traces[i].turns]
    # For all seats before any hand is filled up: what one must have kept, no other can hold.
    for i in range(search.asked):
        if not recall_held(search, search.order[i], pool):
            return False
    for i in range(search.count):
        trace = &search.traces[i]
        trace.held += draw_tiles(pool, HAND - size_of(trace.held), search.rng)
        hand = trace.held
        turn = search.recalls[i].turn
        if not (go_back(trace, turn, &hand, search.rng) and retrace(search, i, turn, hand)):
            return False
    return True
