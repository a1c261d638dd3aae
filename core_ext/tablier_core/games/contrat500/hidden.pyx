"""Hidden information: drawing the tiles that a viewer cannot see, so that they fit what it saw.

The past of a seat is a chain: six dealt tiles, then in each turn one more tile and one discard.
After each discard everybody learns whether the six tiles made the contracts of the seat: the seat
was asked to announce, or it was not. Which tiles a past uses up follows from its last hand alone:
the tiles held now plus those discarded, less those taken from discards. So the hand is drawn from
the unseen tiles first, and its past is then drawn backwards.

This rarely succeeds if a seat was asked with a rare pair of contracts and declined. After a number
of failures a guided draw takes over. It starts from the few hands that make the contracts: it
chooses the one that the seat was asked with, and which of its tiles the seat still holds. Both
draws give every past that fits the same chance, so it does not matter which of them succeeds.
"""

from libc.stdint cimport uint8_t, uint16_t, uint64_t
from libc.string cimport memset

from tablier_core.abi cimport MAX_PACKED, TABLE
from tablier_core.games.contrat500.encoding cimport pack
from tablier_core.games.contrat500.hands cimport (
    HANDS, MOST_MAKING, choose, hand_at, rank_makes, rank_of, seven_with, six_left,
)
from tablier_core.games.contrat500.history cimport History, read_history
from tablier_core.games.contrat500.state cimport (
    DISCARDED, DISCARDING, OVER, SEATS, TILES, TOOK, TURNS_EACH, State, is_dealt, nth_seat,
    total_tiles,
)
from tablier_core.games.contrat500.tiles cimport (
    HAND, HIGHEST, contains, count_of, draw_tiles, full_set, makes, one, pick_tile, size_of, spread,
    spread_randomly,
)
from tablier_core.packing cimport hash_bytes
from tablier_core.rng cimport GAME_STREAM, Rng, rng_next, rng_seed, rng_unit

cdef enum:
    # Blind draws before the guided draw takes over. Nearly always one of the first few fits.
    ATTEMPTS = 256
    RIVALS = SEATS - 1

cdef struct Past:
    # The history of a rival and the hidden tiles drawn for it.
    History seen
    uint64_t dealt                      # its first six tiles
    uint8_t drawn[TURNS_EACH]           # what it got from the pot, by turn
    uint64_t held                       # its six tiles now
    # For the guided draw: of the tiles not known, those that the hand held before turn i.
    uint64_t kept[TURNS_EACH]

cdef struct Recall:
    # How a rival was asked: the hands that it can have held each time.
    int first                           # completed turns when it was first asked; 0: never
    int last                            # and when it was last asked
    int count
    uint64_t hands[MOST_MAKING]         # that it can have held the last time
    float led_to[MOST_MAKING]           # which part of all draws since the first leads to them
    double weights[MOST_MAKING]         # in how many ways all turns can have gone
    double total                        # of the weights
    uint64_t needed                     # tiles that it still holds in any case
    uint64_t pool                       # without what the others need
    int fewest                          # other tiles that it can hold
    int most

cdef struct Guided:
    # The memory of a guided draw.
    Past* pasts
    int count                           # of pasts
    uint64_t pool
    Rng* rng
    Recall recalls[RIVALS]              # by past
    # Of the rival that is being traced, by turns since it was first asked and rank of a hand: which
    # part of all draws leads from a hand of that time to this one, with the right answers. Less
    # than 0 where this is not known yet.
    float led_to[TURNS_EACH][HANDS]
    # `draw_guided` corrects by these: see `share_pool` and `weigh_others`.
    double scale
    int base
    double factor


# ---- What a viewer knows -------------------------------------------------------------------------

cdef void determinize(void* state, int viewer, Rng* rng) noexcept nogil:
    cdef State* s = <State*>state
    cdef uint64_t seed
    # Hidden information is erased first, so that nothing below can depend on it.
    conceal(s, viewer)
    if viewer != TABLE and s.phase != OVER:
        if is_dealt(s):
            draw_world(s, viewer, rng)
        else:
            spread_randomly(full_set(s.seats), s.tiles, total_tiles(s), rng)
    seed = rng_next(rng)
    seed = seed << 32 | rng_next(rng)
    rng_seed(&s.rng, seed, GAME_STREAM)


cdef uint64_t infoset(const void* state, int viewer) noexcept nogil:
    """Hash the packed state without hidden information; future chance is hidden from everybody."""
    cdef State s = (<const State*>state)[0]
    cdef uint8_t[MAX_PACKED] data
    conceal(&s, viewer)
    return hash_bytes(<uint64_t>(viewer + 1), data, pack(&s, data))


cdef void conceal(State* s, int viewer) noexcept nogil:
    """Erase everything that the viewer cannot know."""
    cdef int i, seat, turn, slot = HAND * s.seats
    cdef uint8_t[TILES] seen
    s.rng.state = s.rng.increment = 0
    if viewer == TABLE:
        return
    memset(seen, 0, sizeof(seen))
    if is_dealt(s):
        memset(seen + HAND * viewer, 1, HAND)
    for turn in range(s.turns):
        if not s.log[turn] & TOOK:
            seen[slot] = nth_seat(s, turn) == viewer
            slot += 1
    for i in range(total_tiles(s)):
        if not seen[i]:
            s.tiles[i] = 0
    for seat in range(s.seats):
        if seat != viewer:
            s.hands[seat] = 0


# ---- Worlds --------------------------------------------------------------------------------------

cdef void draw_world(State* s, int viewer, Rng* rng) noexcept nogil:
    """Fill a concealed deal with tiles that fit everything the viewer has seen."""
    cdef Past[RIVALS] pasts
    cdef uint64_t pool
    cdef int i, n = 0, first = s.drawn
    for i in range(s.seats):
        if i != viewer:
            read_history(s, i, &pasts[n].seen)
            n += 1
    pool = draw_pasts(pasts, n, unseen_tiles(s, pasts, n), rng)
    for i in range(n):
        write_past(s, &pasts[i])
    if s.phase == DISCARDING and s.to_move != viewer:
        # The seventh tile was either taken in public or drawn from the pot.
        if s.log[s.turns - 1] & TOOK:
            s.hands[s.to_move] += one(s.log[s.turns - 2] & DISCARDED)
        else:
            first -= 1
    spread_randomly(pool, s.tiles + first, total_tiles(s) - first, rng)
    if first < s.drawn:
        s.hands[s.to_move] += one(s.tiles[first])


cdef uint64_t unseen_tiles(const State* s, const Past* pasts, int n) noexcept nogil:
    """The tiles of a concealed state that its viewer has not seen."""
    cdef uint64_t pool = full_set(s.seats)
    cdef const History* seen
    cdef int i, turn
    for i in range(total_tiles(s)):
        # Only the viewer's own tiles, dealt and drawn, were not erased.
        if s.tiles[i]:
            pool -= one(s.tiles[i])
    for i in range(n):
        # Tiles that a rival discarded or is known to hold have been seen. Those that it took came
        # from another seat and are counted there.
        seen = &pasts[i].seen
        pool -= seen.known[seen.turns]
        for turn in range(seen.turns):
            pool -= one(seen.discarded[turn])
            if seen.taken[turn]:
                pool += one(seen.taken[turn])
    return pool


cdef void write_past(State* s, const Past* past) noexcept nogil:
    """Put the tiles drawn for a rival into the state."""
    cdef int turn, n = 0, slot = HAND * s.seats
    s.hands[past.seen.seat] = past.held
    spread(past.dealt, s.tiles + HAND * past.seen.seat)
    for turn in range(s.turns):
        if nth_seat(s, turn) == past.seen.seat and s.log[turn] & DISCARDED:
            if not past.seen.taken[n]:
                s.tiles[slot] = past.drawn[n]
            n += 1
        slot += not s.log[turn] & TOOK


cdef uint64_t draw_pasts(Past* pasts, int n, uint64_t pool, Rng* rng) noexcept nogil:
    """Draw the hidden tiles of every rival from the pool; returns the rest of the pool.

    The histories must be possible with these tiles, or the loop below does not end.
    """
    cdef uint64_t left = pool
    cdef int i, _attempt
    for i in range(n):
        memset(pasts[i].kept, 0, sizeof(pasts[i].kept))
    for _attempt in range(ATTEMPTS):
        if draw_blindly(pasts, n, &left, rng):
            return left
        left = pool
    return draw_long(pasts, n, pool, rng)


# ---- Blind draw ----------------------------------------------------------------------------------

cdef bint draw_blindly(Past* pasts, int n, uint64_t* pool, Rng* rng) noexcept nogil:
    """Draw every hand and its past; False if they contradict a public answer."""
    cdef int i
    cdef Past* past
    for i in range(n):
        past = &pasts[i]
        past.held = past.seen.known[past.seen.turns]
        past.held += draw_tiles(pool, HAND - size_of(past.held), rng)
        past.dealt = past.held
        if not go_back(past, past.seen.turns, 0, &past.dealt, rng):
            return False
    return True


cdef bint go_back(Past* past, int last, int first, uint64_t* hand, Rng* rng) noexcept nogil:
    """Draw the turns from `first` to `last` that led to a hand; False on a contradiction.

    Going backwards, the discard returns, and any of the seven tiles that was not known before can
    be the one drawn. Only the public answers can contradict this. So every past that fits can be
    drawn, with the probability that it has if seats discard at random.
    """
    cdef const History* seen = &past.seen
    cdef int turn, tile
    for turn in range(last - 1, first - 1, -1):
        if makes(hand[0], seen.contracts) != seen.asked[turn]:
            return False
        hand[0] += one(seen.discarded[turn])
        tile = seen.taken[turn]
        if not tile:
            tile = pick_tile(hand[0] - seen.known[turn] - past.kept[turn], rng)
            past.drawn[turn] = <uint8_t>tile
        hand[0] -= one(tile)
    return True


# ---- Guided draw ---------------------------------------------------------------------------------

cdef uint64_t draw_long(Past* pasts, int n, uint64_t pool, Rng* rng) noexcept nogil:
    """Do the same as `draw_pasts`, with more memory and more thought."""
    cdef Guided guided
    cdef uint64_t left
    cdef int i
    guided.pasts = pasts
    guided.count = n
    guided.pool = pool
    guided.rng = rng
    for i in range(n):
        find_questions(&pasts[i].seen, &guided.recalls[i])
    for i in range(n):
        if guided.recalls[i].last:
            recall_hands(&guided, i)
    share_pool(&guided)
    weigh_others(&guided)
    for i in range(n):
        weigh_hands(&guided, i)
    # What really happened is among the worlds that can be drawn, so one fits in the end.
    while not draw_guided(&guided, &left):
        pass
    return left


cdef void find_questions(const History* seen, Recall* recall) noexcept nogil:
    cdef int turn
    recall.first = recall.last = recall.count = 0
    recall.needed = 0
    for turn in range(1, seen.turns + 1):
        if seen.asked[turn - 1]:
            recall.last = turn
            if not recall.first:
                recall.first = turn


cdef void recall_hands(Guided* guided, int i) noexcept nogil:
    """List the hands that rival i can have held when it was last asked."""
    cdef const History* seen = &guided.pasts[i].seen
    cdef Recall* recall = &guided.recalls[i]
    cdef float led_to
    cdef int rank
    begin_trace(guided, recall)
    for rank in range(HANDS):
        if rank_makes(rank, seen.contracts[0], seen.contracts[1]) and contains(
            hand_at[rank], seen.known[recall.last]
        ):
            led_to = trace_answers(guided, seen, recall, recall.last, rank)
            if led_to > 0.0:
                recall.hands[recall.count] = hand_at[rank]
                recall.led_to[recall.count] = led_to
                recall.count += 1


cdef void share_pool(Guided* guided) noexcept nogil:
    """Find the tiles that rivals still hold in any case: the others must do without these.

    This rules out hands, and so other rivals may need more. Every rival draws from its own pool as
    if it were alone. If m_i copies of a tile are drawn from pools of p_i copies, this is right up
    to the factor (p)_m / ((p_1)_m_1 (p_2)_m_2 ...), where p copies are in the whole pool, m is the
    sum of the m_i, and (p)_m = p (p - 1) ... (p - m + 1). It is greatest if all m_i are as small as
    possible; `scale` is this greatest value.
    """
    cdef Recall* recall
    cdef uint64_t needed, left
    cdef bint changed = True
    cdef int i, j
    while changed:
        changed = False
        for i in range(guided.count):
            recall = &guided.recalls[i]
            if not recall.last:
                continue
            recall.pool = guided.pool
            for j in range(guided.count):
                if j != i:
                    recall.pool -= guided.recalls[j].needed
            needed = recall.needed
            find_needs(guided, i)
            changed |= needed != recall.needed
    guided.scale = 1.0
    left = guided.pool
    for i in range(guided.count):
        recall = &guided.recalls[i]
        if recall.last:
            guided.scale *= count_draws(left, recall.needed) / count_draws(
                recall.pool, recall.needed
            )
            left -= recall.needed


cdef double count_draws(uint64_t tiles, uint64_t part) noexcept nogil:
    """In how many ways a part can be drawn from a set, tile by tile; 0 if it is not there."""
    cdef int tile, copy
    cdef double ways = 1.0
    for tile in range(1, HIGHEST + 1):
        for copy in range(count_of(part, tile)):
            ways *= max(0, count_of(tiles, tile) - copy)
    return ways


cdef void find_needs(Guided* guided, int i) noexcept nogil:
    """Find out which tiles rival i needs, given its pool."""
    cdef const History* seen = &guided.pasts[i].seen
    cdef Recall* recall = &guided.recalls[i]
    cdef int chosen
    recall.needed = recall.pool
    recall.fewest = HAND
    recall.most = 0
    for chosen in range(recall.count):
        keep_marked(seen, recall, recall.last, recall.hands[chosen] - seen.known[recall.last])


cdef void keep_marked(
    const History* seen, Recall* recall, int turn, uint64_t marked
) noexcept nogil:
    """Adapt the needs of a rival to what a hand with the marked tiles can keep until now."""
    cdef int tile, others = HAND - size_of(seen.known[turn]) - size_of(marked)
    if count_ways(seen, turn, marked, recall.pool, 1.0) <= 0.0:
        return
    if turn == seen.turns:
        recall.fewest = min(recall.fewest, others)
        recall.most = max(recall.most, others)
        for tile in range(1, HIGHEST + 1):
            while count_of(recall.needed, tile) > count_of(marked, tile):
                recall.needed -= one(tile)
        return
    keep_marked(seen, recall, turn + 1, marked)
    tile = seen.discarded[turn]
    if count_of(marked, tile) and discards_unknown(seen, turn):
        keep_marked(seen, recall, turn + 1, marked - one(tile))


cdef void weigh_others(Guided* guided) noexcept nogil:
    """Prepare the weight of hands that are filled up with other tiles from the pool.

    If `base` is what the pool has beyond the fewest tiles that rivals need, and they need n more in
    all, their hands can be filled up in (base + n)! / (n_1! n_2! ...) ways, up to a constant, where
    n_i are all other tiles of rival i. Rivals are drawn one by one with the weights
    factor ** n_i / n_i! instead, and `draw_guided` corrects this by rejection. The factor is the
    geometric mean of base + 1, base + 2 and so on. So the correction, which is a product of the
    first of these numbers divided by the factor, is never greater than 1.
    """
    cdef const History* seen
    cdef double low, high, middle, ratio
    cdef int i, _step, range_of_n = 0
    guided.base = size_of(guided.pool)
    for i in range(guided.count):
        if guided.recalls[i].last:
            seen = &guided.pasts[i].seen
            guided.base -= HAND - size_of(seen.known[seen.turns]) - guided.recalls[i].fewest
            range_of_n += guided.recalls[i].most - guided.recalls[i].fewest
    low = guided.base + 1.0
    high = low + range_of_n
    # By bisection: `pow` differs from machine to machine.
    for _step in range(30):
        middle = (low + high) / 2
        ratio = 1.0
        for i in range(range_of_n):
            ratio *= (guided.base + i + 1) / middle
        if ratio > 1.0:
            low = middle
        else:
            high = middle
    guided.factor = high


cdef void weigh_hands(Guided* guided, int i) noexcept nogil:
    """Weigh the hands of rival i by the number of ways in which all turns can have gone."""
    cdef const History* seen = &guided.pasts[i].seen
    cdef Recall* recall = &guided.recalls[i]
    cdef int chosen
    recall.total = 0.0
    for chosen in range(recall.count):
        recall.weights[chosen] = recall.led_to[chosen] * count_ways(
            seen, recall.last, recall.hands[chosen] - seen.known[recall.last], recall.pool,
            guided.factor,
        )
        recall.total += recall.weights[chosen]


cdef void begin_trace(Guided* guided, const Recall* recall) noexcept nogil:
    """Prepare `led_to` for a rival."""
    # Any byte above 127 makes a negative number.
    memset(guided.led_to, 191, (recall.last - recall.first + 1) * sizeof(guided.led_to[0]))


cdef float trace_answers(
    Guided* guided, const History* seen, const Recall* recall, int turn, int rank
) noexcept nogil:
    """Return which part of all draws since the first question leads to a hand."""
    cdef float* led_to = &guided.led_to[turn - recall.first][rank]
    if led_to[0] < 0.0:
        if rank_makes(rank, seen.contracts[0], seen.contracts[1]) != seen.asked[turn - 1]:
            led_to[0] = 0.0
        elif turn == recall.first:
            led_to[0] = 1.0
        else:
            led_to[0] = weigh_draws(guided, seen, recall, turn, rank, NULL)
    return led_to[0]


cdef float weigh_draws(
    Guided* guided, const History* seen, const Recall* recall, int turn, int rank, float* weights
) noexcept nogil:
    """Do the same for a hand with the right answer, and write the part of each tile if asked."""
    cdef uint64_t seven = hand_at[rank] + one(seen.discarded[turn - 1])
    # The hands without each of the seven tiles, in the order of tiles.
    cdef const uint16_t* hands = six_left[seven_with[rank][seen.discarded[turn - 1] - 1]]
    cdef uint64_t unknown = seven - seen.known[turn - 1]
    cdef int tile = seen.taken[turn - 1]
    cdef float weight, total = 0.0
    if tile:
        return trace_answers(guided, seen, recall, turn - 1, rank_of(seven - one(tile)))
    for tile in range(1, HIGHEST + 1):
        if count_of(unknown, tile):
            weight = trace_answers(guided, seen, recall, turn - 1, hands[0])
            weight *= <float>count_of(unknown, tile) / size_of(unknown)
            total += weight
            if weights != NULL:
                weights[tile] = weight
        hands += count_of(seven, tile)
    return total


cdef bint draw_guided(Guided* guided, uint64_t* pool) noexcept nogil:
    """Draw what each rival still holds of the hand it was asked with, then everything else.

    False if this contradicts a public answer, or to correct the probabilities: every rival draws
    as if it were alone with its pool.
    """
    cdef int i, others = 0
    cdef Past* past
    cdef Recall* recall
    cdef uint64_t hand, marked
    cdef double correction = 1.0 / guided.scale
    pool[0] = guided.pool
    for i in range(guided.count):
        past = &guided.pasts[i]
        past.held = past.seen.known[past.seen.turns]
        recall = &guided.recalls[i]
        if not recall.last:
            continue
        marked = draw_marked(guided, i)
        correction *= count_draws(pool[0], marked) / count_draws(recall.pool, marked)
        if correction <= 0.0:
            return False
        pool[0] -= marked
        past.held += marked
        others += HAND - size_of(past.held) - recall.fewest
    for i in range(others):
        correction *= (guided.base + i + 1) / guided.factor
    if rng_unit(guided.rng) >= correction:
        return False
    for i in range(guided.count):
        past = &guided.pasts[i]
        past.held += draw_tiles(pool, HAND - size_of(past.held), guided.rng)
    for i in range(guided.count):
        past = &guided.pasts[i]
        recall = &guided.recalls[i]
        hand = past.held
        if not go_back(past, past.seen.turns, recall.last, &hand, guided.rng):
            return False
        if recall.first < recall.last:
            begin_trace(guided, recall)
            draw_answers(guided, past, recall, &hand)
        if not go_back(past, recall.first, 0, &hand, guided.rng):
            return False
        past.dealt = hand
    return True


cdef uint64_t draw_marked(Guided* guided, int i) noexcept nogil:
    """Draw the hand that rival i was last asked with; return the tiles of it that it still holds.

    Tiles that it is known to hold are not included.
    """
    cdef Past* past = &guided.pasts[i]
    cdef const History* seen = &past.seen
    cdef const Recall* recall = &guided.recalls[i]
    cdef double left = rng_unit(guided.rng) * recall.total, kept, discarded
    cdef uint64_t marked
    cdef int tile, turn, chosen = 0
    while chosen + 1 < recall.count and left >= recall.weights[chosen]:
        left -= recall.weights[chosen]
        chosen += 1
    marked = recall.hands[chosen] - seen.known[recall.last]
    for turn in range(recall.last, seen.turns):
        past.kept[turn] = marked
        tile = seen.discarded[turn]
        if count_of(marked, tile) and discards_unknown(seen, turn):
            kept = count_ways(seen, turn + 1, marked, recall.pool, guided.factor)
            discarded = count_ways(
                seen, turn + 1, marked - one(tile), recall.pool, guided.factor
            )
            if rng_unit(guided.rng) * (kept + discarded) >= kept:
                marked -= one(tile)
    return marked


cdef void draw_answers(
    Guided* guided, Past* past, const Recall* recall, uint64_t* hand
) noexcept nogil:
    """Draw the turns from the first question to the last that led to a hand."""
    cdef const History* seen = &past.seen
    cdef float[HIGHEST + 1] weights
    cdef double left
    cdef int turn, tile, fits
    for turn in range(recall.last, recall.first, -1):
        tile = seen.taken[turn - 1]
        if not tile:
            memset(weights, 0, sizeof(weights))
            left = rng_unit(guided.rng)
            left *= weigh_draws(guided, seen, recall, turn, rank_of(hand[0]), weights)
            fits = 0
            for tile in range(1, HIGHEST + 1):
                if weights[tile] > 0.0:
                    fits = tile
                    left -= weights[tile]
                    if left < 0.0:
                        break
            tile = fits
            past.drawn[turn - 1] = <uint8_t>tile
        hand[0] += one(seen.discarded[turn - 1]) - one(tile)


cdef double count_ways(
    const History* seen, int turn, uint64_t marked, uint64_t pool, double factor
) noexcept nogil:
    """In how many ways the turns from `turn` on can have gone for a hand with the marked tiles.

    A hand consists of its known tiles, the marked ones, and others that may be anything. A marked
    tile leaves the hand only by being discarded. So each was discarded later, or is still held and
    comes from the pool; and the tile drawn in a turn was one of the others. The ways to fill up the
    last hand are weighted as `weigh_others` explains.
    """
    cdef int i, tile, others = HAND - size_of(seen.known[turn]) - size_of(marked)
    cdef double ways = 1.0
    if others < 0:
        return 0.0
    # A hand without other tiles is complete, and its public answer must be right.
    if not others and makes(seen.known[turn] + marked, seen.contracts) != seen.asked[turn - 1]:
        return 0.0
    if turn == seen.turns:
        for i in range(others):
            ways *= factor / (i + 1)
        for tile in range(1, HIGHEST + 1):
            ways *= choose[count_of(pool, tile)][count_of(marked, tile)]
        return ways
    ways = count_ways(seen, turn + 1, marked, pool, factor)
    tile = seen.discarded[turn]
    if count_of(marked, tile) and discards_unknown(seen, turn):
        ways += count_ways(seen, turn + 1, marked - one(tile), pool, factor)
    return ways if seen.taken[turn] else ways * (others + 1)


cdef bint discards_unknown(const History* seen, int turn) noexcept nogil:
    """Whether the discard of a turn was not a tile that the seat was known to hold."""
    cdef uint64_t known = seen.known[turn]
    if seen.taken[turn]:
        known += one(seen.taken[turn])
    return not count_of(known, seen.discarded[turn])
