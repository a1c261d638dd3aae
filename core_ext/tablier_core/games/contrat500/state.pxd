# Constants, action numbers and the state of a match of Contrat 500.

from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t

from tablier_core.games.contrat500.tiles cimport HIGHEST
from tablier_core.rng cimport Rng

cdef enum:
    SEATS = 4                           # the most; every array by seat has room for them
    TILES = 2 * SEATS * HIGHEST         # the most
    START_SCORE = 50
    LOWEST_CONTRACT = 3
    CONTRACTS = 28
    CONTRACTS_END = LOWEST_CONTRACT + CONTRACTS
    TOKENS = 3                          # the most on one contract
    TURNS_EACH = 20                     # the most turns of a seat in a deal
    TURNS = TURNS_EACH * SEATS

# Ranges of the options.
cdef enum:
    LOWEST_TARGET = 100
    HIGHEST_TARGET = 10000
    MOST_DEALS = 1000

# Actions (reference: Moves and notation).
cdef enum:
    FIRST_BID = 0
    POT = FIRST_BID + CONTRACTS
    TAKE
    FIRST_DISCARD
    ANNOUNCE = FIRST_DISCARD + HIGHEST
    DECLINE
    VOID
    ACTIONS

# In the order of the phase names in game.pyx.
cdef enum Phase:
    BIDDING = 0
    TURN = 1
    DISCARDING = 2
    ANNOUNCING = 3
    OVER = 4

# A turn in the log is one byte: the discarded tile (0 while it is still to be chosen) and marks.
cdef enum:
    DISCARDED = 15
    TOOK = 16                           # the seat took the previous discard, not a tile of the pot
    ASKED = 32                          # the hand then made both contracts; this is public

# What `pack_options` writes and `setup` reads.
cdef struct Options:
    uint16_t target
    uint16_t max_deals
    uint8_t seats
    uint8_t blind_bids

# The last announcement and everything that decided its payments. All of it is public.
cdef struct Settlement:
    uint64_t hands[SEATS]
    uint32_t before[SEATS]              # scores
    uint16_t deal                       # counted from 1; 0 until a seat has announced
    uint8_t winner
    uint8_t contracts[SEATS][2]

cdef struct State:
    Rng rng                             # for later deals
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
    # The shuffled tiles. Once dealt, the first six are the sorted hand of seat 0, and so on; the
    # pot follows, next tile first. Drawn tiles stay here, because the log refers to them.
    uint8_t tiles[TILES]
    uint8_t drawn                       # how many tiles have left the pot, the dealt ones included


cdef inline int total_tiles(const State* s) noexcept nogil:
    return 2 * HIGHEST * s.seats


cdef inline bint is_dealt(const State* s) noexcept nogil:
    """Whether seats hold tiles: not before the last blind bid, and not after the match."""
    return s.phase != OVER and not (s.blind_bids and s.phase == BIDDING)


cdef inline int nth_seat(const State* s, int n) noexcept nogil:
    """The seat that places bid n or plays turn n, counted from 0."""
    return (s.starter + n) % s.seats
