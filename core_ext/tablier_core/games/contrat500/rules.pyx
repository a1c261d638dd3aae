"""Contrat 500 for two to four seats: its rules, its bytes, and last the table of both.

The rules page is docs/reference/contrat500.md; section names in the comments are its headings.
"""

from cpython.pycapsule cimport PyCapsule_New
from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memcmp, memcpy, memset

from tablier_core.abi cimport MAX_PACKED, TABLE, GameOps, move_t
from tablier_core.games.contrat500.belief cimport TURNS_EACH, Trace, believe
from tablier_core.games.contrat500.engine cimport rank
from tablier_core.games.contrat500.settlement cimport (
    CONTRACTS, LOWEST_CONTRACT, SEATS, START_SCORE, Settlement, before_valid, realised, settle,
)
from tablier_core.games.contrat500.state cimport (
    ACTIONS, ANNOUNCE, ANNOUNCING, ASKED, BIDDING, DECLINE, DISCARDING, FIRST_BID, FIRST_DISCARD,
    OVER, POT, State, TAKE, THROWN, TILES, TOKENS, TOOK, TURN, VOID, is_dealt, read_trace,
    total_tiles,
)
from tablier_core.games.contrat500.tiles cimport (
    HAND, HIGHEST, count_of, full_set, gather, makes, one, pick_tile, size_of, spread,
)
from tablier_core.packing cimport hash_bytes, put, take
from tablier_core.rng cimport GAME_STREAM, Rng, rng_below, rng_next, rng_seed

# ---- Facts and constants -------------------------------------------------------------------------

cdef enum:
    LOWEST_TARGET = 100
    HIGHEST_TARGET = 10000
    MOST_DEALS = 1000

cdef struct Options:
    uint16_t target
    uint16_t max_deals
    uint8_t seats
    uint8_t blind_bids

cdef enum Fault:
    BAD_LENGTH = 1
    BAD_FIELD
    BAD_SETTLEMENT
    BAD_END
    BAD_TILES
    BAD_BIDS
    BAD_TURN
    BAD_PHASE

cdef const char* FAULTS = (
    b"length: the state does not end where its counts say\n"
    b"phase, options, deal, starter, rng: a value is out of range\n"
    b"settlement: it could not have been paid so\n"
    b"scores: they do not agree with the end of the match\n"
    b"tiles: not the set of this many seats, or a dealt hand is not sorted\n"
    b"bids: a contract does not exist or holds too many tokens\n"
    b"turns: one could not have been played\n"
    b"phase: it does not follow from the bids and turns"
)

# ---- Moves ---------------------------------------------------------------------------------------

cdef uint32_t list_bids(const State* s, move_t* out) noexcept nogil:
    """Deal, 3: every contract that has room for a token."""
    cdef uint8_t[LOWEST_CONTRACT + CONTRACTS] tokens
    cdef int seat, contract
    cdef uint32_t n = 0
    memset(tokens, 0, sizeof(tokens))
    # A token that is not placed yet stands on no contract, 0.
    for seat in range(s.seats):
        tokens[s.contracts[seat][0]] += 1
        tokens[s.contracts[seat][1]] += 1
    for contract in range(LOWEST_CONTRACT, LOWEST_CONTRACT + CONTRACTS):
        if tokens[contract] < TOKENS:
            out[n] = FIRST_BID + contract - LOWEST_CONTRACT
            n += 1
    return n


cdef uint32_t list_turn(const State* s, int seat, move_t* out) noexcept nogil:
    """Deal, 4 and 5: what a turn can begin with."""
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
    cdef uint64_t hand = s.hands[seat]
    cdef uint32_t n = 0
    cdef int tile
    for tile in range(1, HIGHEST + 1):
        # Written always, counted only if held: no branch to mispredict.
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

cdef void deal_hands(State* s) noexcept nogil:
    """Six tiles off the top for each seat, from seat 0; the rest is the pot."""
    cdef int seat
    for seat in range(s.seats):
        s.hands[seat] = gather(s.tiles + HAND * seat, HAND)
        # A hand has no order: sorted, equal states have equal bytes.
        spread(s.hands[seat], s.tiles + HAND * seat)
    s.drawn = HAND * s.seats


cdef void clear_table(State* s) noexcept nogil:
    """No bids, no tiles, no turns: between two deals, and after the last."""
    memset(s.hands, 0, sizeof(s.hands))
    memset(s.contracts, 0, sizeof(s.contracts))
    memset(s.log, 0, sizeof(s.log))
    memset(s.tiles, 0, sizeof(s.tiles))
    s.bids = s.turns = s.drawn = s.starter = s.to_move = 0


cdef void begin_deal(State* s) noexcept nogil:
    """Deal, 1 and 2: shuffle, deal unless bids are blind, and draw the starter by lot."""
    cdef int i, other, n = total_tiles(s)
    cdef uint8_t tile
    clear_table(s)
    for i in range(n):
        s.tiles[i] = <uint8_t>(i % HIGHEST + 1)
    for i in range(n - 1, 0, -1):
        other = <int>rng_below(&s.rng, i + 1)
        tile = s.tiles[i]
        s.tiles[i] = s.tiles[other]
        s.tiles[other] = tile
    s.starter = s.to_move = <uint8_t>rng_below(&s.rng, s.seats)
    s.phase = BIDDING
    if not s.blind_bids:
        deal_hands(s)


cdef void end_deal(State* s) noexcept nogil:
    """Settlement and Options: the match ends at the target or after max_deals, void ones too."""
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


cdef inline int next_seat(const State* s) noexcept nogil:
    return s.to_move + 1 if s.to_move + 1 < s.seats else 0


cdef void place_bid(State* s, int seat, int contract) noexcept nogil:
    s.contracts[seat][s.bids // s.seats] = <uint8_t>contract
    s.bids += 1
    s.to_move = <uint8_t>next_seat(s)
    if s.bids == 2 * s.seats:
        # Two rounds bring the turn back to the starter.
        s.phase = TURN
        if s.blind_bids:
            deal_hands(s)


cdef void begin_turn(State* s, int seat, bint took) noexcept nogil:
    """Deal, 4: a tile from the pot, or the one just discarded."""
    cdef int tile
    if took:
        tile = s.log[s.turns - 1] & THROWN
    else:
        tile = s.tiles[s.drawn]
        s.drawn += 1
    s.hands[seat] += one(tile)
    s.log[s.turns] = TOOK if took else 0
    s.turns += 1
    s.phase = DISCARDING


cdef void pass_turn(State* s) noexcept nogil:
    """Deal, 5: the next seat's turn, or a void deal when 20 turns a seat have been played."""
    if s.turns == TURNS_EACH * s.seats:
        end_deal(s)
    else:
        s.to_move = <uint8_t>next_seat(s)
        s.phase = TURN


cdef void throw(State* s, int seat, int tile) noexcept nogil:
    s.hands[seat] -= one(tile)
    s.log[s.turns - 1] |= tile
    if makes(s.hands[seat], s.contracts[seat]):
        s.log[s.turns - 1] |= ASKED
        s.phase = ANNOUNCING
    else:
        pass_turn(s)


cdef void announce(State* s, int seat) noexcept nogil:
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
        throw(s, seat, <int>(move - FIRST_DISCARD + 1))
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


cdef int seats(const void* state) noexcept nogil:
    return (<const State*>state).seats


cdef int phase(const void* state) noexcept nogil:
    return (<const State*>state).phase


cdef uint32_t actors(const void* state) noexcept nogil:
    cdef const State* s = <const State*>state
    return 0 if s.phase == OVER else <uint32_t>1 << s.to_move


# ---- Scoring -------------------------------------------------------------------------------------

cdef void scores(const void* state, double* out) noexcept nogil:
    cdef const State* s = <const State*>state
    cdef int seat
    for seat in range(s.seats):
        out[seat] = s.scores[seat]


cdef void returns(const void* state, double* out) noexcept nogil:
    """Settlement: the highest score wins; k tied winners share."""
    cdef const State* s = <const State*>state
    cdef uint32_t best = 0
    cdef int seat, tied = 0
    for seat in range(s.seats):
        best = max(best, s.scores[seat])
    for seat in range(s.seats):
        tied += s.scores[seat] == best
    for seat in range(s.seats):
        out[seat] = 2.0 / tied - 1.0 if s.scores[seat] == best else -1.0


# ---- Notation ------------------------------------------------------------------------------------

cdef inline const char* word_of(move_t move) noexcept nogil:
    """The whole text of a move, or what stands before its number."""
    if move < POT:
        return b"bid "
    if move == POT:
        return b"pot"
    if move == TAKE:
        return b"take"
    if move < ANNOUNCE:
        return b"discard "
    if move == ANNOUNCE:
        return b"announce"
    return b"decline" if move == DECLINE else b"void"


cdef int write_move(move_t move, char* out) noexcept nogil:
    cdef const char* word = word_of(move)
    cdef int n = 0, number = 0
    while word[n]:
        out[n] = word[n]
        n += 1
    if move < POT:
        number = <int>(move - FIRST_BID + LOWEST_CONTRACT)
    elif FIRST_DISCARD <= move < ANNOUNCE:
        number = <int>(move - FIRST_DISCARD + 1)
    if number >= 10:
        out[n] = <char>(48 + number // 10)
        n += 1
    if number:
        out[n] = <char>(48 + number % 10)
        n += 1
    return n


cdef long read_move(const char* text, size_t length) noexcept nogil:
    """The action that is written so: the list is short enough to compare with each."""
    cdef char[16] spelling
    cdef move_t move
    for move in range(ACTIONS):
        if <size_t>write_move(move, spelling) == length and not memcmp(text, spelling, length):
            return move
    return -1


# ---- Hidden information --------------------------------------------------------------------------

cdef void conceal(State* s, int viewer) noexcept nogil:
    """Blank all that the viewer cannot know. What stays, with the public log, is all it knows."""
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
            seen[slot] = (s.starter + turn) % s.seats == viewer
            slot += 1
    for i in range(TILES):
        if not seen[i]:
            s.tiles[i] = 0
    for seat in range(s.seats):
        if seat != viewer:
            s.hands[seat] = 0


cdef uint64_t unseen_by(const State* s, const Trace* traces, int n) noexcept nogil:
    """The tiles of a concealed state that its viewer has seen nowhere."""
    cdef uint64_t pool = full_set(s.seats)
    cdef int i, turn
    for i in range(TILES):
        # What is not blank are the viewer's own tiles, dealt and drawn.
        if s.tiles[i]:
            pool -= one(s.tiles[i])
    for i in range(n):
        # What another seat threw and is known to hold was its own, unless taken from a discard.
        pool -= traces[i].known[traces[i].turns]
        for turn in range(traces[i].turns):
            pool -= one(traces[i].thrown[turn])
            if traces[i].taken[turn]:
                pool += one(traces[i].taken[turn])
    return pool


cdef void write_belief(State* s, const Trace* trace) noexcept nogil:
    """Put what was drawn for a seat where its tiles lie."""
    cdef int turn, n = 0, slot = HAND * s.seats
    s.hands[trace.seat] = trace.held
    spread(trace.dealt, s.tiles + HAND * trace.seat)
    for turn in range(s.turns):
        if (s.starter + turn) % s.seats == trace.seat and s.log[turn] & THROWN:
            if not trace.taken[n]:
                s.tiles[slot] = trace.drawn[n]
            n += 1
        slot += not s.log[turn] & TOOK


cdef void draw_hands(State* s, int viewer, Rng* rng) noexcept nogil:
    """Fill a concealed deal with a world that the viewer can believe in."""
    cdef Trace[SEATS - 1] traces
    cdef uint64_t pool
    cdef int i, n = 0, first = s.drawn
    for i in range(s.seats):
        if i != viewer:
            read_trace(s, i, &traces[n])
            n += 1
    pool = believe(traces, n, unseen_by(s, traces, n), rng)
    for i in range(n):
        write_belief(s, &traces[i])
    if s.phase == DISCARDING and s.to_move != viewer:
        # The seventh tile, taken in the open or drawn unseen.
        if s.log[s.turns - 1] & TOOK:
            s.hands[s.to_move] += one(s.log[s.turns - 2] & THROWN)
        else:
            first -= 1
    fill_pot(s, first, pool, rng)
    if first < s.drawn:
        s.hands[s.to_move] += one(s.tiles[first])


cdef void fill_pot(State* s, int first, uint64_t pool, Rng* rng) noexcept nogil:
    """Put the pool's tiles into the pot from place `first` on, in a random order."""
    cdef int i
    for i in range(first, total_tiles(s)):
        s.tiles[i] = <uint8_t>pick_tile(pool, rng)
        pool -= one(s.tiles[i])


cdef void determinize(void* state, int viewer, Rng* rng) noexcept nogil:
    cdef State* s = <State*>state
    cdef uint64_t seed
    # Blanked first, so that nothing below can depend on what the viewer does not know.
    conceal(s, viewer)
    if viewer != TABLE and s.phase != OVER:
        if is_dealt(s):
            draw_hands(s, viewer, rng)
        else:
            fill_pot(s, 0, full_set(s.seats), rng)
    seed = rng_next(rng)
    seed = seed << 32 | rng_next(rng)
    rng_seed(&s.rng, seed, GAME_STREAM)


cdef uint64_t infoset(const void* state, int viewer) noexcept nogil:
    """A hash of the bytes of the state as the viewer knows it; for nobody the dice to come."""
    cdef State s = (<const State*>state)[0]
    cdef uint8_t[MAX_PACKED] data
    conceal(&s, viewer)
    return hash_bytes(<uint64_t>(viewer + 1), data, pack(&s, data))


# ---- Bytes ---------------------------------------------------------------------------------------

cdef enum:
    HEADER = 30                         # bytes before the settlement
    SETTLED_SEAT = 10                   # bytes of a settlement for each seat, after its winner


cdef size_t pack(const void* state, uint8_t* out) noexcept nogil:
    cdef const State* s = <const State*>state
    cdef uint8_t* cursor = out
    cdef int seat, i
    put(&cursor, s.phase, 1)
    put(&cursor, s.seats, 1)
    put(&cursor, s.blind_bids, 1)
    put(&cursor, s.starter, 1)
    put(&cursor, s.target, 2)
    put(&cursor, s.max_deals, 2)
    put(&cursor, s.deal, 2)
    put(&cursor, s.bids, 1)
    put(&cursor, s.turns, 1)
    put(&cursor, s.rng.state, 8)
    put(&cursor, s.rng.increment, 8)
    put(&cursor, s.last.deal, 2)
    if s.last.deal:
        put(&cursor, s.last.winner, 1)
        for seat in range(s.seats):
            put(&cursor, s.last.before[seat], 2)
            put(&cursor, s.last.contracts[seat][0], 1)
            put(&cursor, s.last.contracts[seat][1], 1)
            spread(s.last.hands[seat], cursor)
            cursor += HAND
    for i in range(s.bids):
        put(&cursor, s.contracts[(s.starter + i) % s.seats][i // s.seats], 1)
    memcpy(cursor, s.log, s.turns)
    cursor += s.turns
    if s.phase != OVER:
        memcpy(cursor, s.tiles, total_tiles(s))
        cursor += total_tiles(s)
    return cursor - out


cdef int read_header(State* s, const uint8_t** cursor) noexcept nogil:
    s.phase = <uint8_t>take(cursor, 1)
    s.seats = <uint8_t>take(cursor, 1)
    s.blind_bids = <uint8_t>take(cursor, 1)
    s.starter = <uint8_t>take(cursor, 1)
    s.target = <uint16_t>take(cursor, 2)
    s.max_deals = <uint16_t>take(cursor, 2)
    s.deal = <uint16_t>take(cursor, 2)
    s.bids = <uint8_t>take(cursor, 1)
    s.turns = <uint8_t>take(cursor, 1)
    s.rng.state = take(cursor, 8)
    s.rng.increment = take(cursor, 8)
    s.last.deal = <uint16_t>take(cursor, 2)
    if (
        s.phase > OVER or not 2 <= s.seats <= SEATS or s.blind_bids > 1 or s.starter >= s.seats
        or not LOWEST_TARGET <= s.target <= HIGHEST_TARGET or not s.rng.increment & 1
        or not 1 <= s.max_deals <= MOST_DEALS or not 1 <= s.deal <= s.max_deals
    ):
        return BAD_FIELD
    if s.bids > 2 * s.seats:
        return BAD_BIDS
    return BAD_TURN if s.turns > TURNS_EACH * s.seats else 0


cdef bint contracts_valid(const uint8_t* contracts, int n) noexcept nogil:
    """Deal, 3: existing contracts, 0 for one not yet chosen, and at most three tokens on each."""
    cdef uint8_t[LOWEST_CONTRACT + CONTRACTS] tokens
    cdef int i, contract
    memset(tokens, 0, sizeof(tokens))
    for i in range(n):
        contract = contracts[i]
        if not contract:
            continue
        if not LOWEST_CONTRACT <= contract < LOWEST_CONTRACT + CONTRACTS:
            return False
        tokens[contract] += 1
        if tokens[contract] > TOKENS:
            return False
    return True


cdef bint tiles_exist(const uint8_t* tiles, int n) noexcept nogil:
    cdef int i
    for i in range(n):
        if not 1 <= tiles[i] <= HIGHEST:
            return False
    return True


cdef bint read_sorted_hand(const uint8_t* tiles, uint64_t* hand) noexcept nogil:
    cdef int i
    if not tiles_exist(tiles, HAND):
        return False
    for i in range(1, HAND):
        if tiles[i] < tiles[i - 1]:
            return False
    hand[0] = gather(tiles, HAND)
    return True


cdef int read_settlement(State* s, const uint8_t** cursor) noexcept nogil:
    """The last announcement, from which the scores follow."""
    cdef Settlement* last = &s.last
    cdef int seat, tile, copies
    for seat in range(s.seats):
        s.scores[seat] = START_SCORE
    if not last.deal:
        return 0
    # Only a finished match has no deal after the settled one.
    if last.deal > s.deal or last.deal == s.deal and s.phase != OVER:
        return BAD_SETTLEMENT
    last.winner = <uint8_t>take(cursor, 1)
    for seat in range(s.seats):
        last.before[seat] = <uint32_t>take(cursor, 2)
        last.contracts[seat][0] = <uint8_t>take(cursor, 1)
        last.contracts[seat][1] = <uint8_t>take(cursor, 1)
        if not (last.contracts[seat][0] and last.contracts[seat][1]):
            return BAD_BIDS
        if not read_sorted_hand(cursor[0], &last.hands[seat]):
            return BAD_TILES
        cursor[0] += HAND
    for tile in range(1, HIGHEST + 1):
        copies = 0
        for seat in range(s.seats):
            copies += count_of(last.hands[seat], tile)
        if copies > 2 * s.seats:
            return BAD_TILES
    if not contracts_valid(&last.contracts[0][0], 2 * s.seats):
        return BAD_BIDS
    if (
        last.winner >= s.seats or not before_valid(last, s.seats, s.target)
        or not makes(last.hands[last.winner], last.contracts[last.winner])
    ):
        return BAD_SETTLEMENT
    settle(last, s.seats, s.scores)
    return 0


cdef int check_end(const State* s) noexcept nogil:
    """The match is over exactly if the last deal reached the target or was the last allowed."""
    cdef bint reached = False
    cdef int seat
    for seat in range(s.seats):
        reached = reached or s.scores[seat] >= s.target
    if s.phase != OVER:
        return BAD_END if reached else 0
    if reached:
        return 0 if s.last.deal == s.deal else BAD_END
    return 0 if s.deal == s.max_deals else BAD_END


cdef int read_deal(State* s, const uint8_t** cursor) noexcept nogil:
    """Bids, turns and tiles of the deal in play; the turns are played again below."""
    cdef int i, seat
    cdef uint8_t[HIGHEST + 1] copies
    for i in range(s.bids):
        s.contracts[(s.starter + i) % s.seats][i // s.seats] = cursor[0][i]
        if not cursor[0][i]:
            return BAD_BIDS
    cursor[0] += s.bids
    memcpy(s.log, cursor[0], s.turns)
    cursor[0] += s.turns
    if not contracts_valid(&s.contracts[0][0], 2 * s.seats):
        return BAD_BIDS
    if s.phase == OVER:
        return BAD_PHASE if s.bids or s.turns or s.starter else 0
    if not tiles_exist(cursor[0], total_tiles(s)):
        return BAD_TILES
    memcpy(s.tiles, cursor[0], total_tiles(s))
    memset(copies, 0, sizeof(copies))
    for i in range(total_tiles(s)):
        copies[s.tiles[i]] += 1
        if copies[s.tiles[i]] > 2 * s.seats:
            return BAD_TILES
    if is_dealt(s):
        for seat in range(s.seats):
            if not read_sorted_hand(s.tiles + HAND * seat, &s.hands[seat]):
                return BAD_TILES
        s.drawn = HAND * s.seats
    return 0


cdef bint replay_turn(State* s, int turn) noexcept nogil:
    """Play a turn of the log again; False if it was not legal or not recorded as it went."""
    cdef int seat = (s.starter + turn) % s.seats, entry = s.log[turn], tile
    if entry > (ASKED | TOOK | THROWN):
        return False
    if entry & TOOK:
        if not turn:
            return False
        tile = s.log[turn - 1] & THROWN
    else:
        if s.drawn == total_tiles(s):
            return False
        tile = s.tiles[s.drawn]
        s.drawn += 1
    s.hands[seat] += one(tile)
    tile = entry & THROWN
    if not tile:
        # Only the last turn can lack its discard.
        return s.phase == DISCARDING and turn + 1 == s.turns and not entry & ASKED
    if tile > HIGHEST or not count_of(s.hands[seat], tile):
        return False
    s.hands[seat] -= one(tile)
    return makes(s.hands[seat], s.contracts[seat]) == (entry & ASKED != 0)


cdef int check_phase(State* s) noexcept nogil:
    """Whether the phase follows from the bids and turns, and whose move it is then."""
    cdef int turn, last = s.log[s.turns - 1] if s.turns else 0
    cdef bint bidding = s.bids < 2 * s.seats
    if s.phase == OVER:
        return 0
    if bidding != (s.phase == BIDDING) or bidding and s.turns:
        return BAD_PHASE
    for turn in range(s.turns):
        if not replay_turn(s, turn):
            return BAD_TURN
    s.to_move = (s.starter + (s.bids if bidding else s.turns)) % s.seats
    if s.phase == TURN:
        return BAD_PHASE if s.turns == TURNS_EACH * s.seats else 0
    if s.phase == DISCARDING and (not s.turns or last & THROWN):
        return BAD_PHASE
    if s.phase == ANNOUNCING and not last & ASKED:
        return BAD_PHASE
    if not bidding:
        # The turn that the log ends with is still this seat's.
        s.to_move = (s.starter + s.turns - 1) % s.seats
    return 0


cdef int unpack(void* state, const uint8_t* data, size_t length) noexcept nogil:
    cdef State* s = <State*>state
    cdef const uint8_t* cursor = data
    cdef size_t expected = HEADER
    cdef int fault
    memset(s, 0, sizeof(State))
    if length < HEADER:
        return BAD_LENGTH
    fault = read_header(s, &cursor)
    if fault:
        return fault
    expected += s.bids + s.turns
    if s.last.deal:
        expected += 1 + SETTLED_SEAT * s.seats
    if s.phase != OVER:
        expected += total_tiles(s)
    if length != expected:
        return BAD_LENGTH
    fault = read_settlement(s, &cursor)
    if not fault:
        fault = check_end(s)
    if not fault:
        fault = read_deal(s, &cursor)
    return fault if fault else check_phase(s)


# ---- Options and facts, for Python ---------------------------------------------------------------

def pack_options(values):
    """Fill the options struct from checked values."""
    cdef Options o
    memset(&o, 0, sizeof(o))
    o.seats = values["seats"]
    o.target = values["target"]
    o.max_deals = values["max_deals"]
    o.blind_bids = values["blind_bids"]
    return (<const char*>&o)[:sizeof(o)]


cdef tuple tiles_of(uint64_t hand):
    cdef uint8_t[HAND + 1] tiles
    spread(hand, tiles)
    return tuple([tiles[i] for i in range(size_of(hand))])


cdef tuple placed(const uint8_t* contracts):
    return tuple([contracts[i] for i in range(2) if contracts[i]])


cdef dict settlement_facts(const Settlement* last, int n):
    cdef uint32_t[SEATS] after
    settle(last, n, after)
    return {
        "deal": last.deal,
        "winner": last.winner,
        "contracts": tuple([(last.contracts[i][0], last.contracts[i][1]) for i in range(n)]),
        "hands": tuple([tiles_of(last.hands[i]) for i in range(n)]),
        "realised": tuple([
            0 if i == last.winner else realised(last.hands[i], last.contracts[i])
            for i in range(n)
        ]),
        "before": tuple([last.before[i] for i in range(n)]),
        "after": tuple([after[i] for i in range(n)]),
    }


cdef tuple known_tiles(const State* s, int seat):
    cdef Trace trace
    read_trace(s, seat, &trace)
    cdef uint64_t known = trace.known[trace.turns]
    if s.phase == DISCARDING and seat == s.to_move and s.log[s.turns - 1] & TOOK:
        known += one(s.log[s.turns - 2] & THROWN)
    return tiles_of(known)


cdef list turn_facts(const State* s):
    """Of each turn: seat, whether it took a discard, tiles received and thrown, whether asked."""
    cdef int turn, slot = HAND * s.seats
    turns = []
    for turn in range(s.turns):
        took = s.log[turn] & TOOK != 0
        turns.append((
            (s.starter + turn) % s.seats, took,
            s.log[turn - 1] & THROWN if took else s.tiles[slot],
            s.log[turn] & THROWN, s.log[turn] & ASKED != 0,
        ))
        slot += not took
    return turns


def facts(bytes packed):
    """Everything that a packed state says, by name."""
    cdef State s
    cdef const uint8_t* data = packed
    if unpack(&s, data, len(packed)):
        raise ValueError("not a packed state of this game")
    n = s.seats
    pot_end = 0 if s.phase == OVER else total_tiles(&s)
    return {
        "seats": n,
        "target": s.target,
        "max_deals": s.max_deals,
        "blind_bids": bool(s.blind_bids),
        "deal": s.deal,
        "starter": s.starter,
        "to_move": s.to_move,
        "scores": tuple([s.scores[i] for i in range(n)]),
        "contracts": tuple([placed(s.contracts[i]) for i in range(n)]),
        "hands": tuple([tiles_of(s.hands[i]) for i in range(n)]),
        "known": tuple([known_tiles(&s, i) for i in range(n)]),
        "pot": tuple([s.tiles[i] for i in range(s.drawn, pot_end)]),
        "turns": turn_facts(&s),
        "last": settlement_facts(&s.last, n) if s.last.deal else None,
        "rng": (s.rng.state, s.rng.increment),
    }


# ---- The game ------------------------------------------------------------------------------------

cdef GameOps OPS = GameOps(
    name="contrat500",
    rules_version=1,
    state_size=sizeof(State),
    options_size=sizeof(Options),
    max_moves=CONTRACTS,
    num_actions=ACTIONS,
    min_seats=2,
    max_seats=SEATS,
    phases="bid turn discard announce over",
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
    evaluate=NULL,
    pick=NULL,
    narrow=NULL,
    rank=rank,
    pack=pack,
    unpack=unpack,
)

ops = PyCapsule_New(&OPS, "tablier_core.GameOps", NULL)
