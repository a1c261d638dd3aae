"""The rules of Contrat 500, in the order of docs/reference/contrat500.md."""

from libc.stdint cimport uint8_t, uint32_t, uint64_t
from libc.string cimport memcpy, memset

from tablier_core.abi cimport move_t
from tablier_core.games.contrat500.settlement cimport settle
from tablier_core.games.contrat500.state cimport (
    ANNOUNCE, ANNOUNCING, ASKED, BIDDING, CONTRACTS_END, DECLINE, DISCARDED, DISCARDING, FIRST_BID,
    FIRST_DISCARD, LOWEST_CONTRACT, OVER, POT, START_SCORE, TAKE, TOKENS, TOOK, TURN, TURNS_EACH,
    VOID, Options, State, total_tiles,
)
from tablier_core.games.contrat500.tiles cimport HAND, HIGHEST, count_of, gather, makes, one
from tablier_core.rng cimport Rng, rng_below, shuffle
from tablier_core.scoring cimport share_win

# ---- Setup and deals -----------------------------------------------------------------------------

cdef void setup(void* state, const void* options, Rng* rng) noexcept nogil:
    cdef State* s = <State*>state
    cdef const Options* o = <const Options*>options
    cdef int seat
    memset(s, 0, sizeof(State))
    s.rng = rng[0]
    s.seats = o.seats
    s.target = o.target
    s.max_deals = o.max_deals
    s.blind_bids = o.blind_bids
    for seat in range(s.seats):
        s.scores[seat] = START_SCORE
    s.deal = 1
    begin_deal(s)


cdef void begin_deal(State* s) noexcept nogil:
    """Shuffle, choose a starter, deal unless bids are blind (reference: A turn, step 1)."""
    cdef int i, n = total_tiles(s)
    clear_table(s)
    for i in range(n):
        s.tiles[i] = <uint8_t>(i % HIGHEST + 1)
    shuffle(s.tiles, n, &s.rng)
    s.starter = s.to_move = <uint8_t>rng_below(&s.rng, s.seats)
    s.phase = BIDDING
    if not s.blind_bids:
        deal_hands(s)


cdef void deal_hands(State* s) noexcept nogil:
    """Give six tiles to each seat, from seat 0; the rest is the pot."""
    cdef int seat
    for seat in range(s.seats):
        s.hands[seat] = gather(s.tiles + HAND * seat, HAND)
        # The order of a hand means nothing. Sorting it gives equal states equal bytes.
        sort_hand(s.tiles + HAND * seat)
    s.drawn = HAND * s.seats


cdef void sort_hand(uint8_t* tiles) noexcept nogil:
    """Sort six tiles by counting, for each, the tiles that come before it: without branches."""
    cdef uint8_t[HAND] hand
    cdef int i, j, place
    memcpy(hand, tiles, HAND)
    for i in range(HAND):
        place = 0
        for j in range(i):
            place += hand[j] <= hand[i]
        for j in range(i + 1, HAND):
            place += hand[j] < hand[i]
        tiles[place] = hand[i]


cdef void end_deal(State* s) noexcept nogil:
    """Begin the next deal, or end the match (reference: End of the match)."""
    cdef int seat
    cdef bint over = s.deal >= s.max_deals
    for seat in range(s.seats):
        over = over or s.scores[seat] >= s.target
    if over:
        clear_table(s)
        s.phase = OVER
    else:
        s.deal += 1
        begin_deal(s)


cdef void clear_table(State* s) noexcept nogil:
    """Remove the bids, tiles and turns of a deal."""
    memset(s.hands, 0, sizeof(s.hands))
    memset(s.contracts, 0, sizeof(s.contracts))
    memset(s.log, 0, sizeof(s.log))
    memset(s.tiles, 0, sizeof(s.tiles))
    s.bids = s.turns = s.drawn = s.starter = s.to_move = 0


cdef int seats(const void* state) noexcept nogil:
    return (<const State*>state).seats


cdef int phase(const void* state) noexcept nogil:
    return (<const State*>state).phase


cdef uint32_t actors(const void* state) noexcept nogil:
    cdef const State* s = <const State*>state
    return 0 if s.phase == OVER else <uint32_t>1 << s.to_move


# ---- Moves ---------------------------------------------------------------------------------------

cdef uint32_t list_bids(const State* s, move_t* out) noexcept nogil:
    """Every contract that has room for a token (reference: A turn, step 2)."""
    cdef uint8_t[CONTRACTS_END] tokens
    cdef int seat, contract
    cdef uint32_t n = 0
    memset(tokens, 0, sizeof(tokens))
    # Tokens that are not placed yet are counted at 0, which is not a contract.
    for seat in range(s.seats):
        tokens[s.contracts[seat][0]] += 1
        tokens[s.contracts[seat][1]] += 1
    for contract in range(LOWEST_CONTRACT, CONTRACTS_END):
        # Always written but counted only if legal: this leaves no branch to mispredict.
        out[n] = FIRST_BID + contract - LOWEST_CONTRACT
        n += tokens[contract] < TOKENS
    return n


cdef uint32_t list_turn(const State* s, int seat, move_t* out) noexcept nogil:
    """The moves that begin a turn (reference: A turn, step 3)."""
    cdef uint32_t n = 0
    cdef bint pot_left = s.drawn < total_tiles(s)
    if pot_left:
        out[n] = POT
        n += 1
    if s.turns:
        out[n] = TAKE
        n += 1
    if makes(s.hands[seat], s.contracts[seat]):
        out[n] = ANNOUNCE
        n += 1
    if not pot_left:
        out[n] = VOID
        n += 1
    return n


cdef uint32_t list_discards(const State* s, int seat, move_t* out) noexcept nogil:
    """Every number among the seven tiles (reference: A turn, step 4)."""
    cdef uint64_t hand = s.hands[seat]
    cdef uint32_t n = 0
    cdef int tile
    for tile in range(1, HIGHEST + 1):
        # Without a branch, as above.
        out[n] = FIRST_DISCARD + tile - 1
        n += count_of(hand, tile) != 0
    return n


cdef uint32_t moves(const void* state, int seat, move_t* out) noexcept nogil:
    cdef const State* s = <const State*>state
    if s.phase == OVER or seat != s.to_move:
        return 0
    if s.phase == BIDDING:
        return list_bids(s, out)
    if s.phase == TURN:
        return list_turn(s, seat, out)
    if s.phase == DISCARDING:
        return list_discards(s, seat, out)
    out[0] = ANNOUNCE
    out[1] = DECLINE
    return 2


# ---- Apply ---------------------------------------------------------------------------------------

cdef inline int next_seat(const State* s) noexcept nogil:
    return s.to_move + 1 if s.to_move + 1 < s.seats else 0


cdef void place_bid(State* s, int seat, int contract) noexcept nogil:
    """Place a token; the last one begins the turns (reference: A turn, step 2)."""
    s.contracts[seat][s.bids // s.seats] = <uint8_t>contract
    s.bids += 1
    s.to_move = <uint8_t>next_seat(s)
    if s.bids == 2 * s.seats:
        # After two full rounds the starter is to move again.
        s.phase = TURN
        if s.blind_bids:
            deal_hands(s)


cdef void begin_turn(State* s, int seat, bint took) noexcept nogil:
    """Draw from the pot or take the previous discard (reference: A turn, step 3)."""
    cdef int tile
    if took:
        tile = s.log[s.turns - 1] & DISCARDED
    else:
        tile = s.tiles[s.drawn]
        s.drawn += 1
    s.hands[seat] += one(tile)
    s.log[s.turns] = TOOK if took else 0
    s.turns += 1
    s.phase = DISCARDING


cdef void discard(State* s, int seat, int tile) noexcept nogil:
    """Discard a tile, then ask a seat that makes its contracts (reference: A turn, step 5)."""
    s.hands[seat] -= one(tile)
    s.log[s.turns - 1] |= tile
    if makes(s.hands[seat], s.contracts[seat]):
        s.log[s.turns - 1] |= ASKED
        s.phase = ANNOUNCING
    else:
        pass_turn(s)


cdef void pass_turn(State* s) noexcept nogil:
    """Pass the turn, or end the deal after its last turn (reference: End of a deal)."""
    if s.turns == TURNS_EACH * s.seats:
        end_deal(s)
    else:
        s.to_move = <uint8_t>next_seat(s)
        s.phase = TURN


cdef void announce(State* s, int seat) noexcept nogil:
    """Settle the deal (reference: Settlement)."""
    memcpy(s.last.hands, s.hands, sizeof(s.hands))
    memcpy(s.last.before, s.scores, sizeof(s.scores))
    memcpy(s.last.contracts, s.contracts, sizeof(s.contracts))
    s.last.deal = s.deal
    s.last.winner = <uint8_t>seat
    settle(&s.last, s.seats, s.scores)
    end_deal(s)


cdef void apply(void* state, int seat, move_t move) noexcept nogil:
    cdef State* s = <State*>state
    if move >= FIRST_DISCARD and move < ANNOUNCE:
        discard(s, seat, <int>(move - FIRST_DISCARD + 1))
    elif move == POT or move == TAKE:
        begin_turn(s, seat, move == TAKE)
    elif move < POT:
        place_bid(s, seat, <int>(move - FIRST_BID + LOWEST_CONTRACT))
    elif move == ANNOUNCE:
        announce(s, seat)
    elif move == DECLINE:
        pass_turn(s)
    else:
        end_deal(s)


# ---- Scoring -------------------------------------------------------------------------------------

cdef void scores(const void* state, double* out) noexcept nogil:
    cdef const State* s = <const State*>state
    cdef int seat
    for seat in range(s.seats):
        out[seat] = s.scores[seat]


cdef void returns(const void* state, double* out) noexcept nogil:
    """The highest score wins and ties share (reference: End of the match)."""
    scores(state, out)
    share_win(out, seats(state), out)
