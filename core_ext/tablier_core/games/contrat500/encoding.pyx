"""The bytes of a state: packing, complete validation in `unpack`, and facts for Python."""

from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memcpy, memset

from tablier_core.games.contrat500.history cimport History, read_history
from tablier_core.games.contrat500.settlement cimport before_valid, realised, settle
from tablier_core.games.contrat500.state cimport (
    ANNOUNCING, ASKED, BIDDING, CONTRACTS_END, DISCARDED, DISCARDING, HIGHEST_TARGET,
    LOWEST_CONTRACT, LOWEST_TARGET, MOST_DEALS, OVER, SEATS, START_SCORE, TOKENS, TOOK, TURN,
    TURNS_EACH, Settlement, State, is_dealt, nth_seat, total_tiles,
)
from tablier_core.games.contrat500.tiles cimport (
    HAND, HIGHEST, count_of, gather, makes, one, size_of, spread,
)
from tablier_core.packing cimport put, take

cdef enum:
    HEADER = 30                         # bytes before the settlement
    SETTLED_SEAT = 10                   # bytes of a settlement per seat, after its winner

cdef enum Fault:
    BAD_LENGTH = 1
    BAD_FIELD
    BAD_SETTLEMENT
    BAD_END
    BAD_TILES
    BAD_BIDS
    BAD_TURN
    BAD_PHASE

FAULTS = (
    b"length: the number of bytes does not match the counts in the state\n"
    b"phase, options, deal, starter, rng: a value is out of range\n"
    b"settlement: no match can have had this settlement\n"
    b"scores: they contradict the phase\n"
    b"tiles: not the set for this number of seats, or a dealt hand is not sorted\n"
    b"bids: a contract does not exist or holds too many tokens\n"
    b"turns: one of them is not a legal turn\n"
    b"phase: it does not follow from the bids and turns"
)

# ---- Pack ----------------------------------------------------------------------------------------

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
        put(&cursor, s.contracts[nth_seat(s, i)][i // s.seats], 1)
    memcpy(cursor, s.log, s.turns)
    cursor += s.turns
    if s.phase != OVER:
        memcpy(cursor, s.tiles, total_tiles(s))
        cursor += total_tiles(s)
    return cursor - out


# ---- Unpack --------------------------------------------------------------------------------------

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


cdef int read_settlement(State* s, const uint8_t** cursor) noexcept nogil:
    """Read the last announcement and compute the scores from it."""
    cdef Settlement* last = &s.last
    cdef int seat, tile, copies
    for seat in range(s.seats):
        s.scores[seat] = START_SCORE
    if not last.deal:
        return 0
    # The settled deal is the current one only if the match is over.
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
    """Check that the match is over exactly if it should be (reference: End of the match)."""
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
    """Read the bids, turns and tiles of the current deal; `check_phase` replays the turns."""
    cdef int i, seat
    cdef uint8_t[HIGHEST + 1] copies
    for i in range(s.bids):
        s.contracts[nth_seat(s, i)][i // s.seats] = cursor[0][i]
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


cdef int check_phase(State* s) noexcept nogil:
    """Replay the turns, check that the phase follows from them, and set the seat to move."""
    cdef int turn, last = s.log[s.turns - 1] if s.turns else 0
    cdef bint bidding = s.bids < 2 * s.seats
    if s.phase == OVER:
        return 0
    if bidding != (s.phase == BIDDING) or bidding and s.turns:
        return BAD_PHASE
    for turn in range(s.turns):
        if not replay_turn(s, turn):
            return BAD_TURN
    s.to_move = nth_seat(s, s.bids if bidding else s.turns)
    if s.phase == TURN:
        return BAD_PHASE if s.turns == TURNS_EACH * s.seats else 0
    if s.phase == DISCARDING and (not s.turns or last & DISCARDED):
        return BAD_PHASE
    if s.phase == ANNOUNCING and not last & ASKED:
        return BAD_PHASE
    if not bidding:
        # The last turn in the log is not finished.
        s.to_move = nth_seat(s, s.turns - 1)
    return 0


cdef bint replay_turn(State* s, int turn) noexcept nogil:
    """Replay a turn of the log; False if it was illegal or its marks are wrong."""
    cdef int seat = nth_seat(s, turn), entry = s.log[turn], tile
    if entry > (ASKED | TOOK | DISCARDED):
        return False
    if entry & TOOK:
        if not turn:
            return False
        tile = s.log[turn - 1] & DISCARDED
    else:
        if s.drawn == total_tiles(s):
            return False
        tile = s.tiles[s.drawn]
        s.drawn += 1
    s.hands[seat] += one(tile)
    tile = entry & DISCARDED
    if not tile:
        # Only the last turn can lack its discard.
        return s.phase == DISCARDING and turn + 1 == s.turns and not entry & ASKED
    if tile > HIGHEST or not count_of(s.hands[seat], tile):
        return False
    s.hands[seat] -= one(tile)
    return makes(s.hands[seat], s.contracts[seat]) == (entry & ASKED != 0)


cdef bint contracts_valid(const uint8_t* contracts, int n) noexcept nogil:
    """Whether all contracts exist, 0 for one not placed yet, with at most three tokens on each."""
    cdef uint8_t[CONTRACTS_END] tokens
    cdef int i, contract
    memset(tokens, 0, sizeof(tokens))
    for i in range(n):
        contract = contracts[i]
        if not contract:
            continue
        if not LOWEST_CONTRACT <= contract < CONTRACTS_END:
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


# ---- Facts ---------------------------------------------------------------------------------------

def facts(bytes packed):
    """Everything in a packed state, by name."""
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


cdef tuple tiles_of(uint64_t hand):
    cdef uint8_t[HAND + 1] tiles
    spread(hand, tiles)
    return tuple([tiles[i] for i in range(size_of(hand))])


cdef tuple placed(const uint8_t* contracts):
    return tuple([contracts[i] for i in range(2) if contracts[i]])


cdef tuple known_tiles(const State* s, int seat):
    """The tiles that everybody knows a seat to hold, one that it has just taken included."""
    cdef History history
    read_history(s, seat, &history)
    cdef uint64_t known = history.known[history.turns]
    if s.phase == DISCARDING and seat == s.to_move and s.log[s.turns - 1] & TOOK:
        known += one(s.log[s.turns - 2] & DISCARDED)
    return tiles_of(known)


cdef list turn_facts(const State* s):
    """By turn: seat, whether it took a discard, tiles received and discarded, whether asked."""
    cdef int turn, slot = HAND * s.seats
    turns = []
    for turn in range(s.turns):
        took = s.log[turn] & TOOK != 0
        turns.append((
            nth_seat(s, turn), took,
            s.log[turn - 1] & DISCARDED if took else s.tiles[slot],
            s.log[turn] & DISCARDED, s.log[turn] & ASKED != 0,
        ))
        slot += not took
    return turns


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
