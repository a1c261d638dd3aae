"""Contract: its moves, rounds, counting and end, its notation, and last the table of all.

The rules page is docs/reference/contract.md. What a state holds is in state.pxd, its bytes are in
layout.pxd, and what the seats know of it is in knowledge.pxd.
"""

from cpython.pycapsule cimport PyCapsule_New
from libc.stddef cimport size_t
from libc.stdint cimport uint8_t, uint32_t, uint64_t
from libc.string cimport memcmp, memcpy, memset, strlen

from tablier_core.abi cimport MAX_NOTATION, GameOps, move_t
from tablier_core.games.contract.engine cimport evaluate, narrow, rank
from tablier_core.games.contract.knowledge cimport determinize, infoset, veil
from tablier_core.games.contract.layout cimport FAULTS, pack, unpack
from tablier_core.games.contract.moves cimport (
    ACTIONS, CHASE_TO, COPPER_TO, DONE, DROP, JOIN_FAMILY, MAX_MOVES, ON, PASS, PAY_DOLLAR,
    PAY_DOWN, PLACE_CONTRACT, PLACE_COPPER, PLACE_DOLLAR, PLACE_DOWN, PLACE_TOKEN, PLACE_VICELARD,
    TAKE_COPPER, VICELARD_TO,
)
from tablier_core.games.contract.state cimport (
    ACTION, BLACKMAT, CHASE, CONTRACT, COPPER, COPPER_CARD, DOLLAR, DOLLAR_UP, DRAWN_A_ROUND,
    FAMILIES, FIRST_DOWN, HAND_LIMIT, JOIN, KINDS, MOST_MAFIOSI, MOST_MAFIOSI_SIDE,
    MOST_SEATS, MOST_TILES, NO_COLUMN, NOBODY, NOTHING, NOWHERE, OVER, PAY, PENDING, PIECES,
    TOKEN, TOKENS, VALUES, VICELARD_CARD, WAITING,
    Shuffle, State, Tally, can_complete, can_pay_vicelard, can_play_copper, can_play_vicelard,
    column_mask, family_at, family_of, holds_family, holds_from, index_of, is_counting, kind_total,
    most_holder, points_at, round_count, row_length, shuffle, side_reached, sum_kinds, tally_seat,
    value_known, value_of, winner_at,
)
from tablier_core.rng cimport GAME_STREAM, Rng, rng_below, rng_next, rng_seed

from tablier_core.games.contract.options import (
    SIDES, read_briefcases, read_halves, read_mafiosi, read_traffics,
)

# ---- Facts and constants -------------------------------------------------------------------------

cdef struct Options:
    uint8_t seats
    uint8_t copper_points               # in halves
    uint8_t mafiosi[MOST_MAFIOSI]       # codes; the 2s are gone where the page removes them
    uint8_t traffic[2][FAMILIES]
    uint8_t tiles                       # that take part with this number of seats
    uint8_t side[MOST_TILES][2]
    uint8_t worth[MOST_TILES]

# ---- Moves ---------------------------------------------------------------------------------------

cdef uint32_t list_actions(const State* s, int seat, move_t* out) noexcept nogil:
    cdef int place, row = row_length(s)
    cdef uint32_t n = 0
    # Tokens stay on the row all round, so the first player has acted once one of its own is there.
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
    """What may still be placed: nothing that belongs before the last piece."""
    cdef int kind, family, first_down = max(s.floor, FIRST_DOWN) - FIRST_DOWN
    cdef uint32_t n = 0
    if s.floor <= TOKEN and s.supply[seat]:
        out[n] = PLACE_TOKEN
        n += 1
    # An influence needs a token, and tokens come first.
    if s.fresh and s.floor == NOTHING:
        return n
    family = family_at(s, s.target)
    if s.floor <= CONTRACT and family != BLACKMAT and s.hand[seat][family]:
        out[n] = PLACE_CONTRACT
        n += 1
    if s.floor <= DOLLAR_UP and s.hand[seat][DOLLAR]:
        out[n] = PLACE_DOLLAR
        n += 1
    if s.floor <= VICELARD_CARD and can_play_vicelard(s, seat, s.target):
        out[n] = PLACE_VICELARD
        n += 1
    if s.floor <= COPPER_CARD and can_play_copper(s, seat):
        out[n] = PLACE_COPPER
        n += 1
    for kind in range(first_down, KINDS):
        if s.hand[seat][kind]:
            out[n] = PLACE_DOWN + kind
            n += 1
    if s.floor > (TOKEN if s.fresh else NOTHING):
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
        # The second half may not be of an earlier kind than the first, so one must be left.
        if hand[kind] and (not first_of_two or hand[kind] > 1 or holds_from(hand, kind + 1)):
            out[n] = PAY_DOWN + kind
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
    """Every other seat's cards of the family that was just won, or the Copper card."""
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
    cdef int place
    cdef uint32_t n = 0
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
    for place in range(row_length(s)):
        if place != s.copper_pawn:
            out[n] = CHASE_TO + place
            n += 1
    return n


# ---- Rounds --------------------------------------------------------------------------------------

cdef void reshuffle(State* s) noexcept nogil:
    """The discards become the draw pile, and the seats remember what they know of them."""
    cdef Shuffle* shuffled = &s.shuffled[s.shuffles]
    cdef int seat, kind, k
    memcpy(shuffled.up, s.gone_up, sizeof(s.gone_up))
    memcpy(shuffled.down, s.gone_down, sizeof(s.gone_down))
    for kind in range(KINDS):
        k = 0
        for seat in range(s.seats):
            k += s.gone_up[seat][kind] + s.gone_down[seat][kind]
        memset(s.pile + s.pile_count, kind, k)
        s.pile_count += <uint8_t>k
    shuffle(s.pile, s.pile_count, &s.rng)
    memset(s.gone_up, 0, sizeof(s.gone_up))
    memset(s.gone_down, 0, sizeof(s.gone_down))
    s.shuffles += 1


cdef void begin_round(State* s) noexcept nogil:
    """Deal, seat by seat from the first player, and put the pawns at both ends of the new row."""
    cdef int step, seat, _i
    cdef uint8_t kind
    for step in range(s.seats):
        seat = (s.first + step) % s.seats
        for _i in range(DRAWN_A_ROUND):
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


cdef void clear_row(State* s) noexcept nogil:
    """Tokens return and all that was played or paid is discarded."""
    cdef int place, seat, kind, family
    cdef Shuffle* last
    for place in range(row_length(s)):
        family = family_at(s, place)
        for seat in range(s.seats):
            if s.tokens[place][seat] == 0:
                continue
            if family != BLACKMAT:
                s.gone_up[seat][family] += s.contracts[place][seat]
            s.gone_up[seat][DOLLAR] += s.dollars[place][seat]
            for kind in range(KINDS):
                s.gone_down[seat][kind] += s.down[place][seat][kind]
    memset(s.tokens, 0, sizeof(s.tokens))
    memset(s.contracts, 0, sizeof(s.contracts))
    memset(s.dollars, 0, sizeof(s.dollars))
    memset(s.down, 0, sizeof(s.down))
    for seat in range(s.seats):
        s.supply[seat] = TOKENS
        s.gone_up[seat][DOLLAR] += s.paid_up[seat]
        for kind in range(KINDS):
            s.gone_down[seat][kind] += s.paid_down[seat][kind]
        if s.shuffles:
            last = &s.shuffled[s.shuffles - 1]
            last.drawn_before[seat] = <uint8_t>sum_kinds(last.drawn[seat])
    memset(s.paid_up, 0, sizeof(s.paid_up))
    memset(s.paid_down, 0, sizeof(s.paid_down))


cdef void end_round(State* s) noexcept nogil:
    cdef int tile
    clear_row(s)
    s.counted = 0
    s.vicelard_holder = s.vicelard_next
    s.copper_holder = s.copper_next
    s.vicelard_on = s.copper_on = NOWHERE
    s.vicelard_next = s.copper_next = NOBODY
    if s.round + 1 < round_count(s):
        s.round += 1
        s.first = (s.first + 1) % s.seats
        begin_round(s)
        return
    s.phase = OVER
    s.to_move = s.first
    for tile in range(s.tiles):
        if s.side[tile] >= MOST_MAFIOSI_SIDE:
            s.holder[tile] = <uint8_t>most_holder(s, s.side[tile])


# ---- Counting ------------------------------------------------------------------------------------

cdef void take_briefcases(State* s, int seat) noexcept nogil:
    """The "first to" bonuses of a seat that has just received a Mafioso."""
    cdef Tally tally
    cdef int tile
    tally_seat(s, seat, &tally)
    for tile in range(s.tiles):
        if s.holder[tile] == NOBODY and side_reached(&tally, s.side[tile]):
            s.holder[tile] = <uint8_t>seat


cdef bint receive(State* s, int seat, int place) noexcept nogil:
    """A seat takes the Mafioso at a place. Whether somebody has to decide something now."""
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


cdef void count_on(State* s) noexcept nogil:
    """Count from the current place on, until somebody has to decide or the round is over."""
    cdef int winner
    while s.counted < row_length(s):
        winner = winner_at(s, s.counted)
        if winner != NOBODY and receive(s, winner, s.counted):
            return
        s.counted += 1
    end_round(s)


cdef int next_pending(const State* s) noexcept nogil:
    """The lowest Blackmat that has to join a column, or -1."""
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
    """A seat loses a family card; Blackmats whose column is gone move or wait."""
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


# ---- Apply ---------------------------------------------------------------------------------------

cdef void end_turn(State* s) noexcept nogil:
    """The next seat's turn, or the counting when all have passed in succession."""
    s.target = NOWHERE
    s.fresh = 0
    s.floor = NOTHING
    s.paying_vicelard = 0
    s.first_half = NOWHERE
    memset(s.just_down, 0, sizeof(s.just_down))
    s.to_move = s.to_move + 1 if s.to_move + 1 < s.seats else 0
    s.phase = ACTION
    if s.passes == s.seats:
        s.passes = 0
        count_on(s)


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
        s.fresh = s.tokens[s.target][seat] == 0


cdef void place_piece(State* s, int seat, move_t move) noexcept nogil:
    cdef int kind, place = s.target
    if move == DONE:
        end_turn(s)
        return
    s.floor = <uint8_t>(move - PLACE_TOKEN + TOKEN)
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
    """A payment, and with the last of it the pawn moves."""
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
    # Its own stream's increment need not be kept among the bytes.
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


# ---- Scoring -------------------------------------------------------------------------------------

cdef void rank_family(const State* s, int family, int* winners) noexcept nogil:
    """The seats that get the first and the second traffic of a family, or NOBODY."""
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
    """Briefcases as soon as they are taken; traffics when the game is over."""
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
    cdef const State* s = <const State*>state
    cdef double best = -1.0
    cdef int seat, winners = 0
    cdef double points[MOST_SEATS]
    scores(state, points)
    for seat in range(s.seats):
        if points[seat] > best:
            best = points[seat]
            winners = 0
        winners += points[seat] == best
    for seat in range(s.seats):
        out[seat] = 2.0 / winners - 1.0 if points[seat] == best else -1.0


# ---- Notation ------------------------------------------------------------------------------------

cdef const char* kind_name(int kind) noexcept nogil:
    if kind == 0:
        return b"brakova"
    if kind == 1:
        return b"yakaz"
    if kind == 2:
        return b"rodrigos"
    if kind == 3:
        return b"costa"
    return b"dollar"


cdef const char* stem_of(move_t move, int* number, int* kind) noexcept nogil:
    """The words of a move; `number` and `kind` are what follows them, -1 for neither."""
    number[0] = kind[0] = -1
    if move < PLACE_TOKEN:
        number[0] = <int>(move - ON) + 1
        return b"on"
    if move < PLACE_DOWN:
        if move == PLACE_TOKEN:
            return b"token"
        if move == PLACE_CONTRACT:
            return b"contract"
        if move == PLACE_DOLLAR:
            return b"dollar"
        return b"vicelard" if move == PLACE_VICELARD else b"copper"
    if move < DONE:
        kind[0] = <int>(move - PLACE_DOWN)
        return b"down"
    if move == DONE:
        return b"done"
    if move < VICELARD_TO:
        number[0] = <int>(move - COPPER_TO) + 1
        return b"copper-to"
    if move < PAY_DOLLAR:
        number[0] = <int>(move - VICELARD_TO) + 1
        return b"vicelard-to"
    if move == PAY_DOLLAR:
        return b"pay dollar"
    if move < CHASE_TO:
        kind[0] = <int>(move - PAY_DOWN)
        return b"pay down"
    if move < PASS:
        number[0] = <int>(move - CHASE_TO) + 1
        return b"chase"
    if move == PASS:
        return b"pass"
    if move < DROP:
        kind[0] = <int>(move - JOIN_FAMILY)
        return b"join"
    if move == TAKE_COPPER:
        return b"take-copper"
    number[0] = <int>(move - DROP) // (FAMILIES * VALUES)
    kind[0] = <int>(move - DROP) // VALUES % FAMILIES
    return b"drop"


cdef int put_text(char* out, const char* text) noexcept nogil:
    cdef size_t length = strlen(text)
    memcpy(out, text, length)
    return <int>length


cdef int put_number(char* out, int number) noexcept nogil:
    """A space and one or two digits."""
    cdef int n = 0
    out[n] = b" "
    if number >= 10:
        n += 1
        out[n] = <char>(48 + number // 10)
    n += 1
    out[n] = <char>(48 + number % 10)
    return n + 1


cdef int write_move(move_t move, char* out) noexcept nogil:
    cdef int number, kind
    cdef int n = put_text(out, stem_of(move, &number, &kind))
    if number >= 0:
        n += put_number(out + n, number)
    if kind >= 0:
        out[n] = b" "
        n += 1
        n += put_text(out + n, kind_name(kind))
    if DROP <= move < TAKE_COPPER:
        n += put_number(out + n, <int>(move - DROP) % VALUES)
    return n


cdef long read_move(const char* text, size_t length) noexcept nogil:
    """Only what `write_move` spells is a move, and there are few of them: compare with each."""
    cdef char spelling[MAX_NOTATION]
    cdef move_t move
    cdef bint drops = length > 4 and text[0] == b"d" and text[1] == b"r"
    for move in range(DROP if drops else 0, ACTIONS):
        if not drops and DROP <= move < TAKE_COPPER:
            continue
        if <size_t>write_move(move, spelling) == length and not memcmp(spelling, text, length):
            return move
    return -1


# ---- Options and facts, for Python ---------------------------------------------------------------

def pack_options(values):
    """Fill the options struct from checked values."""
    cdef Options o
    cdef State s
    cdef int i, order
    memset(&o, 0, sizeof(o))
    o.seats = s.seats = values["seats"]
    o.copper_points = read_halves(values["copper_card"])
    codes = read_mafiosi(values["mafiosi"], o.seats, row_length(&s) * round_count(&s))
    for i, (family, value) in enumerate(codes):
        o.mafiosi[i] = 32 * <int>family + <int>value
    for order, tiles in enumerate(read_traffics(values["traffics"])):
        for i in range(FAMILIES):
            o.traffic[order][i] = tiles[i]
    briefcases = read_briefcases(values["briefcases"], o.seats)
    o.tiles = len(briefcases)
    for i, (one, other, worth) in enumerate(briefcases):
        o.side[i][0] = one
        o.side[i][1] = other
        o.worth[i] = worth
    return (<const char*>&o)[:sizeof(o)]


cdef tuple kinds_of(const uint8_t* kinds):
    return tuple([kinds[kind] for kind in range(KINDS)])


cdef by_seat(const State* s, const uint8_t* kinds):
    """Five kinds for each seat."""
    return [kinds_of(kinds + KINDS * seat) for seat in range(s.seats)]


cdef seat_or_none(int seat):
    return None if seat == NOBODY else seat


cdef stakes(const State* s, int place):
    """What every seat has on a Mafioso, and its points in halves; None for nothing."""
    return [
        None if s.tokens[place][seat] == 0 else {
            "tokens": s.tokens[place][seat],
            "contracts": s.contracts[place][seat],
            "dollars": s.dollars[place][seat],
            "down": kinds_of(s.down[place][seat]),
            "vicelard": s.vicelard_on == place and s.vicelard_holder == seat,
            "copper": s.copper_on == place and s.copper_holder == seat,
            "halves": points_at(s, place, seat),
        }
        for seat in range(s.seats)
    ]


cdef traffic_winners(const State* s):
    """By family, the seats that get the two traffics."""
    cdef int winners[2]
    cdef int family
    found = []
    for family in range(FAMILIES):
        rank_family(s, family, winners)
        found.append((seat_or_none(winners[0]), seat_or_none(winners[1])))
    return found


def facts(bytes packed, int viewer):
    """What a viewer sees of a packed state, by name.

    Of cards whose kind it does not see, the number stands where that of the first kind would. Of a
    Mafioso whose value it does not see the value is 31; the hidden deck is in `mafiosi` for the
    referee alone.
    """
    cdef State s
    cdef State seen
    cdef const uint8_t* data = packed
    cdef int i
    if unpack(&s, data, len(packed)):
        raise ValueError("not a packed state of this game")
    memcpy(&seen, &s, sizeof(State))
    veil(&seen, viewer)
    total = row_length(&s) * round_count(&s)
    laid = total if s.phase == OVER else (s.round + 1) * row_length(&s)
    return {
        "seats": s.seats,
        "round": s.round,
        "rounds": round_count(&s),
        "first": s.first,
        "to_move": s.to_move,
        "passes": s.passes,
        "row": 0 if s.phase == OVER else row_length(&s),
        "counted": counted_places(&s),
        "copper_pawn": s.copper_pawn,
        "vicelard_pawn": s.vicelard_pawn,
        "copper": (
            seat_or_none(s.copper_holder), seat_or_none(s.copper_on), seat_or_none(s.copper_next)
        ),
        "vicelard": (
            seat_or_none(s.vicelard_holder), seat_or_none(s.vicelard_on),
            seat_or_none(s.vicelard_next),
        ),
        "copper_halves": s.copper_points,
        "target": seat_or_none(s.target),
        "influencing": bool(s.fresh),
        "floor": seen.floor,
        "paying_vicelard": bool(s.paying_vicelard),
        "first_half": seat_or_none(seen.first_half),
        "just_down": kinds_of(seen.just_down),
        "hands": by_seat(&seen, seen.hand[0]),
        "supply": [s.supply[i] for i in range(s.seats)],
        "stakes": [stakes(&seen, i) for i in range(row_length(&s))],
        "paid_up": [s.paid_up[i] for i in range(s.seats)],
        "paid_down": by_seat(&seen, seen.paid_down[0]),
        "gone_up": by_seat(&seen, seen.gone_up[0]),
        "gone_down": by_seat(&seen, seen.gone_down[0]),
        "pile_count": s.pile_count,
        "pile": [seen.pile[i] for i in range(s.pile_count)],
        "shuffled": [
            {
                "up": by_seat(&seen, seen.shuffled[i].up[0]),
                "down": by_seat(&seen, seen.shuffled[i].down[0]),
                "drawn": by_seat(&seen, seen.shuffled[i].drawn[0]),
                "drawn_before": [seen.shuffled[i].drawn_before[seat] for seat in range(s.seats)],
            }
            for i in range(s.shuffles)
        ],
        "laid": laid,
        "mafiosi": [
            (family_of(seen.mafiosi[i]), value_of(seen.mafiosi[i]))
            for i in range(total if viewer < 0 else laid)
        ],
        "owners": [(seat_or_none(s.owner[i]), s.column[i]) for i in range(laid)],
        "unseen": sorted([
            (family_of(s.mafiosi[i]), value_of(s.mafiosi[i]))
            for i in range(total) if not value_known(&s, i)
        ]),
        "traffics": [[s.traffic[i][family] for family in range(FAMILIES)] for i in range(2)],
        "traffic_winners": traffic_winners(&s) if s.phase == OVER else [(None, None)] * FAMILIES,
        "briefcases": [
            (SIDES[s.side[i]], s.worth[i], seat_or_none(s.holder[i])) for i in range(s.tiles)
        ],
        "chance": s.rng.state,
    }


cdef int counted_places(const State* s) noexcept nogil:
    """How many places of the row have been counted, with the one that is being counted."""
    return s.counted + 1 if is_counting(s) else 0


# ---- The game ------------------------------------------------------------------------------------

cdef GameOps OPS = GameOps(
    name="contract",
    rules_version=1,
    state_size=sizeof(State),
    options_size=sizeof(Options),
    max_moves=MAX_MOVES,
    num_actions=ACTIONS,
    min_seats=2,
    max_seats=MOST_SEATS,
    phases="action pieces pay chase join copper over",
    faults=FAULTS,
    setup=setup,
    seats=seats,
    phase=phase,
    actors=actors,
    moves=moves,
    apply=apply,
    scores=scores,
    returns=returns,
    write_move=write_move,
    read_move=read_move,
    determinize=determinize,
    infoset=infoset,
    evaluate=evaluate,
    pick=NULL,
    narrow=narrow,
    rank=rank,
    pack=pack,
    unpack=unpack,
)

ops = PyCapsule_New(&OPS, "tablier_core.GameOps", NULL)
