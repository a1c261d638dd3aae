"""Finishes a round in outline: the seats go on bidding, and the row is counted.

In turn, each seat buys the Mafioso that brings it most beyond its price, with the cards that it
holds in this world, until no seat wants to buy. Influence is in half points.
"""

from libc.stdint cimport uint8_t
from libc.string cimport memset

from tablier_core.games.contract.engine.chances cimport expect_traffics, share_traffics
from tablier_core.games.contract.engine.standing cimport Standing, asked_by, progress, receive
from tablier_core.games.contract.rules cimport points_at
from tablier_core.games.contract.state cimport (
    ACTION, BLACKMAT, BLACKMATS_2, DOLLAR, DRAWN_PER_ROUND, FAMILIES, FAMILIES_4, KINDS,
    MOST_MAFIOSI_SIDE, MOST_ROW, MOST_SEATS, NOBODY, NOWHERE, PIECES, SAME_3, TWOS_3,
    State, family_at, family_of, index_of, is_counting, row_length, value_of,
)

# In points of the final score, fitted; see estimate.pyx.
cdef double CARD_WORTH = 1.5            # what a card that is kept brings in a later round
cdef double COPPER_WORTH = 0.75         # and the special cards
cdef double VICELARD_WORTH = 0.8
cdef double MAFIOSO_WORTH = 0.6         # what any Mafioso brings beyond its column
cdef double BLACKMAT_WORTH = 0.4        # a Blackmat in a column, per point of its value
cdef double DENIAL_WORTH = 0.6          # share of what a Mafioso would bring another seat
cdef double TOKEN_PRICE = 0.2           # tokens come back, but there are three per round
cdef double LAST_CARD_PRICE = 0.02      # in the last round cards are spent on anything

cdef enum:
    MOST_TURNS = 24                     # until the bidding is cut off

# The row as bids, and what seats can still bid.
cdef struct Bids:
    int row
    int points[MOST_ROW][MOST_SEATS]
    int family[MOST_ROW]
    double worth[MOST_ROW][MOST_SEATS]
    int hand[MOST_SEATS][KINDS]
    int cards[MOST_SEATS]
    int supply[MOST_SEATS]
    int copper_card[MOST_SEATS]         # points of a card in hand
    int vicelard_card[MOST_SEATS]
    int vicelard_pawn
    int copper_pawn

# The pieces of one action.
cdef struct Purchase:
    int tokens
    int contracts
    int dollars
    int down
    bint copper
    bint vicelard


cdef void finish_round(const State* s, Standing* st, double* extra) noexcept nogil:
    cdef Bids b
    read_bids(s, &b)
    if not is_counting(s):
        weigh_row(s, st, &b)
        finish_bidding(s, st, &b)
    count_row(s, &b, st, extra)


cdef void read_bids(const State* s, Bids* b) noexcept nogil:
    cdef int place, seat, kind
    b.row = row_length(s)
    b.copper_pawn = s.copper_pawn
    b.vicelard_pawn = s.vicelard_pawn
    for place in range(b.row):
        b.family[place] = family_at(s, place)
        for seat in range(s.seats):
            b.points[place][seat] = points_at(s, place, seat)
    for seat in range(s.seats):
        for kind in range(KINDS):
            b.hand[seat][kind] = s.hand[seat][kind]
        b.cards[seat] = s.cards[seat]
        b.supply[seat] = s.supply[seat]
        b.copper_card[seat] = b.vicelard_card[seat] = 0
    if s.copper_holder != NOBODY and s.copper_on == NOWHERE:
        b.copper_card[s.copper_holder] = s.copper_points
    if s.vicelard_holder != NOBODY and s.vicelard_on == NOWHERE:
        b.vicelard_card[s.vicelard_holder] = 2 if b.family[b.vicelard_pawn] == BLACKMAT else 4


# ---- What a Mafioso is worth ---------------------------------------------------------------------

cdef bint is_open_race(const State* s, const Standing* st, int tile) noexcept nogil:
    """Whether a briefcase is a "first to" briefcase that nobody has yet."""
    return st.holder[tile] == NOBODY and s.side[tile] < MOST_MAFIOSI_SIDE


cdef bint is_step(const Standing* st, int seat, int side, int code) noexcept nogil:
    """Whether a Mafioso brings a seat one step closer to a "first to" briefcase."""
    cdef int family = family_of(code)
    if side == TWOS_3:
        return value_of(code) == 2
    if family == BLACKMAT:
        return side == BLACKMATS_2
    if side <= FAMILIES_4:
        return st.members[family][seat] == 0
    return side <= SAME_3 and st.members[family][seat] == st.largest[seat]


cdef double gain_of(
    const State* s, Standing* st, int seat, int code, double before
) noexcept nogil:
    """Return what a Mafioso would bring a seat.

    `before` is the seat's expected points from the traffics of that family. The standing is changed
    for a moment and restored.
    """
    cdef double gain = MAFIOSO_WORTH
    cdef int family = family_of(code), value = value_of(code), tile, missing
    if family < FAMILIES:
        st.column[family][seat] += value
        st.members[family][seat] += 1
        gain += expect_traffics(s, st, family, seat) - before
        st.members[family][seat] -= 1
        st.column[family][seat] -= value
    else:
        gain += BLACKMAT_WORTH * value
    for tile in range(s.tiles):
        if is_open_race(s, st, tile) and is_step(st, seat, s.side[tile], code):
            missing = asked_by(s.side[tile]) - progress(st, seat, s.side[tile]) - 1
            gain += s.worth[tile] * (0.5 if missing <= 0 else 0.4 if missing == 1 else 0.3)
    return gain


cdef void weigh_row(const State* s, Standing* st, Bids* b) noexcept nogil:
    """Set what each Mafioso of the row is worth to each seat."""
    cdef double before[KINDS][MOST_SEATS]       # expected points from traffics; Blackmats have none
    cdef double variance[MOST_SEATS]            # not needed
    cdef double gain[MOST_SEATS]
    cdef double most, second, special
    cdef int family, place, seat
    memset(before, 0, sizeof(before))
    memset(variance, 0, sizeof(variance))
    for family in range(FAMILIES):
        share_traffics(s, st, family, before[family], variance)
    for place in range(b.row):
        special = 0.0
        if st.rounds_left:
            special += VICELARD_WORTH * (place == b.vicelard_pawn)
            special += COPPER_WORTH * (place == b.copper_pawn)
        most = second = 0.0
        for seat in range(st.seats):
            gain[seat] = special + gain_of(
                s, st, seat, s.mafiosi[index_of(s, place)], before[b.family[place]][seat]
            )
            if gain[seat] > most:
                second = most
                most = gain[seat]
            elif gain[seat] > second:
                second = gain[seat]
        for seat in range(st.seats):
            # Denying a Mafioso to others is worth something too, less if there are many of them.
            b.worth[place][seat] = gain[seat] + DENIAL_WORTH * (
                second if gain[seat] == most else most
            ) / (st.seats - 1)


# ---- Buying --------------------------------------------------------------------------------------

cdef int price(const Bids* b, int seat, int place, int need, Purchase* bought) noexcept nogil:
    """Return how many cards a seat needs for `need` more halves on a Mafioso; -1 if it cannot."""
    cdef int family = b.family[place], contracts, dollars, others, tokens = b.supply[seat], used
    cdef bint fresh = b.points[place][seat] == 0
    memset(bought, 0, sizeof(Purchase))
    contracts = 0 if family == BLACKMAT else b.hand[seat][family]
    dollars = b.hand[seat][DOLLAR]
    others = b.cards[seat] - contracts - dollars
    used = 0
    if fresh:
        if not tokens:
            return -1
        bought.tokens = 1
        tokens -= 1
        need -= 2
    if b.vicelard_card[seat] and b.vicelard_pawn == place:
        bought.vicelard = True
        need -= b.vicelard_card[seat]
    if need > 0 and b.copper_card[seat]:
        bought.copper = True
        need -= b.copper_card[seat]
    while need > 0 or (fresh and not (used or bought.vicelard or bought.copper)):
        if need > 0 and need <= 2 and tokens and (used or not fresh):
            bought.tokens += 1
            tokens -= 1
            need -= 2
        elif need <= 1 and others:
            bought.down += 1
            others -= 1
            used += 1
            need -= 1
        elif contracts:
            bought.contracts += 1
            contracts -= 1
            used += 1
            need -= 4
        elif tokens and need > 0:
            bought.tokens += 1
            tokens -= 1
            need -= 2
        elif dollars:
            bought.dollars += 1
            dollars -= 1
            used += 1
            need -= 2
        elif others:
            bought.down += 1
            others -= 1
            used += 1
            need -= 1
        else:
            return -1
    return used


cdef void buy(Bids* b, int seat, int place, const Purchase* bought) noexcept nogil:
    cdef int kind, most, _i, family = b.family[place]
    b.supply[seat] -= bought.tokens
    b.points[place][seat] += 2 * (bought.tokens + bought.dollars) + 4 * bought.contracts
    b.points[place][seat] += bought.down
    if bought.copper:
        b.points[place][seat] += b.copper_card[seat]
        b.copper_card[seat] = 0
    if bought.vicelard:
        b.points[place][seat] += b.vicelard_card[seat]
        b.vicelard_card[seat] = 0
    b.cards[seat] -= bought.contracts + bought.dollars + bought.down
    b.hand[seat][DOLLAR] -= bought.dollars
    if bought.contracts:
        b.hand[seat][family] -= bought.contracts
    for _i in range(bought.down):
        most = -1
        for kind in range(FAMILIES):
            if kind != family and (most < 0 or b.hand[seat][kind] > b.hand[seat][most]):
                most = kind
        b.hand[seat][most] -= 1


cdef bint take_turn(Bids* b, const Standing* st, int seat, int only) noexcept nogil:
    """Buy what brings most beyond its price; False for a pass. `only`: a place or NOWHERE."""
    cdef Purchase bought
    cdef Purchase best
    cdef int place, other, top, used, paid, best_place = NOWHERE
    cdef double gain, best_gain = 0.0, cost = CARD_WORTH if st.rounds_left else LAST_CARD_PRICE
    for place in range(b.row):
        if only != NOWHERE and place != only:
            continue
        top = 0
        for other in range(st.seats):
            if other != seat:
                top = max(top, b.points[place][other])
        if b.points[place][seat] > top:
            continue
        used = price(b, seat, place, top - b.points[place][seat] + 1, &bought)
        if used < 0:
            continue
        # With more than five cards a seat draws fewer new ones, so the surplus costs nothing.
        paid = max(0, min(used, used - (b.cards[seat] - DRAWN_PER_ROUND)))
        gain = b.worth[place][seat] - cost * paid
        gain -= TOKEN_PRICE * bought.tokens + LAST_CARD_PRICE * used
        if gain > best_gain:
            best_gain = gain
            best_place = place
            best = bought
    if best_place == NOWHERE:
        return False
    buy(b, seat, best_place, &best)
    return True


cdef void finish_bidding(const State* s, const Standing* st, Bids* b) noexcept nogil:
    """Let the mover complete its action, then let the seats buy in turn until all pass."""
    cdef int seat = s.to_move, passes = s.passes, turns = 0
    if s.phase == PIECES:
        take_turn(b, st, seat, s.target)
    if s.phase != ACTION:
        seat = (seat + 1) % s.seats
        passes = 0
    while passes < s.seats and turns < MOST_TURNS:
        passes = 0 if take_turn(b, st, seat, NOWHERE) else passes + 1
        seat = seat + 1 if seat + 1 < s.seats else 0
        turns += 1


# ---- Counting ------------------------------------------------------------------------------------

cdef void settle_blackmats(const State* s, Standing* st, int seat) noexcept nogil:
    """Let waiting Blackmats join the column with the highest traffic."""
    cdef int family, best = -1
    for family in range(FAMILIES):
        if st.members[family][seat] and (
            best < 0 or s.traffic[0][family] > s.traffic[0][best]
        ):
            best = family
    if best >= 0:
        st.column[best][seat] += st.waiting[seat]
        st.waiting[seat] = 0


cdef void count_row(const State* s, const Bids* b, Standing* st, double* extra) noexcept nogil:
    """Give each Mafioso of the row to its winner, and write `extra` (see `finish_round`)."""
    cdef int place, seat, points, best, winner, tile
    cdef int begin = s.counted + 1 if is_counting(s) else 0
    for place in range(begin, b.row):
        best = 0
        winner = NOBODY
        for seat in range(st.seats):
            points = b.points[place][seat]
            if points > best:
                best = points
                winner = seat
            elif points == best:
                winner = NOBODY
        if winner == NOBODY:
            continue
        receive(st, winner, s.mafiosi[index_of(s, place)])
        if place == b.vicelard_pawn:
            st.vicelard_next = winner
        if place == b.copper_pawn:
            st.copper_next = winner
        for tile in range(s.tiles):
            if is_open_race(s, st, tile):
                if progress(st, winner, s.side[tile]) >= asked_by(s.side[tile]):
                    st.holder[tile] = <uint8_t>winner
    for seat in range(st.seats):
        if st.waiting[seat]:
            settle_blackmats(s, st, seat)
        extra[seat] = 0.0
        if st.rounds_left:
            extra[seat] = CARD_WORTH * min(b.cards[seat], DRAWN_PER_ROUND)
    if st.rounds_left:
        if st.vicelard_next != NOBODY:
            extra[st.vicelard_next] += VICELARD_WORTH
        if st.copper_next != NOBODY:
            extra[st.copper_next] += COPPER_WORTH
