# Hidden information (rules page: Information): what a seat knows, and worlds that agree with it.
#
# A seat sees its own hand and all that it put face down itself, everything that lies or was
# discarded face up, and every number of cards. When discards have become the draw pile it also
# knows part of what that pile was made of, and the others' cards since then are either drawn from
# that pile or older. Which of their cards is which it cannot see: `trace` draws a way for it.

from libc.stdint cimport uint8_t, uint64_t
from libc.string cimport memcpy, memset

from tablier_core.abi cimport MAX_PACKED, TABLE
from tablier_core.games.contract.layout cimport pack
from tablier_core.games.contract.state cimport (
    CARDS, DOLLAR, FIRST_DOWN, KINDS, MOST_MAFIOSI, MOST_SEATS, NOWHERE, PAY, PIECES, VALUES,
    State, add_down_now, add_up_now, family_of, holds_from, kind_total, row_length, round_count,
    shuffle, sum_kinds, value_known, value_of,
)
from tablier_core.rng cimport GAME_STREAM, Rng, rng_below, rng_next, rng_seed

cdef enum:
    NO_VALUE = 31               # in a veiled code: the family is seen, the value is not
    NO_MAFIOSO = 255            # in a veiled code: nothing is seen

# ---- The veil ------------------------------------------------------------------------------------

cdef inline void count_only(uint8_t* kinds) noexcept nogil:
    """Cards by kind become their number."""
    kinds[0] = <uint8_t>sum_kinds(kinds)
    memset(kinds + 1, 0, KINDS - 1)


cdef inline void veil(State* s, int viewer) noexcept nogil:
    """Leave in a state only what a viewer sees; numbers of hidden cards stand first in a list."""
    cdef int seat, place, i
    s.rng.state = 0
    if viewer == TABLE:
        return
    memset(s.pile, 0, sizeof(s.pile))
    for seat in range(s.seats):
        if seat == viewer:
            continue
        count_only(s.hand[seat])
        for place in range(row_length(s)):
            count_only(s.down[place][seat])
        count_only(s.paid_down[seat])
        count_only(s.gone_down[seat])
        count_only(s.shuffled_down[seat])
        count_only(s.drawn[seat])
    if s.to_move != viewer:
        count_only(s.just_down)
        if s.floor > FIRST_DOWN:
            s.floor = FIRST_DOWN
        if s.first_half != NOWHERE:
            s.first_half = 0
    for i in range(row_length(s) * round_count(s)):
        if not value_known(s, i):
            if i < (s.round + 1) * row_length(s):
                s.mafiosi[i] |= NO_VALUE
            else:
                s.mafiosi[i] = NO_MAFIOSO


cdef inline uint64_t mix(uint64_t value) noexcept nogil:
    """The finalizer of SplitMix64: every input bit moves every output bit."""
    value = (value ^ (value >> 30)) * <uint64_t>0xBF58476D1CE4E5B9u
    value = (value ^ (value >> 27)) * <uint64_t>0x94D049BB133111EBu
    return value ^ (value >> 31)


cdef inline uint64_t infoset(const void* state, int viewer) noexcept nogil:
    """A hash of the veiled bytes, and of which Mafiosi are still to be seen, in any order."""
    cdef State seen
    cdef uint8_t data[MAX_PACKED + 8]
    cdef uint64_t value = 0, unseen = 0, word
    cdef size_t length, i
    memcpy(&seen, state, sizeof(State))
    veil(&seen, viewer)
    for i in range(MOST_MAFIOSI):
        if seen.mafiosi[i] != (<const State*>state).mafiosi[i]:
            unseen += mix(1 + (<const State*>state).mafiosi[i])
    length = pack(&seen, data)
    memset(data + length, 0, 8)
    for i in range(0, length, 8):
        memcpy(&word, data + i, 8)
        value = mix(value ^ word) + i
    return mix(value + unseen)


# ---- Where the others' cards come from -----------------------------------------------------------

# A network in which one unit is one card of another seat that came from the shuffled pile. Seats
# play known kinds face up, and the pile is known in part, so kinds bound what can have come from
# it; the numbers that a seat drew, before this round and in it, bound it from the other side.
cdef enum:
    GROUND = 0
    SPARE = 1                   # cards of the pile whose kind the viewer never saw
    KIND = 2                    # + kind
    OLD = 7                     # + 3 x seat: what the seat let go before this round
    NOW = 8                     # + 3 x seat: what it has held in this round
    DRAWN = 9                   # + 3 x seat: all that it drew from the pile
    NODES = 22
    MOST_ARCS = 90
    UNBOUNDED = CARDS

cdef struct Arc:
    int tail
    int head
    int low
    int high
    int flow

cdef struct Network:
    int count
    Arc arcs[MOST_ARCS]

# How the cards of the others are spread over the shuffled pile and what is older.
cdef struct Trace:
    int drawn[MOST_SEATS][KINDS]        # face-up cards that came from the pile
    int hidden_old[MOST_SEATS]          # and how many of the hidden ones
    int hidden_now[MOST_SEATS]
    int required[KINDS]                 # what must be among the hidden cards from the pile


cdef inline void add_arc(
    Network* net, int tail, int head, int low, int high, int flow
) noexcept nogil:
    net.arcs[net.count] = Arc(tail, head, low, high, flow)
    net.count += 1


cdef inline bint push(Network* net, int start, int goal) noexcept nogil:
    """Send one unit along a shortest path that breaks no bound; False if there is none."""
    cdef int via[NODES]                 # the arc that reached a node, + 1; negative: backwards
    cdef int queue[NODES]
    cdef int first = 0, last = 1, node, i
    cdef Arc* arc
    memset(via, 0, sizeof(via))
    via[start] = net.count + 1          # reached, but by no arc
    queue[0] = start
    while first < last and not via[goal]:
        node = queue[first]
        first += 1
        for i in range(net.count):
            arc = &net.arcs[i]
            if arc.tail == node and arc.flow < arc.high and not via[arc.head]:
                via[arc.head] = i + 1
                queue[last] = arc.head
                last += 1
            elif arc.head == node and arc.flow > arc.low and not via[arc.tail]:
                via[arc.tail] = -i - 1
                queue[last] = arc.tail
                last += 1
    if not via[goal]:
        return False
    node = goal
    while node != start:
        if via[node] > 0:
            arc = &net.arcs[via[node] - 1]
            arc.flow += 1
            node = arc.tail
        else:
            arc = &net.arcs[-via[node] - 1]
            arc.flow -= 1
            node = arc.head
    return True


cdef inline void repair(Network* net) noexcept nogil:
    """Bring every flow within its bounds; the true state shows that there is a way."""
    cdef int i
    cdef Arc* arc
    for i in range(net.count):
        arc = &net.arcs[i]
        # The arc itself must not be part of the way round, and is not: it is full or empty there.
        while arc.flow < arc.low and push(net, arc.head, arc.tail):
            arc.flow += 1
        while arc.flow > arc.high and push(net, arc.tail, arc.head):
            arc.flow -= 1


cdef inline int guess(int cards, int* left, int* of_pile, Rng* rng) noexcept nogil:
    """How many of some cards came from the pile, if `of_pile` of the `left` ones did."""
    cdef int _i, found = 0
    for _i in range(cards):
        if <int>rng_below(rng, left[0]) < of_pile[0]:
            found += 1
            of_pile[0] -= 1
        left[0] -= 1
    return found


cdef inline void trace_seat(
    const State* s, int seat, const int* up_now, int hidden_now, Network* net, int* by_kind,
    Rng* rng,
) noexcept nogil:
    """Guess which cards of a seat came from the pile, by numbers alone."""
    cdef int hidden_old = sum_kinds(s.gone_down[seat]), before = s.drawn_before[seat]
    cdef int drawn = sum_kinds(s.drawn[seat]), gone = hidden_old + sum_kinds(s.gone_up[seat])
    cdef int left = gone + hidden_now - (drawn - before), of_pile = before
    cdef int kind, found, old = 0, now = 0, older
    for kind in range(KINDS):
        left += up_now[kind]
    older = left - before
    for kind in range(KINDS):
        found = guess(s.gone_up[seat][kind], &left, &of_pile, rng)
        add_arc(net, KIND + kind, OLD + 3 * seat, 0, s.gone_up[seat][kind], found)
        by_kind[kind] += found
        old += found
    found = guess(hidden_old, &left, &of_pile, rng)
    add_arc(net, GROUND, OLD + 3 * seat, 0, hidden_old, found)
    old += found
    add_arc(net, OLD + 3 * seat, DRAWN + 3 * seat, max(0, gone - older), before, old)
    left += drawn - before
    of_pile += drawn - before
    for kind in range(KINDS):
        found = guess(up_now[kind], &left, &of_pile, rng)
        add_arc(net, KIND + kind, NOW + 3 * seat, 0, up_now[kind], found)
        by_kind[kind] += found
        now += found
    found = guess(hidden_now, &left, &of_pile, rng)
    add_arc(net, GROUND, NOW + 3 * seat, 0, hidden_now, found)
    add_arc(net, NOW + 3 * seat, DRAWN + 3 * seat, 0, UNBOUNDED, now + found)
    add_arc(net, DRAWN + 3 * seat, GROUND, drawn, drawn, drawn)


cdef inline void trace(
    const State* s, int viewer, int (*up_now)[KINDS], const int* hidden_now, Rng* rng, Trace* found
) noexcept nogil:
    """Draw which cards of the others came from the shuffled pile, within what the viewer knows."""
    cdef Network net
    cdef int by_kind[KINDS]             # face-up cards of the others that came from the pile
    cdef int known[KINDS]               # what the viewer saw go into it
    cdef int older[KINDS]               # cards that it knows not to come from it
    cdef int spare = 0, seat, kind, room, i
    cdef Arc* arc
    net.count = 0
    memset(by_kind, 0, sizeof(by_kind))
    memset(older, 0, sizeof(older))
    add_up_now(s, viewer, older)
    add_down_now(s, viewer, older)
    for kind in range(KINDS):
        known[kind] = s.shuffled_up[kind] + s.shuffled_down[viewer][kind]
        older[kind] += s.hand[viewer][kind] + s.gone_up[viewer][kind] + s.gone_down[viewer][kind]
        older[kind] -= s.drawn[viewer][kind]
    for seat in range(s.seats):
        if seat != viewer:
            trace_seat(s, seat, up_now[seat], hidden_now[seat], &net, by_kind, rng)
            spare += sum_kinds(s.shuffled_down[seat])
            for kind in range(KINDS):
                older[kind] += up_now[seat][kind] + s.gone_up[seat][kind]
    room = 0
    for kind in range(KINDS):
        # Of a kind, so many must be from the pile that the rest can be older, and so many can be
        # from what the viewer saw go in; more have to be among what it did not see.
        i = known[kind] - s.drawn[viewer][kind]
        spare += min(i, 0)
        i = max(i, 0)
        add_arc(
            &net, GROUND, KIND + kind, max(0, known[kind] + older[kind] - kind_total(kind)), i,
            min(by_kind[kind], i),
        )
        add_arc(&net, SPARE, KIND + kind, 0, UNBOUNDED, max(0, by_kind[kind] - i))
        room += max(0, by_kind[kind] - i)
    add_arc(&net, GROUND, SPARE, 0, spare, room)
    repair(&net)
    memset(found, 0, sizeof(Trace))
    memset(by_kind, 0, sizeof(by_kind))
    for i in range(net.count):
        arc = &net.arcs[i]
        if KIND <= arc.tail < KIND + KINDS:
            found.drawn[(arc.head - OLD) // 3][arc.tail - KIND] += arc.flow
            by_kind[arc.tail - KIND] += arc.flow
        elif arc.tail == GROUND and arc.head >= OLD:
            if (arc.head - OLD) % 3 == 0:
                found.hidden_old[(arc.head - OLD) // 3] = arc.flow
            else:
                found.hidden_now[(arc.head - OLD) // 3] = arc.flow
    for kind in range(KINDS):
        found.required[kind] = max(0, known[kind] - s.drawn[viewer][kind] - by_kind[kind])


# ---- Worlds --------------------------------------------------------------------------------------

cdef inline void draw_mafiosi(State* s, Rng* rng) noexcept nogil:
    """Values of face-down Mafiosi, each of its family, and then the order of the deck."""
    cdef uint8_t unseen[MOST_MAFIOSI]
    cdef uint8_t hidden[8 * 32]
    cdef int i, code, at, count = 0, end = (s.round + 1) * row_length(s)
    cdef int all_mafiosi = row_length(s) * round_count(s)
    memset(hidden, 0, sizeof(hidden))
    for i in range(all_mafiosi):
        if not value_known(s, i):
            hidden[s.mafiosi[i]] = 1
    for code in range(KINDS * 32):
        if hidden[code]:
            unseen[count] = <uint8_t>code
            count += 1
    shuffle(unseen, count, rng)
    for i in range(all_mafiosi):
        if value_known(s, i):
            continue
        at = 0
        if i < end:
            while family_of(unseen[at]) != family_of(s.mafiosi[i]):
                at += 1
        s.mafiosi[i] = unseen[at]
        count -= 1
        while at < count:
            unseen[at] = unseen[at + 1]
            at += 1


cdef inline int list_kinds(const int* kinds, uint8_t* out) noexcept nogil:
    cdef int kind, n = 0
    for kind in range(KINDS):
        memset(out + n, kind, kinds[kind])
        n += kinds[kind]
    return n


cdef inline const uint8_t* refill(uint8_t* kinds, const uint8_t* cards) noexcept nogil:
    """Replace as many cards as there are by the next ones; what comes after these."""
    cdef int i, count = sum_kinds(kinds)
    memset(kinds, 0, KINDS)
    for i in range(count):
        kinds[cards[i]] += 1
    return cards + count


cdef inline void redeal_seat(State* s, int seat, const uint8_t* cards, bint sure) noexcept nogil:
    """Spread cards in random order over what a seat holds, and has put face down this round.

    `sure`: its only card in hand is a dollar, and not among these.
    """
    cdef const uint8_t* hand = cards
    cdef int place, i, last
    if sure:
        memset(s.hand[seat], 0, KINDS)
        s.hand[seat][DOLLAR] = 1
    else:
        cards = refill(s.hand[seat], cards)
    for place in range(row_length(s)):
        if s.phase == PIECES and seat == s.to_move and place == s.target and s.floor >= FIRST_DOWN:
            # Of those on the target, the first ones were put there in this action.
            refill(s.just_down, cards)
            last = KINDS - 1
            while not s.just_down[last]:
                last -= 1
            s.floor = <uint8_t>(FIRST_DOWN + last)
        cards = refill(s.down[place][seat], cards)
    if s.first_half != NOWHERE and seat == s.to_move:
        i = cards[0]
        refill(s.paid_down[seat], cards)
        if not holds_from(s.hand[seat], i):
            # It could not have paid this half first: it paid one of those in its hand.
            s.hand[seat][i] += 1
            s.paid_down[seat][i] -= 1
            i = hand[0]
            s.hand[seat][i] -= 1
            s.paid_down[seat][i] += 1
        s.first_half = <uint8_t>i
    else:
        refill(s.paid_down[seat], cards)


cdef inline void remember_pile(State* s, int viewer, Rng* rng) noexcept nogil:
    """Say who had discarded the cards of the shuffled pile that the viewer never saw."""
    cdef uint8_t cards[CARDS]
    cdef int unseen[KINDS]
    cdef const uint8_t* cursor = cards
    cdef int seat, kind, i
    for kind in range(KINDS):
        unseen[kind] = -s.shuffled_up[kind] - s.shuffled_down[viewer][kind]
        for seat in range(s.seats):
            unseen[kind] += s.drawn[seat][kind]
    for i in range(s.pile_count):
        unseen[s.pile[i]] += 1
    shuffle(cards, list_kinds(unseen, cards), rng)
    for seat in range(s.seats):
        if seat != viewer:
            cursor = refill(s.shuffled_down[seat], cursor)


cdef inline const uint8_t* gather(
    uint8_t* out, int of_pile, int others, const uint8_t* from_pile, const uint8_t** from_others,
    int* drawn,
) noexcept nogil:
    """Collect cards from both stocks, and count those of the pile; the rest of the pile's."""
    cdef int i
    memcpy(out, from_pile, of_pile)
    memcpy(out + of_pile, from_others[0], others)
    from_others[0] += others
    for i in range(of_pile):
        drawn[from_pile[i]] += 1
    return from_pile + of_pile


cdef inline void deal_worlds(
    State* s, int viewer, int* pool, const int* hidden_now, int sure, Trace* found, Rng* rng
) noexcept nogil:
    """Deal the pool of unseen cards to the pile and to the others, as the trace says."""
    cdef uint8_t of_pile[CARDS]
    cdef uint8_t others[CARDS]
    cdef uint8_t mixed[CARDS]
    cdef const uint8_t* next_of_pile = of_pile
    cdef const uint8_t* next_other = others
    cdef int seat, kind, count, free_of_pile = s.pile_count
    for seat in range(s.seats):
        free_of_pile += found.hidden_old[seat] + found.hidden_now[seat]
    for kind in range(KINDS):
        pool[kind] -= found.required[kind]
        free_of_pile -= found.required[kind]
    shuffle(others, list_kinds(pool, others), rng)
    count = list_kinds(found.required, of_pile)
    memcpy(of_pile + count, others, free_of_pile)
    next_other += free_of_pile
    shuffle(of_pile, count + free_of_pile, rng)
    memcpy(s.pile, of_pile, s.pile_count)
    next_of_pile += s.pile_count
    for seat in range(s.seats):
        if seat == viewer:
            continue
        next_of_pile = gather(
            mixed, found.hidden_old[seat], sum_kinds(s.gone_down[seat]) - found.hidden_old[seat],
            next_of_pile, &next_other, found.drawn[seat],
        )
        refill(s.gone_down[seat], mixed)
        next_of_pile = gather(
            mixed, found.hidden_now[seat], hidden_now[seat] - found.hidden_now[seat],
            next_of_pile, &next_other, found.drawn[seat],
        )
        shuffle(mixed, hidden_now[seat], rng)
        redeal_seat(s, seat, mixed, seat == sure)
        if s.shuffles:
            for kind in range(KINDS):
                s.drawn[seat][kind] = <uint8_t>found.drawn[seat][kind]


cdef inline void draw_cards(State* s, int viewer, Rng* rng) noexcept nogil:
    """Deal anew every influence card that the viewer does not see."""
    cdef int up_now[MOST_SEATS][KINDS]
    cdef int down_now[MOST_SEATS][KINDS]
    cdef int hidden_now[MOST_SEATS]
    cdef int pool[KINDS]
    cdef Trace found
    cdef int seat, kind
    cdef int sure = NOWHERE             # a seat whose one card must be the dollar that it will pay
    if s.phase == PAY and s.paying_vicelard and s.first_half == NOWHERE:
        if s.to_move != viewer and s.cards[s.to_move] == 1:
            sure = s.to_move
    memset(up_now, 0, sizeof(up_now))
    memset(down_now, 0, sizeof(down_now))
    memset(&found, 0, sizeof(found))
    for seat in range(s.seats):
        add_up_now(s, seat, up_now[seat])
        add_down_now(s, seat, down_now[seat])
        hidden_now[seat] = s.cards[seat]
        for kind in range(KINDS):
            hidden_now[seat] += down_now[seat][kind]
    if sure != NOWHERE:
        up_now[sure][DOLLAR] += 1
        hidden_now[sure] -= 1
    for kind in range(KINDS):
        pool[kind] = kind_total(kind) - s.hand[viewer][kind]
        pool[kind] -= down_now[viewer][kind] + s.gone_down[viewer][kind]
        for seat in range(s.seats):
            pool[kind] -= up_now[seat][kind] + s.gone_up[seat][kind]
    if s.shuffles:
        trace(s, viewer, up_now, hidden_now, rng, &found)
    deal_worlds(s, viewer, pool, hidden_now, sure, &found, rng)
    if s.shuffles:
        remember_pile(s, viewer, rng)


cdef inline void determinize(void* state, int viewer, Rng* rng) noexcept nogil:
    cdef State* s = <State*>state
    cdef uint64_t seed
    if viewer != TABLE:
        draw_mafiosi(s, rng)
        draw_cards(s, viewer, rng)
    seed = <uint64_t>rng_next(rng) << 32
    rng_seed(&s.rng, seed | rng_next(rng), GAME_STREAM)
