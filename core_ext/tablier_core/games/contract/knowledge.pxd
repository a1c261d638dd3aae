# Hidden information (rules page: Information): what a seat knows, and worlds that agree with it.
#
# A seat sees its own hand and all that it put face down itself, everything that lies or was
# discarded face up, and every number of cards. When discards have become the draw pile it also
# knows part of what that pile was made of, and the others' cards since then are either drawn from
# that pile or older. Which of their cards is which it cannot see: `trace` draws a way for it. The
# same holds of the pile before, if there have been two: a world has to agree with both.

from libc.stdint cimport uint8_t, uint64_t
from libc.string cimport memcpy, memset

from tablier_core.abi cimport MAX_PACKED, TABLE
from tablier_core.games.contract.layout cimport pack
from tablier_core.games.contract.state cimport (
    CARDS, DOLLAR, FIRST_DOWN, KINDS, MOST_MAFIOSI, MOST_SEATS, NOWHERE, PAY, PIECES, VALUES,
    Shuffle, State, add_down_now, add_up_now, family_of, holds_from, kind_total,
    row_length, round_count, shuffle, sum_kinds, value_known, value_of,
)
from tablier_core.packing cimport hash_bytes
from tablier_core.rng cimport GAME_STREAM, Rng, rng_below, rng_next, rng_seed

cdef enum:
    NO_VALUE = 31               # in a veiled code: the family is seen, the value is not
    NO_MAFIOSO = 255            # in a veiled code: nothing is seen
    SET_BYTES = 4 * KINDS       # a bit for each code of a Mafioso
    MOST_TRIES = 1000           # to find traces of two shuffles that agree

# ---- The veil ------------------------------------------------------------------------------------

cdef inline void count_only(uint8_t* kinds) noexcept nogil:
    """Cards by kind become their number."""
    kinds[0] = <uint8_t>sum_kinds(kinds)
    memset(kinds + 1, 0, KINDS - 1)


cdef inline void veil(State* s, int viewer) noexcept nogil:
    """Leave in a state only what a viewer sees; numbers of hidden cards stand first in a list."""
    cdef int seat, place, i, number
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
        for number in range(s.shuffles):
            count_only(s.shuffled[number].down[seat])
            count_only(s.shuffled[number].drawn[seat])
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


cdef inline uint64_t infoset(const void* state, int viewer) noexcept nogil:
    """A hash of the veiled bytes, and of which Mafiosi are still to be seen, in any order."""
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


# ---- Where the others' cards come from -----------------------------------------------------------

# A network in which one unit is one card of another seat that came from the shuffled pile. Seats
# play known kinds face up, and the pile is known in part, so kinds bound what can have come from
# it; the numbers that a seat drew, before this round and in it, bound it from the other side.
cdef enum:
    GROUND = 0
    SPARE = 1                   # cards of the pile whose kind the viewer never saw
    KIND = 2                    # + kind
    OLD = 7                     # + 3 x seat: what the seat let go before the last draws' round
    NOW = 8                     # + 3 x seat: what it has held since
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

# What the seats have had since a shuffle, in two parts as OLD and NOW, and each by kind as far as
# the viewer knows the kinds.
cdef struct Since:
    int old[MOST_SEATS][KINDS]
    int old_hidden[MOST_SEATS]
    int now[MOST_SEATS][KINDS]
    int now_hidden[MOST_SEATS]

# How the cards of the others are spread over a shuffled pile and what is older.
cdef struct Trace:
    int drawn[MOST_SEATS][KINDS]        # cards of known kind that came from the pile
    int hidden_old[MOST_SEATS]          # and how many of the hidden ones
    int hidden_now[MOST_SEATS]
    int required[KINDS]                 # what must be among the hidden cards from the pile
    int excess[KINDS]                   # what must be among those that went in unseen


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


cdef inline bint repair(Network* net) noexcept nogil:
    """Bring every flow within its bounds; False if there is no way."""
    cdef int i
    cdef Arc* arc
    for i in range(net.count):
        arc = &net.arcs[i]
        # The arc itself must not be part of the way round, and is not: it is full or empty there.
        while arc.flow < arc.low and push(net, arc.head, arc.tail):
            arc.flow += 1
        while arc.flow > arc.high and push(net, arc.tail, arc.head):
            arc.flow -= 1
        if not arc.low <= arc.flow <= arc.high:
            return False
    return True


cdef inline int guess(int cards, int* left, int* of_pile, Rng* rng) noexcept nogil:
    """How many of some cards came from the pile, if `of_pile` of the `left` ones did."""
    cdef int _i, found = 0
    for _i in range(cards):
        if <int>rng_below(rng, left[0]) < of_pile[0]:
            found += 1
            of_pile[0] -= 1
        left[0] -= 1
    return found


cdef inline int sum_of(const int* kinds) noexcept nogil:
    return kinds[0] + kinds[1] + kinds[2] + kinds[3] + kinds[4]


cdef inline int trace_part(
    Network* net, int node, const int* kinds, int hidden, int* left, int* of_pile, int* by_kind,
    Rng* rng,
) noexcept nogil:
    """Guess which of some cards of a seat came from the pile, by numbers alone; how many."""
    cdef int kind, found, all_found = 0
    for kind in range(KINDS):
        found = guess(kinds[kind], left, of_pile, rng)
        add_arc(net, KIND + kind, node, 0, kinds[kind], found)
        by_kind[kind] += found
        all_found += found
    found = guess(hidden, left, of_pile, rng)
    add_arc(net, GROUND, node, 0, hidden, found)
    return all_found + found


cdef inline void trace_seat(
    const Shuffle* shuffled, const Since* since, int seat, Network* net, int* by_kind, Rng* rng
) noexcept nogil:
    cdef int before = shuffled.drawn_before[seat], drawn = sum_kinds(shuffled.drawn[seat])
    cdef int gone = sum_of(since.old[seat]) + since.old_hidden[seat]
    # What was drawn last was not there before.
    cdef int left = gone + sum_of(since.now[seat]) + since.now_hidden[seat] - (drawn - before)
    cdef int of_pile = before, older = left - before, found
    found = trace_part(
        net, OLD + 3 * seat, since.old[seat], since.old_hidden[seat], &left, &of_pile, by_kind, rng
    )
    add_arc(net, OLD + 3 * seat, DRAWN + 3 * seat, max(0, gone - older), before, found)
    left += drawn - before
    of_pile += drawn - before
    found = trace_part(
        net, NOW + 3 * seat, since.now[seat], since.now_hidden[seat], &left, &of_pile, by_kind, rng
    )
    add_arc(net, NOW + 3 * seat, DRAWN + 3 * seat, 0, UNBOUNDED, found)
    add_arc(net, DRAWN + 3 * seat, GROUND, drawn, drawn, drawn)


cdef inline bint trace(
    const Shuffle* shuffled, const Since* since, int seats, int viewer, Rng* rng, Trace* found
) noexcept nogil:
    """Draw which cards of the others came from a shuffled pile, within what the viewer knows.

    False if there is no way. Of the last pile there is always one, the truth.
    """
    cdef Network net
    cdef int by_kind[KINDS]             # the others' cards of known kind that came from the pile
    cdef int known[KINDS]               # what the viewer saw go into it
    cdef int older[KINDS]               # cards that can be older, or that it knows to be so
    cdef int spare = 0, seat, kind, room, i
    cdef Arc* arc
    net.count = 0
    memset(by_kind, 0, sizeof(by_kind))
    for kind in range(KINDS):
        known[kind] = shuffled.down[viewer][kind]
        older[kind] = -shuffled.drawn[viewer][kind]
        for seat in range(seats):
            known[kind] += shuffled.up[seat][kind]
            older[kind] += since.old[seat][kind] + since.now[seat][kind]
    for seat in range(seats):
        if seat != viewer:
            trace_seat(shuffled, since, seat, &net, by_kind, rng)
            spare += sum_kinds(shuffled.down[seat])
    room = 0
    for kind in range(KINDS):
        # Of a kind, so many must be from the pile that the rest can be older, and so many can be
        # from what the viewer saw go in; more have to be among what it did not see.
        i = known[kind] - shuffled.drawn[viewer][kind]
        spare += min(i, 0)
        i = max(i, 0)
        add_arc(
            &net, GROUND, KIND + kind, max(0, known[kind] + older[kind] - kind_total(kind)), i,
            min(by_kind[kind], i),
        )
        add_arc(&net, SPARE, KIND + kind, 0, UNBOUNDED, max(0, by_kind[kind] - i))
        room += max(0, by_kind[kind] - i)
    add_arc(&net, GROUND, SPARE, 0, spare, room)
    if not repair(&net):
        return False
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
        i = known[kind] - shuffled.drawn[viewer][kind] - by_kind[kind]
        found.required[kind] = max(0, i)
        found.excess[kind] = max(0, -i)
    return True


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


cdef inline const uint8_t* take(
    uint8_t* out, const uint8_t* cards, int count, int* tally
) noexcept nogil:
    """Copy the next cards and count them by kind, if asked; what comes after these."""
    cdef int i
    memcpy(out, cards, count)
    if tally != NULL:
        for i in range(count):
            tally[cards[i]] += 1
    return cards + count


# Unseen cards in random order, by where they came from. The first shuffled pile is a source of its
# own only after the second shuffle; before, its cards are among the others.
cdef struct Stocks:
    uint8_t last[CARDS]                 # from the pile that is in use, and what is left of it
    uint8_t first[CARDS]                # from the pile before
    uint8_t others[CARDS]
    int let_go_first                    # of those at the head of `first` and `others`, how many
    int let_go_others                   # went unseen into the pile that is in use
    int excess_first[KINDS]             # of what else did, as the trace says, this is from `first`


cdef inline bint split_stock(
    const int* unseen, int pile_count, int put_down, const Trace* found, const Trace* first,
    Stocks* out, Rng* rng,
) noexcept nogil:
    """Sort the unseen cards by source; False if the two traces leave no way to do it.

    `put_down`: how many cards the others had put unseen into the pile that is in use.
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
        # A card that has to be of the first pile, and is not in the pool, is one of these.
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
    # The rest of the first source is any cards; they come from the end of the others.
    left = sum_of(pool) - (out.let_go_first + kept_first - count)
    memcpy(out.first + count, out.others + left, out.let_go_first + kept_first - count)
    shuffle(out.first, out.let_go_first + kept_first, rng)
    count = list_kinds(found.required, out.last)
    memcpy(out.last + count, out.first, out.let_go_first)
    memcpy(out.last + count + out.let_go_first, out.others, out.let_go_others)
    shuffle(out.last, count + free, rng)
    return True


cdef inline void deal_let_go(
    State* s, int viewer, const Stocks* stocks, const Trace* found, Trace* first, Rng* rng
) noexcept nogil:
    """Say who had put the unseen cards into the pile that is in use."""
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
            next_first = take(mixed, next_first, count, first.drawn[seat])
            next_other = take(mixed + count, next_other, sum_kinds(last.down[seat]) - count, NULL)
            refill(last.down[seat], mixed)


cdef inline void deal_held(
    State* s, int viewer, const Stocks* stocks, const Since* since, int sure, Trace* found,
    Trace* first, Rng* rng,
) noexcept nogil:
    """Deal the pile that is in use, and all that the others hold or have let go since."""
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
        old = since.old_hidden[seat] - found.hidden_old[seat]
        now = since.now_hidden[seat] - found.hidden_now[seat]
        count = first.hidden_now[seat]
        next_first = take(kept, next_first, count, first.drawn[seat])
        next_other = take(kept + count, next_other, old + now - count, NULL)
        shuffle(kept, old + now, rng)
        count = found.hidden_old[seat]
        next_last = take(mixed, next_last, count, found.drawn[seat])
        next_kept = take(mixed + count, kept, old, NULL)
        refill(s.gone_down[seat], mixed)
        count = found.hidden_now[seat]
        next_last = take(mixed, next_last, count, found.drawn[seat])
        take(mixed + count, next_kept, now, NULL)
        shuffle(mixed, count + now, rng)
        redeal_seat(s, seat, mixed, seat == sure)


cdef inline void write_draws(Shuffle* shuffled, int viewer, const Trace* found) noexcept nogil:
    cdef int seat, kind
    for seat in range(MOST_SEATS):
        if seat != viewer:
            for kind in range(KINDS):
                shuffled.drawn[seat][kind] = <uint8_t>found.drawn[seat][kind]


cdef inline void remember_first(State* s, int viewer, Rng* rng) noexcept nogil:
    """Say who had put the cards that the viewer never saw into the first shuffled pile."""
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


cdef inline void list_seen(
    const State* s, int viewer, int sure, Since* since, int* unseen
) noexcept nogil:
    """What the viewer sees of all cards since the last shuffle, and the kinds of all others."""
    cdef int down_now[KINDS]
    cdef int seat, kind
    memset(since, 0, sizeof(Since))
    for kind in range(KINDS):
        unseen[kind] = kind_total(kind)
    for seat in range(s.seats):
        memset(down_now, 0, sizeof(down_now))
        add_up_now(s, seat, since.now[seat])
        add_down_now(s, seat, down_now)
        for kind in range(KINDS):
            since.old[seat][kind] = s.gone_up[seat][kind]
            if seat == viewer:
                since.old[seat][kind] += s.gone_down[seat][kind]
                since.now[seat][kind] += down_now[kind] + s.hand[seat][kind]
        if seat != viewer:
            since.old_hidden[seat] = sum_kinds(s.gone_down[seat])
            since.now_hidden[seat] = s.cards[seat] + sum_of(down_now)
        if seat == sure:
            since.now[seat][DOLLAR] += 1
            since.now_hidden[seat] -= 1
        for kind in range(KINDS):
            unseen[kind] -= since.old[seat][kind] + since.now[seat][kind]


cdef inline void look_back(
    const State* s, int viewer, const Since* since, const Trace* found, Since* earlier
) noexcept nogil:
    """What seats had since the first of two shuffles, if they drew from the second as traced."""
    cdef const Shuffle* last = &s.shuffled[1]
    cdef int seat, kind
    memset(earlier, 0, sizeof(Since))
    for seat in range(s.seats):
        for kind in range(KINDS):
            earlier.old[seat][kind] = last.up[seat][kind]
            earlier.now[seat][kind] = since.old[seat][kind] + since.now[seat][kind]
            if seat == viewer:
                earlier.old[seat][kind] += last.down[seat][kind]
                earlier.now[seat][kind] -= last.drawn[seat][kind]
            else:
                earlier.now[seat][kind] -= found.drawn[seat][kind]
        if seat != viewer:
            earlier.old_hidden[seat] = sum_kinds(last.down[seat])
            earlier.now_hidden[seat] = since.old_hidden[seat] + since.now_hidden[seat]
            earlier.now_hidden[seat] -= found.hidden_old[seat] + found.hidden_now[seat]


cdef inline void draw_at_random(
    const Shuffle* shuffled, int seats, int viewer, Trace* found, Rng* rng
) noexcept nogil:
    """Say what the others drew from a pile that is drawn empty, whatever they have had since."""
    cdef uint8_t cards[CARDS]
    cdef int there[KINDS]               # what the viewer saw go in and did not draw
    cdef int room[KINDS]                # what else can have been in it
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


cdef inline void draw_sources(
    const State* s, int viewer, const Since* since, const int* unseen, Trace* found, Trace* first,
    Stocks* stocks, Rng* rng,
) noexcept nogil:
    """Draw where the others' cards came from.

    After two shuffles a trace of the second can leave none of the first, since cards of every kind
    share its bounds, and it is drawn again. A few tries do. The limit is for tokens made by hand,
    of which no trace may agree: then what is known of the first pile is given up.
    """
    cdef Since earlier
    cdef int _i, seat, put_down = 0
    memset(found, 0, sizeof(Trace))
    memset(first, 0, sizeof(Trace))
    if s.shuffles:
        for seat in range(s.seats):
            if seat != viewer:
                put_down += sum_kinds(s.shuffled[s.shuffles - 1].down[seat])
    for _i in range(MOST_TRIES):
        if s.shuffles:
            trace(&s.shuffled[s.shuffles - 1], since, s.seats, viewer, rng, found)
        if s.shuffles == 2:
            look_back(s, viewer, since, found, &earlier)
            if not trace(&s.shuffled[0], &earlier, s.seats, viewer, rng, first):
                continue
        if split_stock(unseen, s.pile_count, put_down, found, first, stocks, rng):
            return
    draw_at_random(&s.shuffled[0], s.seats, viewer, first, rng)
    split_stock(unseen, s.pile_count, put_down, found, first, stocks, rng)


cdef inline void draw_cards(State* s, int viewer, Rng* rng) noexcept nogil:
    """Deal anew every influence card that the viewer does not see."""
    cdef Since since
    cdef Trace found
    cdef Trace first
    cdef Stocks stocks
    cdef int unseen[KINDS]
    cdef int sure = NOWHERE             # a seat whose one card must be the dollar that it will pay
    if s.phase == PAY and s.paying_vicelard and s.first_half == NOWHERE:
        if s.to_move != viewer and s.cards[s.to_move] == 1:
            sure = s.to_move
    list_seen(s, viewer, sure, &since, unseen)
    draw_sources(s, viewer, &since, unseen, &found, &first, &stocks, rng)
    if s.shuffles:
        deal_let_go(s, viewer, &stocks, &found, &first, rng)
    deal_held(s, viewer, &stocks, &since, sure, &found, &first, rng)
    if s.shuffles:
        write_draws(&s.shuffled[s.shuffles - 1], viewer, &found)
    if s.shuffles == 2:
        write_draws(&s.shuffled[0], viewer, &first)
        remember_first(s, viewer, rng)


cdef inline void determinize(void* state, int viewer, Rng* rng) noexcept nogil:
    cdef State* s = <State*>state
    cdef uint64_t seed
    if viewer != TABLE:
        draw_mafiosi(s, rng)
        draw_cards(s, viewer, rng)
    seed = <uint64_t>rng_next(rng) << 32
    rng_seed(&s.rng, seed | rng_next(rng), GAME_STREAM)
