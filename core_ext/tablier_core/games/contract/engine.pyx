"""How well the seats of a game of Contract stand: what a search asks at its leaves.

A world is judged in three steps.
  1. The bidding of the round is finished quickly: in turn, every seat buys the Mafioso that brings
     it most beyond its price, until nobody wants to.
  2. The row is counted as it then lies.
  3. Each traffic and each briefcase is shared out by chances: leads against what is still to come.
The sums of these chances and of the cards that are kept decide who is likely to win.

Only + - * / and square roots are used, so that a judgement has the same bits on every machine.
"""

from libc.math cimport sqrt
from libc.stdint cimport uint8_t, uint32_t
from libc.string cimport memcpy, memset

from tablier_core.abi cimport PRIOR, Verdict, move_t
from tablier_core.budget cimport Budget
from tablier_core.games.contract.moves cimport (
    DONE, ON, PASS, PAY_DOLLAR, PAY_DOWN, PLACE_DOWN, PLACE_TOKEN, VICELARD_TO,
)
from tablier_core.games.contract.state cimport (
    ACTION, BLACKMAT, BLACKMATS_2, CONTRACT, DOLLAR, DOLLAR_UP, DRAWN_A_ROUND, FAMILIES,
    FAMILIES_3, FAMILIES_4, KINDS, LARGEST_FAMILY, MOST_MAFIOSI, MOST_MAFIOSI_SIDE, MOST_ROW,
    MOST_SEATS, MOST_THREES, MOST_TILES, MOST_TWOS, NO_COLUMN, NOBODY, NOTHING, NOWHERE, PAY,
    PIECES, SAME_2, SAME_3, TOKEN, TWOS_3,
    State, can_play_copper, family_at, family_of, index_of, is_counting, points_at, round_count,
    row_length, value_of,
)
from tablier_core.rng cimport Rng

# In points of the final score. These and the numbers below were fitted to who won 900 games of two
# seats that the engine played with itself, at 19,000 positions of them (log loss 0.52; numbers
# chosen by hand had 0.62), and rounded. CARD_WORTH, COLUMN_NOISE, POINT_NOISE and above all
# OPEN_NOISE matter: a search that is too sure of its leaves takes the first lead for a win.
cdef double CARD_WORTH = 1.5            # what a card that is kept will bring in a later round
cdef double COPPER_WORTH = 0.75         # and the special cards
cdef double VICELARD_WORTH = 0.8
cdef double MAFIOSO_WORTH = 0.6         # what any Mafioso brings beyond its column
cdef double BLACKMAT_WORTH = 0.4        # a Blackmat in a column, for each of its points
cdef double DENIAL_WORTH = 0.6          # of what a Mafioso would bring another seat
cdef double TOKEN_PRICE = 0.2           # tokens come back, but there are three a round
cdef double LAST_CARD_PRICE = 0.02      # in the last round cards are spent for anything

# How far things can still change, in standard deviations of what is to come.
cdef double COLUMN_NOISE = 1.2
cdef double COUNT_NOISE = 0.3
cdef double POINT_NOISE = 0.8
cdef double OPEN_NOISE = 3.0            # in points, as long as anybody can still bid
cdef double LOCKED_OUT = 0.001          # the weight of who cannot catch up any more

cdef enum:
    MOST_TURNS = 24                     # of a bidding that is finished quickly

# What seats own, when the row will have been counted, and what is still to come.
cdef struct Standing:
    int seats
    int rounds_left
    int column[FAMILIES][MOST_SEATS]    # sums of values
    int members[FAMILIES][MOST_SEATS]   # family cards
    int waiting[MOST_SEATS]             # value of Blackmats without a column
    int blackmats[MOST_SEATS]
    int twos[MOST_SEATS]
    int threes[MOST_SEATS]
    int mafiosi[MOST_SEATS]
    int to_come[KINDS]                  # Mafiosi that have not been laid out, by family
    int sum_to_come[KINDS]
    int squares_to_come[KINDS]
    int twos_to_come
    int threes_to_come
    int all_to_come
    uint8_t holder[MOST_TILES]
    int copper_next
    int vicelard_next

# The row as bids, in halves, and what seats can still bid.
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

# Pieces of one action.
cdef struct Purchase:
    int tokens
    int contracts
    int dollars
    int down
    bint copper
    bint vicelard


cdef inline double weight(double x) noexcept nogil:
    """About e to the power of x, for x up to 0."""
    x = 1.0 + x * (1.0 / 16)
    if x <= 0.0:
        return 0.0
    x *= x
    x *= x
    x *= x
    return x * x


# ---- What is owned -------------------------------------------------------------------------------

cdef void receive(Standing* st, int seat, int code, int count) noexcept nogil:
    """A seat owns one Mafioso more, or with a count of -1 less; a Blackmat waits."""
    cdef int family = family_of(code), value = value_of(code)
    st.mafiosi[seat] += count
    if value == 2:
        st.twos[seat] += count
    elif value == 3:
        st.threes[seat] += count
    if family == BLACKMAT:
        st.blackmats[seat] += count
        st.waiting[seat] += count * value
        return
    st.column[family][seat] += count * value
    st.members[family][seat] += count


cdef void take_stock(const State* s, Standing* st) noexcept nogil:
    """What seats own now, and what has not been laid out."""
    cdef int i, family, value, seat, laid = index_of(s, row_length(s))
    memset(st, 0, sizeof(Standing))
    st.seats = s.seats
    st.rounds_left = round_count(s) - s.round - 1
    st.copper_next = s.copper_next
    st.vicelard_next = s.vicelard_next
    memcpy(st.holder, s.holder, sizeof(st.holder))
    for i in range(laid):
        if s.column[i] == NO_COLUMN:
            continue
        seat = s.owner[i]
        receive(st, seat, s.mafiosi[i], 1)
        if family_of(s.mafiosi[i]) == BLACKMAT and s.column[i] < FAMILIES:
            value = value_of(s.mafiosi[i])
            st.waiting[seat] -= value
            st.column[s.column[i]][seat] += value
    for i in range(laid, row_length(s) * round_count(s)):
        family = family_of(s.mafiosi[i])
        value = value_of(s.mafiosi[i])
        st.to_come[family] += 1
        st.sum_to_come[family] += value
        st.squares_to_come[family] += value * value
        st.twos_to_come += value == 2
        st.threes_to_come += value == 3
        st.all_to_come += 1


# ---- Chances -------------------------------------------------------------------------------------

cdef double weigh_column(
    const Standing* st, int family, int seat, int best, double scale
) noexcept nogil:
    """How likely a seat is to end with the best column of a family, beside the others' weights."""
    cdef int column = st.column[family][seat]
    cdef int reach = st.sum_to_come[family] + st.sum_to_come[BLACKMAT]
    cdef double chance = 1.0
    if not st.members[family][seat]:
        if not st.to_come[family]:
            return 0.0
        # It still has to win its first.
        column = st.waiting[seat]
        chance = 0.5
    # A lead that all that is to come cannot make good stands, but for Copper.
    if column + reach < best:
        return LOCKED_OUT
    return chance * weight((column - best) * scale)


cdef void share_traffics(
    const State* s, const Standing* st, int family, double* points, double* variance
) noexcept nogil:
    """Add every seat's expected part of a family's traffics."""
    cdef double w[MOST_SEATS]
    cdef double odds[MOST_SEATS]
    cdef double total = 0.0, all_odds = 0.0, first, second, scale, tile
    cdef int seat, best = 0
    for seat in range(st.seats):
        if st.members[family][seat]:
            best = max(best, st.column[family][seat])
    # Blackmats may join any of four columns.
    scale = 1.0 / (0.4 + COLUMN_NOISE * sqrt(
        st.squares_to_come[family] + 0.25 * st.squares_to_come[BLACKMAT]
    ))
    for seat in range(st.seats):
        w[seat] = weigh_column(st, family, seat, best, scale)
        total += w[seat]
    if total <= 0.0:
        return
    for seat in range(st.seats):
        odds[seat] = w[seat] / (total - w[seat]) if w[seat] < total else 0.0
        all_odds += odds[seat]
    for seat in range(st.seats):
        first = w[seat] / total
        # When another has been first, this one's weight stands beside the others' that are left.
        second = first * (all_odds - odds[seat])
        tile = s.traffic[0][family]
        points[seat] += tile * first
        variance[seat] += tile * tile * first * (1.0 - first)
        tile = s.traffic[1][family]
        points[seat] += tile * second
        # Who is not second is often first, so this varies less.
        variance[seat] += 0.5 * tile * tile * second * (1.0 - second)


cdef int progress(const Standing* st, int seat, int side, int* asked) noexcept nogil:
    """How much a seat has of what a "first to" briefcase asks for."""
    cdef int family, have = 0
    asked[0] = 3
    if side == FAMILIES_3 or side == FAMILIES_4:
        asked[0] = 3 if side == FAMILIES_3 else 4
        for family in range(FAMILIES):
            have += st.members[family][seat] > 0
    elif side == SAME_2 or side == SAME_3:
        asked[0] = 2 if side == SAME_2 else 3
        for family in range(FAMILIES):
            have = max(have, st.members[family][seat])
    elif side == BLACKMATS_2:
        asked[0] = 2
        have = st.blackmats[seat]
    else:
        have = st.twos[seat]
    return have


cdef int count_of(const Standing* st, int seat, int side) noexcept nogil:
    """What a "most" briefcase counts."""
    cdef int family, have = 0
    if side == LARGEST_FAMILY:
        for family in range(FAMILIES):
            have = max(have, st.members[family][seat])
        return have
    if side == MOST_THREES:
        return st.threes[seat]
    return st.twos[seat] if side == MOST_TWOS else st.mafiosi[seat]


cdef double weigh_race(const State* s, const Standing* st, int tile, double* w) noexcept nogil:
    """How near each seat is to a "first to" briefcase; the sum, with a part for nobody."""
    cdef int side = s.side[tile], seat, have, asked, missing, to_come = st.all_to_come
    cdef double total = 0.1
    if side == BLACKMATS_2:
        to_come = st.to_come[BLACKMAT]
    elif side == TWOS_3:
        to_come = st.twos_to_come
    for seat in range(st.seats):
        have = progress(st, seat, side, &asked)
        missing = asked - have
        w[seat] = 0.0
        if missing <= to_come:
            # Each Mafioso that is missing makes it a quarter as likely, and rare ones are late.
            w[seat] = 1.0 if missing == 1 else 0.25 if missing == 2 else 0.06
            if side >= BLACKMATS_2:
                w[seat] *= 0.3
        total += w[seat]
    return total


cdef double weigh_most(const State* s, const Standing* st, int tile, double* w) noexcept nogil:
    """How near each seat is to a "most" briefcase; the sum, with a part for a tie."""
    cdef int side = s.side[tile], seat, best = -1, leaders = 0, to_come = st.all_to_come
    cdef double total = 0.0, scale
    cdef int have[MOST_SEATS]
    if side == MOST_THREES:
        to_come = st.threes_to_come
    elif side == MOST_TWOS:
        to_come = st.twos_to_come
    for seat in range(st.seats):
        have[seat] = count_of(st, seat, side)
        if have[seat] > best:
            best = have[seat]
            leaders = 0
        leaders += have[seat] == best
    scale = 1.0 / (0.3 + COUNT_NOISE * sqrt(<double>to_come))
    for seat in range(st.seats):
        w[seat] = weight((have[seat] - best) * scale)
        total += w[seat]
    # With nothing to come, a tie is final.
    return total + (leaders - 1) * (0.3 if to_come else 1e3)


cdef void share_briefcase(
    const State* s, const Standing* st, int tile, double* points, double* variance
) noexcept nogil:
    """Add every seat's expected part of a briefcase that nobody has yet."""
    cdef double w[MOST_SEATS]
    cdef double total, part, worth = s.worth[tile]
    cdef int seat
    if s.side[tile] < MOST_MAFIOSI_SIDE:
        total = weigh_race(s, st, tile, w)
    else:
        total = weigh_most(s, st, tile, w)
    for seat in range(st.seats):
        part = w[seat] / total
        points[seat] += worth * part
        variance[seat] += worth * worth * part * (1.0 - part)


cdef void share_points(
    const State* s, const Standing* st, double* points, double* variance
) noexcept nogil:
    cdef int family, tile, seat
    for seat in range(st.seats):
        points[seat] = variance[seat] = 0.0
    for family in range(FAMILIES):
        share_traffics(s, st, family, points, variance)
    for tile in range(s.tiles):
        if st.holder[tile] != NOBODY:
            points[st.holder[tile]] += s.worth[tile]
        else:
            share_briefcase(s, st, tile, points, variance)


# ---- The bidding ---------------------------------------------------------------------------------

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


cdef double gain_of(
    const State* s, Standing* st, int seat, int code, double before
) noexcept nogil:
    """What a Mafioso would bring a seat whose part of that family's traffics was `before`.

    The standing is changed for a moment and put back.
    """
    cdef double after[MOST_SEATS]
    cdef double unused[MOST_SEATS]
    cdef int had[MOST_TILES]
    cdef double gain = MAFIOSO_WORTH
    cdef int family = family_of(code), tile, have, asked
    for tile in range(s.tiles):
        had[tile] = progress(st, seat, s.side[tile], &asked)
    receive(st, seat, code, 1)
    if family < FAMILIES:
        memset(after, 0, sizeof(after))
        memset(unused, 0, sizeof(unused))
        share_traffics(s, st, family, after, unused)
        gain += after[seat] - before
    else:
        gain += BLACKMAT_WORTH * value_of(code)
    for tile in range(s.tiles):
        if st.holder[tile] == NOBODY and s.side[tile] < MOST_MAFIOSI_SIDE:
            have = progress(st, seat, s.side[tile], &asked)
            if have > had[tile]:
                gain += s.worth[tile] * (
                    0.5 if have >= asked else 0.4 if have + 1 == asked else 0.3
                )
    receive(st, seat, code, -1)
    return gain


cdef void weigh_row(const State* s, Standing* st, Bids* b) noexcept nogil:
    """What each Mafioso of the row is worth to each seat."""
    cdef double before[MOST_SEATS]
    cdef double unused[MOST_SEATS]
    cdef double gain[MOST_SEATS]
    cdef double most, second, special
    cdef int place, seat
    for place in range(b.row):
        memset(before, 0, sizeof(before))
        memset(unused, 0, sizeof(unused))
        if b.family[place] < FAMILIES:
            share_traffics(s, st, b.family[place], before, unused)
        special = 0.0
        if st.rounds_left:
            special += VICELARD_WORTH * (place == b.vicelard_pawn)
            special += COPPER_WORTH * (place == b.copper_pawn)
        most = second = 0.0
        for seat in range(st.seats):
            gain[seat] = special + gain_of(
                s, st, seat, s.mafiosi[index_of(s, place)], before[seat]
            )
            if gain[seat] > most:
                second = most
                most = gain[seat]
            elif gain[seat] > second:
                second = gain[seat]
        for seat in range(st.seats):
            # What others do not get is worth something too, the less the more they are.
            b.worth[place][seat] = gain[seat] + DENIAL_WORTH * (
                second if gain[seat] == most else most
            ) / (st.seats - 1)


cdef int price(const Bids* b, int seat, int place, int need, Purchase* bought) noexcept nogil:
    """The number of cards for so many halves more on a Mafioso; -1 if a seat cannot have them."""
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
    """Buy what brings most beyond its price; False for a pass. `only`: a place, or NOWHERE."""
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
        # Cards beyond those that leave room for a full draw are free.
        paid = max(0, min(used, used - (b.cards[seat] - DRAWN_A_ROUND)))
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
    """Let the seats go on buying in turn until all pass; the mover completes its action first."""
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
    """Blackmats that wait join the column whose traffic is the most."""
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
    """Give out the row; `extra` are points for what is not counted at the end."""
    cdef int place, seat, points, best, winner, tile, asked
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
        receive(st, winner, s.mafiosi[index_of(s, place)], 1)
        if place == b.vicelard_pawn:
            st.vicelard_next = winner
        if place == b.copper_pawn:
            st.copper_next = winner
        for tile in range(s.tiles):
            if st.holder[tile] == NOBODY and s.side[tile] < MOST_MAFIOSI_SIDE:
                if progress(st, winner, s.side[tile], &asked) >= asked:
                    st.holder[tile] = <uint8_t>winner
    for seat in range(st.seats):
        if st.waiting[seat]:
            settle_blackmats(s, st, seat)
        extra[seat] = 0.0
        if st.rounds_left:
            extra[seat] = CARD_WORTH * min(b.cards[seat], DRAWN_A_ROUND)
    if st.rounds_left:
        if st.vicelard_next != NOBODY:
            extra[st.vicelard_next] += VICELARD_WORTH
        if st.copper_next != NOBODY:
            extra[st.copper_next] += COPPER_WORTH


cdef void evaluate(const void* state, double* out) noexcept nogil:
    """Every seat's chance to win, as a return."""
    cdef const State* s = <const State*>state
    cdef Standing st
    cdef Bids b
    cdef double points[MOST_SEATS]
    cdef double variance[MOST_SEATS]
    cdef double extra[MOST_SEATS]
    cdef double best = -1e9, total = 0.0, noise = 0.0
    cdef int seat
    take_stock(s, &st)
    read_bids(s, &b)
    if not is_counting(s):
        weigh_row(s, &st, &b)
        finish_bidding(s, &st, &b)
    count_row(s, &b, &st, extra)
    share_points(s, &st, points, variance)
    for seat in range(st.seats):
        points[seat] += extra[seat]
        best = max(best, points[seat])
        noise += variance[seat]
    noise = 0.3 + POINT_NOISE * sqrt(noise * 2.0 / st.seats)
    if st.rounds_left or not is_counting(s):
        noise += OPEN_NOISE
    for seat in range(st.seats):
        out[seat] = weight((points[seat] - best) / noise)
        total += out[seat]
    for seat in range(st.seats):
        out[seat] = 2.0 * out[seat] / total - 1.0


# ---- Moves worth a try ---------------------------------------------------------------------------

cdef int most_to_bring(const State* s, int seat, int place, bint own) noexcept nogil:
    """How many halves a seat can still bring to a Mafioso; of others only numbers are known."""
    cdef int family = family_at(s, place), best = 2 if family == BLACKMAT else 4
    cdef int halves = 2 * s.supply[seat]
    if s.tokens[place][seat] == 0 and s.supply[seat] == 0:
        return 0
    if not own:
        halves += best * s.cards[seat]
    elif family == BLACKMAT:
        halves += s.cards[seat] + s.hand[seat][DOLLAR]
    else:
        halves += s.cards[seat] + s.hand[seat][DOLLAR] + 3 * s.hand[seat][family]
    if can_play_copper(s, seat):
        halves += s.copper_points
    # Its pawn can still be brought here.
    if s.vicelard_holder == seat and s.vicelard_on == NOWHERE:
        halves += best
    return halves


cdef bint is_settled(const State* s, int seat, int place) noexcept nogil:
    """Whether nothing that a seat adds on a Mafioso can change who takes it.

    It leads and nobody can draw level, or somebody leads whom it cannot draw level with.
    """
    cdef int other, mine = points_at(s, place, seat), points, ahead = 0
    cdef bint locked = True
    for other in range(s.seats):
        if other == seat:
            continue
        points = points_at(s, place, other)
        ahead = max(ahead, points)
        if points + most_to_bring(s, other, place, False) >= mine:
            locked = False
    return locked or mine + most_to_bring(s, seat, place, True) < ahead


cdef bint is_idle_vicelard(const State* s, int place) noexcept nogil:
    """Whether it brings nothing to move Vicelard to a place: there is no next round, his card is
    not to be played, and Copper does not stand there."""
    if s.round + 1 < round_count(s) or place == s.copper_pawn:
        return False
    return s.vicelard_holder == NOBODY or s.vicelard_on != NOWHERE


cdef double use_of_kind(const State* s, int kind) noexcept nogil:
    """How much a card of this kind can still do: for a contract, what there is of its family."""
    cdef int i, use = 0
    if kind == DOLLAR:
        return MOST_MAFIOSI
    for i in range(index_of(s, 0), row_length(s) * round_count(s)):
        use += family_of(s.mafiosi[i]) == kind
    return use


cdef double weigh_piece(const State* s, int seat, move_t move) noexcept nogil:
    cdef int kind
    cdef bint complete = s.floor > (TOKEN if s.fresh else NOTHING)
    if move == DONE:
        return 2.0
    # What is settled needs no more pieces.
    if complete and is_settled(s, seat, s.target):
        return 0.0
    if move < PLACE_DOWN:
        return 1.0
    kind = <int>(move - PLACE_DOWN)
    # Face up the same card counts more.
    if kind == DOLLAR and s.floor <= DOLLAR_UP:
        return 0.0
    if kind == family_at(s, s.target) and s.floor <= CONTRACT:
        return 0.0
    return 1.0 / (1.0 + use_of_kind(s, kind))


cdef double weigh_move(const State* s, int seat, move_t move) noexcept nogil:
    if s.phase == PIECES:
        return weigh_piece(s, seat, move)
    if s.phase == PAY:
        if move == PAY_DOLLAR:
            return 1.0
        return 1.0 / (1.0 + use_of_kind(s, <int>(move - PAY_DOWN)))
    if s.phase == ACTION:
        if move < PLACE_TOKEN:
            return 0.0 if is_settled(s, seat, <int>(move - ON)) else 3.0
        if VICELARD_TO <= move < PAY_DOLLAR:
            return 0.0 if is_idle_vicelard(s, <int>(move - VICELARD_TO)) else 1.0
        return 2.0 if move == PASS else 1.0
    return 1.0


cdef Verdict rank(
    const void* state, int seat, const move_t* moves, uint32_t n, const Budget* budget, Rng* rng,
    double* weights, double* values,
) noexcept nogil:
    """Which moves a search should try; what brings nothing is left out."""
    cdef const State* s = <const State*>state
    cdef uint32_t i
    cdef int best = -1
    for i in range(n):
        weights[i] = weigh_move(s, seat, moves[i])
    # One card is as good as another as payment for Copper: the least useful goes.
    if s.phase == PAY and not s.paying_vicelard:
        for i in range(n):
            if best < 0 or weights[i] > weights[best]:
                best = <int>i
        for i in range(n):
            if <int>i != best:
                weights[i] = 0.0
    return PRIOR


cdef inline bint is_hidden_card(int phase, move_t move) noexcept nogil:
    """Whether a move puts a card face down, on a Mafioso or as payment."""
    if phase == PIECES:
        return PLACE_DOWN <= move < DONE
    return phase == PAY and move >= PAY_DOWN


cdef uint32_t narrow(
    const void* begun, const void* state, int seat, move_t* moves, uint32_t n
) noexcept nogil:
    """What a seat may do behind the first move: nothing that brings nothing, and of cards that go
    face down only the one that can do least.

    A new round ends the tree: its row and hands are others in every world.
    """
    cdef const State* s = <const State*>state
    cdef uint32_t i, kept = 0, hidden = n
    cdef double weight, most = 0.0
    if s.round != (<const State*>begun).round:
        return 0
    for i in range(n):
        weight = weigh_move(s, seat, moves[i])
        if weight <= 0.0:
            continue
        if is_hidden_card(s.phase, moves[i]):
            # They stand side by side, so the list ascends whichever stays.
            if hidden < n:
                if weight > most:
                    most = weight
                    moves[hidden] = moves[i]
                continue
            most = weight
            hidden = kept
        moves[kept] = moves[i]
        kept += 1
    return kept if kept else n
