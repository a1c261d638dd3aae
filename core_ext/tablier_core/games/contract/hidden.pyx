"""Hidden information of Contract: information sets, and worlds that agree with them.

A seat sees its own hand and all cards that it put face down itself, everything that lies or was
discarded face up, and the number of cards everywhere (reference: View). `determinize` deals all
other cards again, at random.

Once discards have become the draw pile, this is more than a deal. The viewer knows part of what was
shuffled, and the others' cards since then were either drawn from that pile or are older. `trace` in
provenance.pyx draws which are which. After a second shuffle, a world has to agree with both piles.
"""

from libc.stdint cimport uint8_t, uint32_t, uint64_t
from libc.string cimport memcpy, memset

from tablier_core.abi cimport MAX_PACKED, TABLE
from tablier_core.games.contract.encoding cimport pack
from tablier_core.games.contract.provenance cimport Holdings, Trace, guess, sum_counts, trace
from tablier_core.games.contract.rules cimport add_down_now, add_up_now, holds_from
from tablier_core.games.contract.state cimport (
    CARDS, DOLLAR, FIRST_DOWN, KINDS, MOST_MAFIOSI, MOST_SEATS, NOWHERE, PAY, PIECES,
    Shuffle, State, family_of, index_of, kind_total, round_count, row_length, sum_kinds,
    value_known, value_of,
)
from tablier_core.games.contract.veil cimport veil
from tablier_core.packing cimport hash_bytes
from tablier_core.rng cimport GAME_STREAM, Rng, rng_next, rng_seed, shuffle

cdef enum:
    SET_BYTES = 4 * KINDS       # a bit for each code of a Mafioso
    MOST_TRIES = 1000           # to find traces of two shuffles that agree

# Unseen cards in random order, by where they came from. The first shuffled pile is a separate
# source only after a second shuffle; until then it is the pile in use.
cdef struct Stocks:
    uint8_t last[CARDS]                 # from the pile in use, and what is left of it
    uint8_t first[CARDS]                # from the pile before
    uint8_t others[CARDS]
    int let_go_first                    # how many cards at the head of `first` and of `others`
    int let_go_others                   # went unseen into the pile in use
    int excess_first[KINDS]             # which cards of the trace's `excess` came from `first`

# ---- Information sets ----------------------------------------------------------------------------

cdef uint64_t infoset(const void* state, int viewer) noexcept nogil:
    """Hash the veiled bytes together with the unordered set of Mafiosi that nobody has seen."""
    cdef State seen
    cdef uint8_t data[MAX_PACKED + SET_BYTES]
    cdef size_t length
    cdef int i, code
    memcpy(&seen, state, sizeof(State))
    veil(&seen, viewer)
    length = pack(&seen, data)
    memset(data + length, 0, SET_BYTES)
    for i in range(MOST_MAFIOSI):
        code = (<const State*>state).mafiosi[i]
        if seen.mafiosi[i] != code:
            data[length + code // 8] |= <uint8_t>(1 << (code % 8))
    return hash_bytes(0, data, length + SET_BYTES)


# ---- Worlds (reference: Worlds) ------------------------------------------------------------------

cdef void determinize(void* state, int viewer, Rng* rng) noexcept nogil:
    cdef State* s = <State*>state
    cdef uint64_t seed
    if viewer != TABLE:
        draw_mafiosi(s, rng)
        draw_cards(s, viewer, rng)
    seed = <uint64_t>rng_next(rng) << 32
    rng_seed(&s.rng, seed | rng_next(rng), GAME_STREAM)


cdef void draw_mafiosi(State* s, Rng* rng) noexcept nogil:
    """Draw values for face-down Mafiosi within their family, then the order of the deck."""
    cdef uint8_t unseen[MOST_MAFIOSI]
    cdef uint32_t values[KINDS]         # that nobody has seen, by family: bit i for value i
    cdef int i, family, value, at, count = 0
    cdef int begin = index_of(s, 0), end = index_of(s, row_length(s))
    memset(values, 0, sizeof(values))
    for i in range(begin, row_length(s) * round_count(s)):
        if not value_known(s, i):
            values[family_of(s.mafiosi[i])] |= <uint32_t>1 << value_of(s.mafiosi[i])
    # In ascending order, so that the shuffle does not depend on the true order.
    for family in range(KINDS):
        value = 0
        while values[family] >> value:
            if values[family] >> value & 1:
                unseen[count] = <uint8_t>(32 * family + value)
                count += 1
            value += 1
    shuffle(unseen, count, rng)
    for i in range(begin, end):
        if value_known(s, i):
            continue
        at = 0
        while family_of(unseen[at]) != family_of(s.mafiosi[i]):
            at += 1
        s.mafiosi[i] = unseen[at]
        count -= 1
        while at < count:
            unseen[at] = unseen[at + 1]
            at += 1
    memcpy(s.mafiosi + end, unseen, count)


cdef void draw_cards(State* s, int viewer, Rng* rng) noexcept nogil:
    """Deal all influence cards that the viewer does not see again."""
    cdef Holdings held
    cdef Trace found
    cdef Trace first
    cdef Stocks stocks
    cdef int unseen[KINDS]
    cdef int sure = NOWHERE             # a seat whose only card must be the dollar it will pay
    if s.phase == PAY and s.paying_vicelard and s.first_half == NOWHERE:
        if s.to_move != viewer and s.cards[s.to_move] == 1:
            sure = s.to_move
    list_seen(s, viewer, sure, &held, unseen)
    draw_sources(s, viewer, &held, unseen, &found, &first, &stocks, rng)
    if s.shuffles:
        deal_let_go(s, viewer, &stocks, &found, &first, rng)
    deal_held(s, viewer, &stocks, &held, sure, &found, &first, rng)
    if s.shuffles:
        write_draws(&s.shuffled[s.shuffles - 1], viewer, &found)
    if s.shuffles == 2:
        write_draws(&s.shuffled[0], viewer, &first)
        remember_first(s, viewer, rng)


# ---- Where the others' cards came from -----------------------------------------------------------

cdef void list_seen(
    const State* s, int viewer, int sure, Holdings* held, int* unseen
) noexcept nogil:
    """List what the viewer sees of the cards since the last shuffle, and the kinds of the rest."""
    cdef int down_now[KINDS]
    cdef int seat, kind
    memset(held, 0, sizeof(Holdings))
    for kind in range(KINDS):
        unseen[kind] = kind_total(kind)
    for seat in range(s.seats):
        memset(down_now, 0, sizeof(down_now))
        add_up_now(s, seat, held.now[seat])
        add_down_now(s, seat, down_now)
        for kind in range(KINDS):
            held.old[seat][kind] = s.discarded_up[seat][kind]
            if seat == viewer:
                held.old[seat][kind] += s.discarded_down[seat][kind]
                held.now[seat][kind] += down_now[kind] + s.hand[seat][kind]
        if seat != viewer:
            held.old_hidden[seat] = sum_kinds(s.discarded_down[seat])
            held.now_hidden[seat] = s.cards[seat] + sum_counts(down_now)
        if seat == sure:
            held.now[seat][DOLLAR] += 1
            held.now_hidden[seat] -= 1
        for kind in range(KINDS):
            unseen[kind] -= held.old[seat][kind] + held.now[seat][kind]


cdef void draw_sources(
    const State* s, int viewer, const Holdings* held, const int* unseen, Trace* found, Trace* first,
    Stocks* stocks, Rng* rng,
) noexcept nogil:
    """Draw where the others' cards came from.

    After two shuffles, a trace of the second can make a trace of the first impossible. Then both
    are drawn again; a few tries are enough. Only handmade tokens reach the limit, because their two
    piles may contradict each other. In that case what is known about the first pile is ignored.
    """
    cdef Holdings earlier
    cdef int _i, seat, put_down = 0
    memset(found, 0, sizeof(Trace))
    memset(first, 0, sizeof(Trace))
    if s.shuffles:
        for seat in range(s.seats):
            if seat != viewer:
                put_down += sum_kinds(s.shuffled[s.shuffles - 1].down[seat])
    for _i in range(MOST_TRIES):
        if s.shuffles:
            trace(&s.shuffled[s.shuffles - 1], held, s.seats, viewer, rng, found)
        if s.shuffles == 2:
            look_back(s, viewer, held, found, &earlier)
            if not trace(&s.shuffled[0], &earlier, s.seats, viewer, rng, first):
                continue
        if split_stock(unseen, s.pile_count, put_down, found, first, stocks, rng):
            return
    draw_at_random(&s.shuffled[0], s.seats, viewer, first, rng)
    split_stock(unseen, s.pile_count, put_down, found, first, stocks, rng)


cdef void look_back(
    const State* s, int viewer, const Holdings* held, const Trace* found, Holdings* earlier
) noexcept nogil:
    """List what seats had since the first of two shuffles, given the trace of the second."""
    cdef const Shuffle* last = &s.shuffled[1]
    cdef int seat, kind
    memset(earlier, 0, sizeof(Holdings))
    for seat in range(s.seats):
        for kind in range(KINDS):
            earlier.old[seat][kind] = last.up[seat][kind]
            earlier.now[seat][kind] = held.old[seat][kind] + held.now[seat][kind]
            if seat == viewer:
                earlier.old[seat][kind] += last.down[seat][kind]
                earlier.now[seat][kind] -= last.drawn[seat][kind]
            else:
                earlier.now[seat][kind] -= found.drawn[seat][kind]
        if seat != viewer:
            earlier.old_hidden[seat] = sum_kinds(last.down[seat])
            earlier.now_hidden[seat] = held.old_hidden[seat] + held.now_hidden[seat]
            earlier.now_hidden[seat] -= found.hidden_old[seat] + found.hidden_now[seat]


cdef bint split_stock(
    const int* unseen, int pile_count, int put_down, const Trace* found, const Trace* first,
    Stocks* out, Rng* rng,
) noexcept nogil:
    """Divide the unseen cards by source; False if the two traces make that impossible.

    `put_down`: how many cards of the others went unseen into the pile in use.
    """
    cdef int pool[KINDS]
    cdef int must[KINDS]                # must be in `first`
    cdef int seat, kind, of_first = 0, kept_first = 0, left = put_down, free = pile_count, count = 0
    for seat in range(MOST_SEATS):
        of_first += first.hidden_old[seat]
        kept_first += first.hidden_now[seat]
        free += found.hidden_old[seat] + found.hidden_now[seat]
    out.let_go_first = of_first
    for kind in range(KINDS):
        pool[kind] = unseen[kind] - found.required[kind]
        free -= found.required[kind]
        # A card that must be from the first pile and is not in the pool is one of these.
        out.excess_first[kind] = max(
            guess(found.excess[kind], &left, &of_first, rng), first.required[kind] - pool[kind]
        )
        out.let_go_first -= out.excess_first[kind]
        must[kind] = max(0, first.required[kind] - out.excess_first[kind])
        pool[kind] -= must[kind]
        count += must[kind]
    out.let_go_others = free - out.let_go_first
    if out.let_go_first < 0 or out.let_go_others < 0 or count > out.let_go_first + kept_first:
        return False
    list_kinds(must, out.first)
    shuffle(out.others, list_kinds(pool, out.others), rng)
    # The rest of the first source is arbitrary, and comes from the end of the others.
    left = sum_counts(pool) - (out.let_go_first + kept_first - count)
    memcpy(out.first + count, out.others + left, out.let_go_first + kept_first - count)
    shuffle(out.first, out.let_go_first + kept_first, rng)
    count = list_kinds(found.required, out.last)
    memcpy(out.last + count, out.first, out.let_go_first)
    memcpy(out.last + count + out.let_go_first, out.others, out.let_go_others)
    shuffle(out.last, count + free, rng)
    return True


cdef void draw_at_random(
    const Shuffle* shuffled, int seats, int viewer, Trace* found, Rng* rng
) noexcept nogil:
    """Draw what the others took from a pile drawn empty, ignoring what they have had since."""
    cdef uint8_t cards[CARDS]
    cdef int there[KINDS]               # what the viewer saw go in and did not draw
    cdef int room[KINDS]                # what else can have been in the pile
    cdef int seat, kind, known, count, i = 0, all_drawn = 0
    memset(found, 0, sizeof(Trace))
    for kind in range(KINDS):
        known = shuffled.down[viewer][kind]
        for seat in range(seats):
            known += shuffled.up[seat][kind]
        there[kind] = max(0, known - shuffled.drawn[viewer][kind])
        room[kind] = kind_total(kind) - max(known, shuffled.drawn[viewer][kind])
    count = list_kinds(there, cards)
    shuffle(cards + count, list_kinds(room, cards + count), rng)
    for seat in range(seats):
        if seat != viewer:
            all_drawn += sum_kinds(shuffled.drawn[seat])
    shuffle(cards, all_drawn, rng)
    for seat in range(seats):
        if seat != viewer:
            count = i + sum_kinds(shuffled.drawn[seat])
            while i < count:
                found.drawn[seat][cards[i]] += 1
                i += 1


# ---- Dealing -------------------------------------------------------------------------------------

cdef void deal_let_go(
    State* s, int viewer, const Stocks* stocks, const Trace* found, Trace* first, Rng* rng
) noexcept nogil:
    """Decide which seat had discarded which unseen cards of the pile in use."""
    cdef uint8_t of_first[CARDS]
    cdef uint8_t others[CARDS]
    cdef uint8_t mixed[CARDS]
    cdef const uint8_t* next_first = of_first
    cdef const uint8_t* next_other = others
    cdef Shuffle* last = &s.shuffled[s.shuffles - 1]
    cdef int excess[KINDS]
    cdef int seat, kind, count
    count = list_kinds(stocks.excess_first, of_first)
    memcpy(of_first + count, stocks.first, stocks.let_go_first)
    shuffle(of_first, count + stocks.let_go_first, rng)
    for kind in range(KINDS):
        excess[kind] = found.excess[kind] - stocks.excess_first[kind]
    count = list_kinds(excess, others)
    memcpy(others + count, stocks.others, stocks.let_go_others)
    shuffle(others, count + stocks.let_go_others, rng)
    for seat in range(s.seats):
        if seat != viewer:
            count = first.hidden_old[seat]
            next_first = take_cards(mixed, next_first, count, first.drawn[seat])
            next_other = take_cards(
                mixed + count, next_other, sum_kinds(last.down[seat]) - count, NULL
            )
            refill(last.down[seat], mixed)


cdef void deal_held(
    State* s, int viewer, const Stocks* stocks, const Holdings* held, int sure, Trace* found,
    Trace* first, Rng* rng,
) noexcept nogil:
    """Deal the pile in use, and all cards that the others hold or have discarded since."""
    cdef uint8_t kept[CARDS]
    cdef uint8_t mixed[CARDS]
    cdef const uint8_t* next_last = stocks.last + s.pile_count
    cdef const uint8_t* next_first = stocks.first + stocks.let_go_first
    cdef const uint8_t* next_other = stocks.others + stocks.let_go_others
    cdef const uint8_t* next_kept
    cdef int seat, old, now, count
    memcpy(s.pile, stocks.last, s.pile_count)
    for seat in range(s.seats):
        if seat == viewer:
            continue
        old = held.old_hidden[seat] - found.hidden_old[seat]
        now = held.now_hidden[seat] - found.hidden_now[seat]
        count = first.hidden_now[seat]
        next_first = take_cards(kept, next_first, count, first.drawn[seat])
        next_other = take_cards(kept + count, next_other, old + now - count, NULL)
        shuffle(kept, old + now, rng)
        count = found.hidden_old[seat]
        next_last = take_cards(mixed, next_last, count, found.drawn[seat])
        next_kept = take_cards(mixed + count, kept, old, NULL)
        refill(s.discarded_down[seat], mixed)
        count = found.hidden_now[seat]
        next_last = take_cards(mixed, next_last, count, found.drawn[seat])
        take_cards(mixed + count, next_kept, now, NULL)
        shuffle(mixed, count + now, rng)
        redeal_seat(s, seat, mixed, seat == sure)


cdef void redeal_seat(State* s, int seat, const uint8_t* cards, bint sure) noexcept nogil:
    """Deal cards to a seat's hand and to its face-down cards of this round.

    `cards` is in random order. `sure`: the seat holds only a dollar, which is not among `cards`.
    """
    cdef const uint8_t* hand = cards
    cdef int place, i, last
    if sure:
        memset(s.hand[seat], 0, KINDS)
        s.hand[seat][DOLLAR] = 1
    else:
        cards = refill(s.hand[seat], cards)
    for place in range(row_length(s)):
        if s.phase == PIECES and seat == s.to_move and place == s.target and s.stage >= FIRST_DOWN:
            # The first of the cards on the target were placed in this action.
            refill(s.just_down, cards)
            last = KINDS - 1
            while not s.just_down[last]:
                last -= 1
            s.stage = <uint8_t>(FIRST_DOWN + last)
        cards = refill(s.down[place][seat], cards)
    if s.first_half != NOWHERE and seat == s.to_move:
        i = cards[0]
        refill(s.paid_down[seat], cards)
        if not holds_from(s.hand[seat], i):
            # No such card is left for the second half, so swap this one with a card in hand.
            s.hand[seat][i] += 1
            s.paid_down[seat][i] -= 1
            i = hand[0]
            s.hand[seat][i] -= 1
            s.paid_down[seat][i] += 1
        s.first_half = <uint8_t>i
    else:
        refill(s.paid_down[seat], cards)


cdef void write_draws(Shuffle* shuffled, int viewer, const Trace* found) noexcept nogil:
    cdef int seat, kind
    for seat in range(MOST_SEATS):
        if seat != viewer:
            for kind in range(KINDS):
                shuffled.drawn[seat][kind] = <uint8_t>found.drawn[seat][kind]


cdef void remember_first(State* s, int viewer, Rng* rng) noexcept nogil:
    """Decide which seat had discarded which unseen cards of the first of two shuffled piles."""
    cdef Shuffle* shuffled = &s.shuffled[0]
    cdef uint8_t cards[CARDS]
    cdef int unseen[KINDS]
    cdef const uint8_t* cursor = cards
    cdef int seat, kind
    for kind in range(KINDS):
        unseen[kind] = -shuffled.down[viewer][kind]
        for seat in range(s.seats):
            unseen[kind] += shuffled.drawn[seat][kind] - shuffled.up[seat][kind]
    shuffle(cards, list_kinds(unseen, cards), rng)
    for seat in range(s.seats):
        if seat != viewer:
            cursor = refill(shuffled.down[seat], cursor)


cdef int list_kinds(const int* kinds, uint8_t* out) noexcept nogil:
    """Write cards in the order of kinds, and return how many."""
    cdef int kind, n = 0
    for kind in range(KINDS):
        memset(out + n, kind, kinds[kind])
        n += kinds[kind]
    return n


cdef const uint8_t* refill(uint8_t* kinds, const uint8_t* cards) noexcept nogil:
    """Replace all cards by the next ones, and return the position after these."""
    cdef int i, count = sum_kinds(kinds)
    memset(kinds, 0, KINDS)
    for i in range(count):
        kinds[cards[i]] += 1
    return cards + count


cdef const uint8_t* take_cards(
    uint8_t* out, const uint8_t* cards, int count, int* tally
) noexcept nogil:
    """Copy the next cards, count them by kind if asked, and return the position after these."""
    cdef int i
    memcpy(out, cards, count)
    if tally != NULL:
        for i in range(count):
            tally[cards[i]] += 1
    return cards + count
