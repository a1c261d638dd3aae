"""The rules of Contract, in the order of docs/reference/contract.md."""

from libc.stdint cimport uint8_t, uint32_t, uint64_t
from libc.string cimport memcpy, memset

from tablier_core.abi cimport move_t
from tablier_core.games.contract.state cimport (
    ACTION, BLACKMAT, BLACKMATS_2, CHASE, CHASE_TO, CONTRACT, COPPER, COPPER_CARD, COPPER_TO,
    DOLLAR, DOLLAR_UP, DONE, DRAWN_PER_ROUND, DROP, FAMILIES, FAMILIES_3, FAMILIES_4, FIRST_DOWN,
    HAND_LIMIT, JOIN, JOIN_FAMILY, KINDS, LARGEST_FAMILY, MOST_MAFIOSI, MOST_MAFIOSI_SIDE,
    MOST_SEATS, MOST_THREES, MOST_TWOS, NO_COLUMN, NOBODY, NOTHING, NOWHERE, ON, OVER, PASS, PAY,
    PAY_DOLLAR, PAY_DOWN, PENDING, PIECES, PLACE_CONTRACT, PLACE_COPPER, PLACE_DOLLAR, PLACE_DOWN,
    PLACE_TOKEN, PLACE_VICELARD, SAME_2, SAME_3, TAKE_COPPER, TOKEN, TOKENS, TWOS_3, VALUES,
    VICELARD_CARD, VICELARD_TO, WAITING,
    Options, Shuffle, State, can_play_copper, can_play_vicelard, family_at, family_of, index_of,
    is_copper_card, is_vicelard_card, kind_total, round_count, row_length, sum_kinds, value_of,
)
from tablier_core.rng cimport GAME_STREAM, Rng, rng_below, rng_next, rng_seed, shuffle
from tablier_core.scoring cimport share_win

# The Mafiosi of one seat, counted as briefcases ask for them.
cdef struct Tally:
    int family[FAMILIES]                # family cards of each family
    int families
    int largest
    int blackmats
    int twos
    int threes
    int all

# ---- Setup (reference: Seats and options) --------------------------------------------------------

cdef void setup(void* state, const void* options, Rng* rng) noexcept nogil:
    cdef State* s = <State*>state
    cdef const Options* o = <const Options*>options
    cdef int i, kind
    cdef uint64_t seed
    memset(s, 0, sizeof(State))
    s.seats = o.seats
    s.copper_points = o.copper_points
    memcpy(s.mafiosi, o.mafiosi, sizeof(s.mafiosi))
    shuffle(s.mafiosi, row_length(s) * round_count(s), rng)
    memset(s.owner, NOBODY, sizeof(s.owner))
    memset(s.column, NO_COLUMN, sizeof(s.column))
    memcpy(s.traffic, o.traffic, sizeof(s.traffic))
    shuffle(s.traffic[0], FAMILIES, rng)
    shuffle(s.traffic[1], FAMILIES, rng)
    s.tiles = o.tiles
    for i in range(s.tiles):
        s.side[i] = o.side[i][rng_below(rng, 2)]
        s.worth[i] = o.worth[i]
        s.holder[i] = NOBODY
    for kind in range(KINDS):
        memset(s.pile + s.pile_count, kind, kind_total(kind))
        s.pile_count += <uint8_t>kind_total(kind)
    shuffle(s.pile, s.pile_count, rng)
    s.first = <uint8_t>rng_below(rng, s.seats)
    s.vicelard_holder = (s.first + s.seats - 1) % s.seats
    s.copper_holder = s.copper_next = s.vicelard_next = NOBODY
    s.copper_on = s.vicelard_on = s.target = s.first_half = NOWHERE
    memset(s.supply, TOKENS, s.seats)
    # The increment of GAME_STREAM is a constant, so the packed bytes need not hold it.
    seed = <uint64_t>rng_next(rng) << 32
    rng_seed(&s.rng, seed | rng_next(rng), GAME_STREAM)
    begin_round(s)


cdef int seats(const void* state) noexcept nogil:
    return (<const State*>state).seats


cdef int phase(const void* state) noexcept nogil:
    return (<const State*>state).phase


cdef uint32_t actors(const void* state) noexcept nogil:
    cdef const State* s = <const State*>state
    return 0 if s.phase == OVER else <uint32_t>1 << s.to_move


# ---- The beginning of a round (reference: A round begins) ----------------------------------------

cdef void begin_round(State* s) noexcept nogil:
    """Deal cards from the first player on, and put the pawns at both ends of the new row."""
    cdef int step, seat, _i
    cdef uint8_t kind
    cdef Shuffle* last
    if s.shuffles:
        last = &s.shuffled[s.shuffles - 1]
        for seat in range(s.seats):
            last.drawn_before[seat] = <uint8_t>sum_kinds(last.drawn[seat])
    for step in range(s.seats):
        seat = (s.first + step) % s.seats
        for _i in range(DRAWN_PER_ROUND):
            if s.cards[seat] == HAND_LIMIT:
                break
            if s.pile_count == 0:
                reshuffle(s)
            s.pile_count -= 1
            kind = s.pile[s.pile_count]
            s.pile[s.pile_count] = 0
            s.hand[seat][kind] += 1
            s.cards[seat] += 1
            if s.shuffles:
                s.shuffled[s.shuffles - 1].drawn[seat][kind] += 1
    s.copper_pawn = 0
    s.vicelard_pawn = <uint8_t>(row_length(s) - 1)
    s.to_move = s.first
    s.phase = ACTION


cdef void reshuffle(State* s) noexcept nogil:
    """Shuffle the discards into the draw pile, and record what each seat knows about them."""
    cdef Shuffle* shuffled = &s.shuffled[s.shuffles]
    cdef int seat, kind, k
    memcpy(shuffled.up, s.discarded_up, sizeof(s.discarded_up))
    memcpy(shuffled.down, s.discarded_down, sizeof(s.discarded_down))
    for kind in range(KINDS):
        k = 0
        for seat in range(s.seats):
            k += s.discarded_up[seat][kind] + s.discarded_down[seat][kind]
        memset(s.pile + s.pile_count, kind, k)
        s.pile_count += <uint8_t>k
    shuffle(s.pile, s.pile_count, &s.rng)
    memset(s.discarded_up, 0, sizeof(s.discarded_up))
    memset(s.discarded_down, 0, sizeof(s.discarded_down))
    s.shuffles += 1


# ---- Moves (reference: Actions) ------------------------------------------------------------------

cdef bint can_play_card(const State* s, int seat, int place) noexcept nogil:
    # Any influence card can be played face down.
    return s.cards[seat] > 0 or can_play_copper(s, seat) or can_play_vicelard(s, seat, place)


cdef bint can_complete(const State* s, int seat, int place, bint influencing) noexcept nogil:
    if influencing:
        return s.supply[seat] > 0 and can_play_card(s, seat, place)
    return s.supply[seat] > 0 or can_play_card(s, seat, place)


cdef bint can_pay_vicelard(const State* s, int seat) noexcept nogil:
    return s.hand[seat][DOLLAR] > 0 or s.cards[seat] >= 2


cdef bint holds_from(const uint8_t* hand, int kind) noexcept nogil:
    cdef int k
    for k in range(kind, KINDS):
        if hand[k]:
            return True
    return False


cdef uint32_t list_actions(const State* s, int seat, move_t* out) noexcept nogil:
    cdef int place, row = row_length(s)
    cdef uint32_t n = 0
    # Tokens stay on the row all round, so a first player with all tokens has not acted yet.
    cdef bint opening = seat == s.first and s.supply[seat] == TOKENS
    for place in range(row):
        if can_complete(s, seat, place, s.tokens[place][seat] == 0):
            out[n] = ON + place
            n += 1
    if opening:
        return n
    if s.cards[seat]:
        for place in range(row):
            if place != s.copper_pawn and place != s.vicelard_pawn:
                out[n] = COPPER_TO + place
                n += 1
    if can_pay_vicelard(s, seat):
        for place in range(row):
            if place != s.vicelard_pawn:
                out[n] = VICELARD_TO + place
                n += 1
    out[n] = PASS
    return n + 1


cdef uint32_t list_pieces(const State* s, int seat, move_t* out) noexcept nogil:
    """List the pieces that may follow the last one, in the fixed order of stages."""
    cdef int kind, family, first_down = max(s.stage, FIRST_DOWN) - FIRST_DOWN
    cdef uint32_t n = 0
    if s.stage <= TOKEN and s.supply[seat]:
        out[n] = PLACE_TOKEN
        n += 1
    # An influence needs a token, and tokens come first.
    if s.influencing and s.stage == NOTHING:
        return n
    family = family_at(s, s.target)
    if s.stage <= CONTRACT and family != BLACKMAT and s.hand[seat][family]:
        out[n] = PLACE_CONTRACT
        n += 1
    if s.stage <= DOLLAR_UP and s.hand[seat][DOLLAR]:
        out[n] = PLACE_DOLLAR
        n += 1
    if s.stage <= VICELARD_CARD and can_play_vicelard(s, seat, s.target):
        out[n] = PLACE_VICELARD
        n += 1
    if s.stage <= COPPER_CARD and can_play_copper(s, seat):
        out[n] = PLACE_COPPER
        n += 1
    for kind in range(first_down, KINDS):
        if s.hand[seat][kind]:
            out[n] = PLACE_DOWN + kind
            n += 1
    if s.stage > (TOKEN if s.influencing else NOTHING):
        out[n] = DONE
        n += 1
    return n


cdef uint32_t list_payments(const State* s, int seat, move_t* out) noexcept nogil:
    cdef const uint8_t* hand = s.hand[seat]
    cdef bint first_of_two = s.paying_vicelard and s.first_half == NOWHERE
    cdef int kind, lowest = 0 if s.first_half == NOWHERE else s.first_half
    cdef uint32_t n = 0
    if first_of_two and hand[DOLLAR]:
        out[n] = PAY_DOLLAR
        n += 1
    for kind in range(lowest, KINDS):
        # The second half is of the same or a later kind, so such a card must remain.
        if hand[kind] and (not first_of_two or hand[kind] > 1 or holds_from(hand, kind + 1)):
            out[n] = PAY_DOWN + kind
            n += 1
    return n


cdef uint32_t list_chases(const State* s, move_t* out) noexcept nogil:
    cdef int place
    cdef uint32_t n = 0
    for place in range(row_length(s)):
        if place != s.copper_pawn:
            out[n] = CHASE_TO + place
            n += 1
    return n


cdef uint32_t list_joins(const State* s, int seat, move_t* out) noexcept nogil:
    cdef int family, mask = column_mask(s, seat)
    cdef uint32_t n = 0
    for family in range(FAMILIES):
        if mask >> family & 1:
            out[n] = JOIN_FAMILY + family
            n += 1
    return n


cdef uint32_t list_drops(const State* s, int seat, move_t* out) noexcept nogil:
    """List the other seats' cards of the family that was just won, and taking the Copper card."""
    cdef int family = family_at(s, s.counted), other, i, value
    cdef uint32_t values, n = 0
    for other in range(s.seats):
        if other == seat:
            continue
        values = 0
        for i in range(MOST_MAFIOSI):
            if s.owner[i] == other and family_of(s.mafiosi[i]) == family:
                values |= <uint32_t>1 << value_of(s.mafiosi[i])
        for value in range(VALUES):
            if values >> value & 1:
                out[n] = DROP + (other * FAMILIES + family) * VALUES + value
                n += 1
    out[n] = TAKE_COPPER
    return n + 1


cdef uint32_t moves(const void* state, int seat, move_t* out) noexcept nogil:
    cdef const State* s = <const State*>state
    if s.phase == OVER or seat != s.to_move:
        return 0
    if s.phase == ACTION:
        return list_actions(s, seat, out)
    if s.phase == PIECES:
        return list_pieces(s, seat, out)
    if s.phase == PAY:
        return list_payments(s, seat, out)
    if s.phase == JOIN:
        return list_joins(s, seat, out)
    if s.phase == COPPER:
        return list_drops(s, seat, out)
    return list_chases(s, out)


# ---- Actions (reference: Actions) ----------------------------------------------------------------

cdef void begin_action(State* s, int seat, move_t move) noexcept nogil:
    if move == PASS:
        s.passes += 1
        end_turn(s)
        return
    s.passes = 0
    if move >= COPPER_TO:
        s.phase = PAY
        s.paying_vicelard = move >= VICELARD_TO
        s.target = <uint8_t>(move - (VICELARD_TO if move >= VICELARD_TO else COPPER_TO))
    else:
        s.phase = PIECES
        s.target = <uint8_t>(move - ON)
        s.influencing = s.tokens[s.target][seat] == 0


cdef void place_piece(State* s, int seat, move_t move) noexcept nogil:
    cdef int kind, place = s.target
    if move == DONE:
        end_turn(s)
        return
    s.stage = <uint8_t>(move - PLACE_TOKEN + TOKEN)
    if move == PLACE_TOKEN:
        s.supply[seat] -= 1
        s.tokens[place][seat] += 1
    elif move == PLACE_VICELARD:
        s.vicelard_on = <uint8_t>place
    elif move == PLACE_COPPER:
        s.copper_on = <uint8_t>place
    else:
        s.cards[seat] -= 1
        if move == PLACE_CONTRACT:
            s.hand[seat][family_at(s, place)] -= 1
            s.contracts[place][seat] += 1
        elif move == PLACE_DOLLAR:
            s.hand[seat][DOLLAR] -= 1
            s.dollars[place][seat] += 1
        else:
            kind = <int>(move - PLACE_DOWN)
            s.hand[seat][kind] -= 1
            s.down[place][seat][kind] += 1
            s.just_down[kind] += 1


cdef void pay(State* s, int seat, move_t move) noexcept nogil:
    """Pay with a card. The pawn moves once the price is paid in full."""
    cdef int kind = DOLLAR if move == PAY_DOLLAR else <int>(move - PAY_DOWN)
    s.hand[seat][kind] -= 1
    s.cards[seat] -= 1
    if move == PAY_DOLLAR:
        s.paid_up[seat] += 1
    else:
        s.paid_down[seat][kind] += 1
        if s.paying_vicelard and s.first_half == NOWHERE:
            s.first_half = <uint8_t>kind
            return
    if not s.paying_vicelard:
        s.copper_pawn = s.target
    else:
        s.vicelard_pawn = s.target
        if s.copper_pawn == s.vicelard_pawn:
            s.phase = CHASE
            s.target = s.first_half = NOWHERE
            s.paying_vicelard = 0
            return
    end_turn(s)


cdef void end_turn(State* s) noexcept nogil:
    """Pass the turn to the next seat, or count the row when all have passed in succession."""
    s.target = NOWHERE
    s.influencing = 0
    s.stage = NOTHING
    s.paying_vicelard = 0
    s.first_half = NOWHERE
    memset(s.just_down, 0, sizeof(s.just_down))
    s.to_move = s.to_move + 1 if s.to_move + 1 < s.seats else 0
    s.phase = ACTION
    if s.passes == s.seats:
        s.passes = 0
        count_on(s)


cdef void apply(void* state, int seat, move_t move) noexcept nogil:
    cdef State* s = <State*>state
    cdef int card
    if s.phase == ACTION:
        begin_action(s, seat, move)
    elif s.phase == PIECES:
        place_piece(s, seat, move)
    elif s.phase == PAY:
        pay(s, seat, move)
    elif s.phase == CHASE:
        s.copper_pawn = <uint8_t>(move - CHASE_TO)
        end_turn(s)
    elif s.phase == JOIN:
        join_column(s, <int>(move - JOIN_FAMILY))
    elif move == TAKE_COPPER:
        s.copper_next = <uint8_t>seat
        s.counted += 1
        count_on(s)
    else:
        card = <int>(move - DROP) % (FAMILIES * VALUES)
        drop_mafioso(
            s, <int>(move - DROP) // (FAMILIES * VALUES), 32 * (card // VALUES) + card % VALUES
        )


# ---- Influence (reference: Influence points) -----------------------------------------------------

cdef int points_at(const State* s, int place, int seat) noexcept nogil:
    cdef int points
    # A seat has no cards on a Mafioso without a token there.
    if s.tokens[place][seat] == 0:
        return 0
    points = 2 * s.tokens[place][seat] + 4 * s.contracts[place][seat] + 2 * s.dollars[place][seat]
    points += sum_kinds(s.down[place][seat])
    if is_vicelard_card(s, place, seat):
        points += 2 if family_at(s, place) == BLACKMAT else 4
    if is_copper_card(s, place, seat):
        points += s.copper_points
    return points


cdef int winner_at(const State* s, int place) noexcept nogil:
    cdef int seat, points, best = 0, winner = NOBODY
    for seat in range(s.seats):
        points = points_at(s, place, seat)
        if points > best:
            best = points
            winner = seat
        elif points == best:
            winner = NOBODY
    return winner


# ---- Counting (reference: Counting) --------------------------------------------------------------

cdef void count_on(State* s) noexcept nogil:
    """Count from the current place on, until a seat has to decide or the round is over."""
    cdef int winner
    while s.counted < row_length(s):
        winner = winner_at(s, s.counted)
        if winner != NOBODY and receive(s, winner, s.counted):
            return
        s.counted += 1
    end_round(s)


cdef bint receive(State* s, int seat, int place) noexcept nogil:
    """Give the Mafioso at a place to a seat; return whether a seat has to decide something now."""
    cdef int index = index_of(s, place), family = family_of(s.mafiosi[index]), other, i
    s.owner[index] = <uint8_t>seat
    if place == s.vicelard_pawn:
        s.vicelard_next = <uint8_t>seat
    if family == BLACKMAT:
        s.column[index] = PENDING if column_mask(s, seat) else WAITING
        take_briefcases(s, seat)
        if place == s.copper_pawn:
            s.copper_next = <uint8_t>seat
        if s.column[index] == WAITING:
            return False
        s.phase = JOIN
        s.to_move = <uint8_t>seat
        return True
    s.column[index] = <uint8_t>family
    for i in range(index):
        if s.column[i] == WAITING and s.owner[i] == seat:
            s.column[i] = <uint8_t>family
    take_briefcases(s, seat)
    if place != s.copper_pawn:
        return False
    for other in range(s.seats):
        if other != seat and holds_family(s, other, family):
            s.phase = COPPER
            s.to_move = <uint8_t>seat
            return True
    s.copper_next = <uint8_t>seat
    return False


cdef bint holds_family(const State* s, int seat, int family) noexcept nogil:
    cdef int i
    for i in range(MOST_MAFIOSI):
        if s.column[i] == family and s.owner[i] == seat and family_of(s.mafiosi[i]) == family:
            return True
    return False


cdef int column_mask(const State* s, int seat) noexcept nogil:
    cdef int i, mask = 0
    for i in range(MOST_MAFIOSI):
        if s.column[i] < FAMILIES and s.owner[i] == seat and s.mafiosi[i] < 32 * BLACKMAT:
            mask |= 1 << s.column[i]
    return mask


cdef int next_pending(const State* s) noexcept nogil:
    """Return the index of the lowest Blackmat that has to join a column, or -1."""
    cdef int i, found = -1
    for i in range(MOST_MAFIOSI):
        if s.column[i] == PENDING and (found < 0 or s.mafiosi[i] < s.mafiosi[found]):
            found = i
    return found


cdef void join_column(State* s, int family) noexcept nogil:
    s.column[next_pending(s)] = <uint8_t>family
    if next_pending(s) < 0:
        s.counted += 1
        count_on(s)


cdef void drop_mafioso(State* s, int seat, int code) noexcept nogil:
    """Take a family card from a seat. Blackmats that lose their column move or wait."""
    cdef int i, family = family_of(code), refuge
    for i in range(MOST_MAFIOSI):
        if s.owner[i] == seat and s.mafiosi[i] == code:
            s.owner[i] = NOBODY
            s.column[i] = NO_COLUMN
    if not holds_family(s, seat, family):
        refuge = PENDING if column_mask(s, seat) else WAITING
        for i in range(MOST_MAFIOSI):
            if s.column[i] == family and s.owner[i] == seat:
                s.column[i] = <uint8_t>refuge
        if next_pending(s) >= 0:
            s.phase = JOIN
            s.to_move = <uint8_t>seat
            return
    s.counted += 1
    count_on(s)


# ---- The end of a round (reference: A round ends) ------------------------------------------------

cdef void add_up_now(const State* s, int seat, int* kinds) noexcept nogil:
    cdef int place, family
    for place in range(row_length(s)):
        family = family_at(s, place)
        if family != BLACKMAT:
            kinds[family] += s.contracts[place][seat]
        kinds[DOLLAR] += s.dollars[place][seat]
    kinds[DOLLAR] += s.paid_up[seat]


cdef void add_down_now(const State* s, int seat, int* kinds) noexcept nogil:
    cdef int place, kind
    for kind in range(KINDS):
        for place in range(row_length(s)):
            kinds[kind] += s.down[place][seat][kind]
        kinds[kind] += s.paid_down[seat][kind]


cdef void clear_row(State* s) noexcept nogil:
    cdef int place, seat, kind, family
    for place in range(row_length(s)):
        family = family_at(s, place)
        for seat in range(s.seats):
            if s.tokens[place][seat] == 0:
                continue
            if family != BLACKMAT:
                s.discarded_up[seat][family] += s.contracts[place][seat]
            s.discarded_up[seat][DOLLAR] += s.dollars[place][seat]
            for kind in range(KINDS):
                s.discarded_down[seat][kind] += s.down[place][seat][kind]
    memset(s.tokens, 0, sizeof(s.tokens))
    memset(s.contracts, 0, sizeof(s.contracts))
    memset(s.dollars, 0, sizeof(s.dollars))
    memset(s.down, 0, sizeof(s.down))
    for seat in range(s.seats):
        s.supply[seat] = TOKENS
        s.discarded_up[seat][DOLLAR] += s.paid_up[seat]
        for kind in range(KINDS):
            s.discarded_down[seat][kind] += s.paid_down[seat][kind]
    memset(s.paid_up, 0, sizeof(s.paid_up))
    memset(s.paid_down, 0, sizeof(s.paid_down))
    s.vicelard_holder = s.vicelard_next
    s.copper_holder = s.copper_next
    s.vicelard_on = s.copper_on = NOWHERE
    s.vicelard_next = s.copper_next = NOBODY


cdef void end_round(State* s) noexcept nogil:
    cdef int tile
    s.counted = 0
    if s.round + 1 < round_count(s):
        clear_row(s)
        s.round += 1
        s.first = (s.first + 1) % s.seats
        begin_round(s)
        return
    # The row stays as it is: a seat that has drawn from a shuffled pile remembers which cards were
    # discarded before that, and only the row tells these from the cards of the last round.
    s.phase = OVER
    s.to_move = s.first
    for tile in range(s.tiles):
        if s.side[tile] >= MOST_MAFIOSI_SIDE:
            s.holder[tile] = <uint8_t>most_holder(s, s.side[tile])


# ---- Briefcases (reference: Briefcases) ----------------------------------------------------------

cdef void tally_seat(const State* s, int seat, Tally* tally) noexcept nogil:
    cdef int i, family, value
    for family in range(FAMILIES):
        tally.family[family] = 0
    tally.families = tally.largest = tally.blackmats = tally.twos = tally.threes = tally.all = 0
    for i in range(MOST_MAFIOSI):
        if s.column[i] == NO_COLUMN or s.owner[i] != seat:
            continue
        family = family_of(s.mafiosi[i])
        value = value_of(s.mafiosi[i])
        tally.all += 1
        tally.twos += value == 2
        tally.threes += value == 3
        if family == BLACKMAT:
            tally.blackmats += 1
        else:
            tally.family[family] += 1
    for family in range(FAMILIES):
        tally.families += tally.family[family] > 0
        tally.largest = max(tally.largest, tally.family[family])


cdef bint is_reached(const Tally* tally, int side) noexcept nogil:
    """Whether a tally has what a "first to" briefcase asks for."""
    if side == FAMILIES_3:
        return tally.families >= 3
    if side == FAMILIES_4:
        return tally.families >= 4
    if side == SAME_2:
        return tally.largest >= 2
    if side == SAME_3:
        return tally.largest >= 3
    if side == BLACKMATS_2:
        return tally.blackmats >= 2
    return side == TWOS_3 and tally.twos >= 3


cdef bint has_reached(const State* s, int seat, int side) noexcept nogil:
    cdef Tally tally
    tally_seat(s, seat, &tally)
    return is_reached(&tally, side)


cdef void take_briefcases(State* s, int seat) noexcept nogil:
    """Award "first to" briefcases to a seat that has just received a Mafioso."""
    cdef Tally tally
    cdef int tile
    tally_seat(s, seat, &tally)
    for tile in range(s.tiles):
        if s.holder[tile] == NOBODY and is_reached(&tally, s.side[tile]):
            s.holder[tile] = <uint8_t>seat


cdef int most_holder(const State* s, int side) noexcept nogil:
    cdef Tally tally
    cdef int seat, size, best = -1, holder = NOBODY
    for seat in range(s.seats):
        tally_seat(s, seat, &tally)
        size = tally.all
        if side == LARGEST_FAMILY:
            size = tally.largest
        elif side == MOST_THREES:
            size = tally.threes
        elif side == MOST_TWOS:
            size = tally.twos
        if size > best:
            best = size
            holder = seat
        elif size == best:
            holder = NOBODY
    return holder


# ---- Scoring (reference: Scoring) ----------------------------------------------------------------

cdef void rank_family(const State* s, int family, int* winners) noexcept nogil:
    cdef int sums[MOST_SEATS]
    cdef int highest[MOST_SEATS]        # family card, -1 without any
    cdef int i, seat, order
    for seat in range(MOST_SEATS):
        sums[seat] = 0
        highest[seat] = -1
    for i in range(MOST_MAFIOSI):
        if s.column[i] == family:
            seat = s.owner[i]
            sums[seat] += value_of(s.mafiosi[i])
            if family_of(s.mafiosi[i]) == family:
                highest[seat] = max(highest[seat], value_of(s.mafiosi[i]))
    for order in range(2):
        winners[order] = NOBODY
        for seat in range(s.seats):
            if highest[seat] < 0:
                continue
            # No two seats have the same highest card, so this settles every tie.
            if winners[order] == NOBODY or sums[seat] > sums[winners[order]] or (
                sums[seat] == sums[winners[order]] and highest[seat] > highest[winners[order]]
            ):
                winners[order] = seat
        if winners[order] != NOBODY:
            highest[winners[order]] = -1


cdef void scores(const void* state, double* out) noexcept nogil:
    """Add up briefcases as soon as they are taken, and traffics when the game is over."""
    cdef const State* s = <const State*>state
    cdef int winners[2]
    cdef int seat, tile, family, order
    for seat in range(s.seats):
        out[seat] = 0.0
    for tile in range(s.tiles):
        if s.holder[tile] != NOBODY:
            out[s.holder[tile]] += s.worth[tile]
    if s.phase != OVER:
        return
    for family in range(FAMILIES):
        rank_family(s, family, winners)
        for order in range(2):
            if winners[order] != NOBODY:
                out[winners[order]] += s.traffic[order][family]


cdef void returns(const void* state, double* out) noexcept nogil:
    scores(state, out)
    share_win(out, (<const State*>state).seats, out)
