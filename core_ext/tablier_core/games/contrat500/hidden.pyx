"""Hidden information: drawing the tiles that a viewer cannot see, so that they fit what it saw.

The past of a seat is a chain: six dealt tiles, then in each turn one more tile and one discard.
After each discard everybody learns whether the six tiles made the contracts of the seat: the seat
was asked to announce, or it was not. Which tiles a past uses up follows from its last hand alone:
the tiles held now plus those discarded, less those taken from discards. So the hand is drawn from
the unseen tiles first, and its past is then drawn backwards.

This rarely succeeds if a seat was asked with a rare pair of contracts and declined. After a number
of failures a guided draw takes over. It starts from the few hands that make the contracts: it
chooses the one that the seat was asked with, and which of its tiles the seat still holds.
"""

from libc.stdint cimport uint8_t, uint64_t
from libc.string cimport memset

from tablier_core.abi cimport MAX_PACKED, TABLE
from tablier_core.games.contrat500.encoding cimport pack
from tablier_core.games.contrat500.hands cimport HANDS, MOST_MAKING, choose, hand_at, rank_of
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
    HAND_BYTES = 626                    # one bit per hand

cdef struct Past:
    # The history of a rival and the hidden tiles drawn for it.
    History seen
    uint64_t dealt                      # its first six tiles
    uint8_t drawn[TURNS_EACH]           # what it got from the pot, by turn
    uint64_t held                       # its six tiles now
    # For the guided draw: of the tiles not known, those that the hand held before turn i.
    uint64_t kept[TURNS_EACH]

cdef struct Recall:
    # The hands that a rival can have held when it was last asked.
    int turn                            # completed turns then; 0: it was never asked
    int count
    uint64_t hands[MOST_MAKING]

cdef struct Guided:
    # The memory of a guided draw.
    Past* pasts
    int count                           # of pasts
    uint64_t pool
    Rng* rng
    Recall recalls[RIVALS]              # by past
    int order[RIVALS]                   # pasts that were asked, those with the fewest hands first
    int asked                           # how many
    # By past, turns and rank of a hand, one bit: no past leads to this hand.
    uint8_t dead[RIVALS][TURNS_EACH + 1][HAND_BYTES]


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
    cdef Guided guided
    cdef uint64_t left = pool
    cdef int i, _attempt
    for i in range(n):
        memset(pasts[i].kept, 0, sizeof(pasts[i].kept))
    for _attempt in range(ATTEMPTS):
        if draw_blindly(pasts, n, &left, rng):
            return left
        left = pool
    memset(&guided, 0, sizeof(Guided))
    guided.pasts = pasts
    guided.count = n
    guided.pool = pool
    guided.rng = rng
    for i in range(n):
        recall_hands(&guided, i)
    # What really happened is among the worlds that can be drawn, so one fits in the end.
    while not draw_guided(&guided, &left):
        pass
    return left


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
        if not go_back(past, 0, &past.dealt, rng):
            return False
    return True


cdef bint go_back(Past* past, int first, uint64_t* hand, Rng* rng) noexcept nogil:
    """Draw the turns that led to a hand, back to turn `first`; False on a contradiction.

    Going backwards, the discard returns, and any of the seven tiles that was not known before can
    be the one drawn. Only the public answers can contradict this. So every past that fits can be
    drawn, with the probability that it has if seats discard at random.
    """
    cdef const History* seen = &past.seen
    cdef int turn, tile
    for turn in range(seen.turns - 1, first - 1, -1):
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

cdef bint draw_guided(Guided* guided, uint64_t* pool) noexcept nogil:
    """Draw what each rival still holds of the hand it was asked with, then everything else.

    False if this contradicts a public answer.
    """
    cdef int i, turn
    cdef Past* past
    cdef uint64_t hand
    pool[0] = guided.pool
    for i in range(guided.count):
        past = &guided.pasts[i]
        past.held = past.seen.known[past.seen.turns]
    # First for all rivals: other hands must not be filled up with tiles that a rival must hold.
    for i in range(guided.asked):
        if not draw_recalled(guided, guided.order[i], pool):
            return False
    for i in range(guided.count):
        past = &guided.pasts[i]
        past.held += draw_tiles(pool, HAND - size_of(past.held), guided.rng)
        hand = past.held
        turn = guided.recalls[i].turn
        if not (go_back(past, turn, &hand, guided.rng) and find_past(guided, i, turn, hand)):
            return False
    return True


cdef void recall_hands(Guided* guided, int i) noexcept nogil:
    """List the hands that rival i can have held when it was last asked.

    Hands that no past leads to are left out, because no later draw could mend that.
    """
    cdef const History* seen = &guided.pasts[i].seen
    cdef Recall* recall = &guided.recalls[i]
    cdef uint64_t hand
    cdef int rank, place, turn = seen.turns
    while turn and not seen.asked[turn - 1]:
        turn -= 1
    recall.turn = turn
    if not turn:
        return
    for rank in range(HANDS):
        hand = hand_at[rank]
        if (
            makes(hand, seen.contracts) and contains(hand, seen.known[turn])
            and count_ways(seen, turn, hand - seen.known[turn], guided.pool) > 0.0
            and find_past(guided, i, turn, hand)
        ):
            recall.hands[recall.count] = hand
            recall.count += 1
    # Rivals with fewer hands choose first, before others use up their tiles.
    place = guided.asked
    while place and guided.recalls[guided.order[place - 1]].count > recall.count:
        guided.order[place] = guided.order[place - 1]
        place -= 1
    guided.order[place] = i
    guided.asked += 1


cdef bint draw_recalled(Guided* guided, int i, uint64_t* pool) noexcept nogil:
    """Draw the hand that rival i was asked with; take the tiles it still holds from the pool."""
    cdef Past* past = &guided.pasts[i]
    cdef const History* seen = &past.seen
    cdef const Recall* recall = &guided.recalls[i]
    cdef double[MOST_MAKING] weights
    cdef double left, kept, discarded, total = 0.0
    cdef uint64_t marked
    cdef int tile, turn, chosen
    for chosen in range(recall.count):
        marked = recall.hands[chosen] - seen.known[recall.turn]
        weights[chosen] = count_ways(seen, recall.turn, marked, pool[0])
        total += weights[chosen]
    if total <= 0.0:
        return False
    left = rng_unit(guided.rng) * total
    chosen = 0
    while chosen + 1 < recall.count and left >= weights[chosen]:
        left -= weights[chosen]
        chosen += 1
    marked = recall.hands[chosen] - seen.known[recall.turn]
    for turn in range(recall.turn, seen.turns):
        past.kept[turn] = marked
        tile = seen.discarded[turn]
        if count_of(marked, tile) and discards_unknown(seen, turn):
            kept = count_ways(seen, turn + 1, marked, pool[0])
            discarded = count_ways(seen, turn + 1, marked - one(tile), pool[0])
            if rng_unit(guided.rng) * (kept + discarded) >= kept:
                marked -= one(tile)
    pool[0] -= marked
    past.held += marked
    return True


cdef double count_ways(
    const History* seen, int turn, uint64_t marked, uint64_t pool
) noexcept nogil:
    """In how many ways the turns from `turn` on can have gone for a hand with the marked tiles.

    A hand consists of its known tiles, the marked ones, and others that may be anything. A marked
    tile leaves the hand only by being discarded. So each was discarded later, or is still held and
    comes from the pool; and the tile drawn in a turn was one of the others.
    """
    cdef int tile, others = HAND - size_of(seen.known[turn]) - size_of(marked)
    cdef double ways
    if others < 0:
        return 0.0
    # A hand without other tiles is complete, and its public answer must be right.
    if not others and makes(seen.known[turn] + marked, seen.contracts) != seen.asked[turn - 1]:
        return 0.0
    if turn == seen.turns:
        ways = combinations(size_of(pool) - size_of(marked), others)
        for tile in range(1, HIGHEST + 1):
            ways *= choose[count_of(pool, tile)][count_of(marked, tile)]
        return ways
    ways = count_ways(seen, turn + 1, marked, pool)
    tile = seen.discarded[turn]
    if count_of(marked, tile) and discards_unknown(seen, turn):
        ways += count_ways(seen, turn + 1, marked - one(tile), pool)
    return ways if seen.taken[turn] else ways * (others + 1)


cdef bint discards_unknown(const History* seen, int turn) noexcept nogil:
    """Whether the discard of a turn was not a tile that the seat was known to hold."""
    cdef uint64_t known = seen.known[turn]
    if seen.taken[turn]:
        known += one(seen.taken[turn])
    return not count_of(known, seen.discarded[turn])


cdef double combinations(int n, int k) noexcept nogil:
    cdef double ways = 1.0
    cdef int i
    for i in range(k):
        ways = ways * (n - i) / (i + 1)
    return ways


cdef bint find_past(Guided* guided, int i, int turn, uint64_t hand) noexcept nogil:
    """Find turns of rival i that led to a hand after `turn` turns, and write them to its past.

    Hands that no past leads to are marked, so that none is visited twice.
    """
    cdef Past* past = &guided.pasts[i]
    cdef const History* seen = &past.seen
    cdef int rank, first, step, tile
    cdef uint64_t seven, unknown
    if turn == 0:
        past.dealt = hand
        return True
    if makes(hand, seen.contracts) != seen.asked[turn - 1]:
        return False
    rank = rank_of(hand)
    if (guided.dead[i][turn][rank >> 3] >> (rank & 7)) & 1:
        return False
    seven = hand + one(seen.discarded[turn - 1])
    if seen.taken[turn - 1]:
        if find_past(guided, i, turn - 1, seven - one(seen.taken[turn - 1])):
            return True
    else:
        unknown = seven - seen.known[turn - 1]
        first = pick_tile(unknown, guided.rng)
        for step in range(HIGHEST):
            tile = (first + step - 1) % HIGHEST + 1
            if count_of(unknown, tile) and find_past(guided, i, turn - 1, seven - one(tile)):
                past.drawn[turn - 1] = <uint8_t>tile
                return True
    guided.dead[i][turn][rank >> 3] |= <uint8_t>(1 << (rank & 7))
    return False
