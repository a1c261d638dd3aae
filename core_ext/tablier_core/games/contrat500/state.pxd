# What a match of Contrat 500 holds, the names of its actions and phases, and what everybody saw.

from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memcpy

from tablier_core.games.contrat500.belief cimport TURNS_EACH, Trace
from tablier_core.games.contrat500.settlement cimport CONTRACTS, SEATS, Settlement
from tablier_core.games.contrat500.tiles cimport HIGHEST, count_of, one
from tablier_core.rng cimport Rng

cdef enum:
    TILES = 2 * SEATS * HIGHEST
    TOKENS = 3                          # that one contract can hold
    TURNS = TURNS_EACH * SEATS          # after which a deal is void

# Actions, in the order of the notation.
cdef enum:
    FIRST_BID = 0
    POT = FIRST_BID + CONTRACTS
    TAKE
    FIRST_DISCARD
    ANNOUNCE = FIRST_DISCARD + HIGHEST
    DECLINE
    VOID
    ACTIONS

cdef enum Phase:
    BIDDING = 0
    TURN = 1
    DISCARDING = 2
    ANNOUNCING = 3
    OVER = 4

# A turn in a deal's log is one byte: the tile thrown (0 while it is still to be chosen) and marks.
cdef enum:
    THROWN = 15
    TOOK = 16                           # the previous discard was taken, not a tile of the pot
    ASKED = 32                          # the hand made its contracts then; public

cdef struct State:
    Rng rng                             # for the deals to come
    uint64_t hands[SEATS]
    Settlement last
    uint32_t scores[SEATS]
    uint16_t target
    uint16_t max_deals
    uint16_t deal                       # counted from 1
    uint8_t seats
    uint8_t blind_bids
    uint8_t phase
    uint8_t to_move
    uint8_t starter
    uint8_t bids                        # placed in this deal
    uint8_t contracts[SEATS][2]         # by seat and round
    uint8_t turns                       # begun in this deal
    uint8_t log[TURNS]
    # The shuffled tiles. Once dealt, the first six belong to seat 0, sorted, and so on; the pot
    # follows, the next tile first. What was drawn stays here, so the past of a deal is not lost.
    uint8_t tiles[TILES]
    uint8_t drawn                       # how many tiles have left the pot


cdef inline int total_tiles(const State* s) noexcept nogil:
    return 2 * HIGHEST * s.seats


cdef inline bint is_dealt(const State* s) noexcept nogil:
    """Options, blind_bids: hands are empty until the last bid."""
    return s.phase != OVER and not (s.blind_bids and s.phase == BIDDING)


cdef inline void read_trace(const State* s, int seat, Trace* trace) noexcept nogil:
    """What everybody saw of a seat."""
    cdef int turn, tile, n = 0
    cdef uint64_t known = 0
    trace.seat = seat
    memcpy(trace.contracts, s.contracts[seat], 2)
    trace.known[0] = 0
    for turn in range(s.turns):
        tile = s.log[turn] & THROWN
        if (s.starter + turn) % s.seats != seat or not tile:
            continue
        trace.taken[n] = s.log[turn - 1] & THROWN if s.log[turn] & TOOK else 0
        trace.thrown[n] = <uint8_t>tile
        trace.asked[n] = s.log[turn] & ASKED != 0
        if trace.taken[n]:
            known += one(trace.taken[n])
        if count_of(known, tile):
            known -= one(tile)
        n += 1
        trace.known[n] = known
    trace.turns = n
