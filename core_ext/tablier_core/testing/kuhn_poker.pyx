"""Kuhn poker: three cards, one bet, and the smallest game in which bluffing pays.

Each of two seats puts one chip into the pot and gets a jack, a queen or a king. Seat 0 acts first.
`bet` adds a chip, or calls a bet. `pass` checks, or folds after a bet. If nobody bet, or if the bet
was called, the higher card wins the pot.

Scores are the chips won or lost. Returns are half of that, because at most two chips are at stake.
"""

from cpython.pycapsule cimport PyCapsule_New
from libc.stdint cimport uint8_t, uint32_t, uint64_t
from libc.string cimport memcmp, memcpy

from tablier_core.abi cimport TABLE, GameOps, move_t
from tablier_core.floats cimport put_choice, put_seats
from tablier_core.packing cimport put, take
from tablier_core.rng cimport Rng, rng_below

# ---- Facts and constants -------------------------------------------------------------------------

cdef enum Move:
    PASS = 0
    BET = 1
    MOVES

cdef enum Phase:
    BETTING = 0
    OVER = 1

cdef enum:
    CARDS = 3
    MOST_CHIPS = 2                      # the most that a seat can win or lose
    PACKED_SIZE = 3

# The moves so far: a leading 1, then one bit per move, so that every sequence has its own number.
cdef enum Talk:
    NOTHING = 0b1
    P = 0b10
    B = 0b11
    PP = 0b100
    PB = 0b101
    BP = 0b110
    BB = 0b111
    PBP = 0b1010
    PBB = 0b1011

cdef struct State:
    uint8_t cards[2]
    uint8_t talk

cdef enum Fault:
    BAD_LENGTH = 1
    BAD_CARDS
    BAD_TALK

cdef const char* FAULTS = (
    b"length: the state must be exactly 3 bytes\n"
    b"cards: a card is not in the deck or was dealt twice\n"
    b"talk: no game has this sequence of moves"
)

# ---- Rules ---------------------------------------------------------------------------------------


cdef inline int speaker(const State* s) noexcept nogil:
    """The seat whose word is due."""
    return 1 if s.talk == P or s.talk == B else 0


cdef inline bint is_over(const State* s) noexcept nogil:
    return s.talk >= PP and s.talk != PB


cdef inline int folder(const State* s) noexcept nogil:
    """The seat that gave the pot away, or -1."""
    return 1 if s.talk == BP else 0 if s.talk == PBP else -1


cdef void setup(void* state, const void* options, Rng* rng) noexcept nogil:
    cdef State* s = <State*>state
    s.cards[0] = <uint8_t>rng_below(rng, CARDS)
    s.cards[1] = (s.cards[0] + 1 + <uint8_t>rng_below(rng, CARDS - 1)) % CARDS
    s.talk = NOTHING


cdef int seats(const void* state) noexcept nogil:
    return 2


cdef int phase(const void* state) noexcept nogil:
    return OVER if is_over(<const State*>state) else BETTING


cdef uint32_t actors(const void* state) noexcept nogil:
    cdef const State* s = <const State*>state
    return 0 if is_over(s) else <uint32_t>1 << speaker(s)


cdef uint32_t moves(const void* state, int seat, move_t* out) noexcept nogil:
    cdef const State* s = <const State*>state
    if is_over(s) or seat != speaker(s):
        return 0
    out[0] = PASS
    out[1] = BET
    return MOVES


cdef void apply(void* state, int seat, move_t move) noexcept nogil:
    cdef State* s = <State*>state
    s.talk = <uint8_t>(s.talk << 1 | move)


cdef void scores(const void* state, double* out) noexcept nogil:
    """Write the chips won; 0 until the pot is won."""
    cdef const State* s = <const State*>state
    cdef int winner
    out[0] = out[1] = 0.0
    if not is_over(s):
        return
    if folder(s) >= 0:
        winner = 1 - folder(s)
    else:
        winner = 0 if s.cards[0] > s.cards[1] else 1
    out[winner] = 2.0 if s.talk == BB or s.talk == PBB else 1.0
    out[1 - winner] = -out[winner]


cdef void returns(const void* state, double* out) noexcept nogil:
    """Write the chips, scaled so that the largest win is 1."""
    scores(state, out)
    out[0] /= MOST_CHIPS
    out[1] /= MOST_CHIPS


# ---- Notation ------------------------------------------------------------------------------------

cdef int write_move(move_t move, char* out) noexcept nogil:
    if move == PASS:
        memcpy(out, b"pass", 4)
        return 4
    memcpy(out, b"bet", 3)
    return 3


cdef long read_move(const char* text, size_t length) noexcept nogil:
    if length == 4 and memcmp(text, b"pass", 4) == 0:
        return PASS
    if length == 3 and memcmp(text, b"bet", 3) == 0:
        return BET
    return -1


# ---- Hidden information: the other card, until the cards are compared ----------------------------

cdef inline bint sees_both(const State* s, int viewer) noexcept nogil:
    return viewer == TABLE or (is_over(s) and folder(s) < 0)


cdef void determinize(void* state, int viewer, Rng* rng) noexcept nogil:
    cdef State* s = <State*>state
    if not sees_both(s, viewer):
        s.cards[1 - viewer] = (s.cards[viewer] + 1 + <uint8_t>rng_below(rng, CARDS - 1)) % CARDS


cdef uint64_t infoset(const void* state, int viewer) noexcept nogil:
    """Put the viewer, the moves and the visible cards into one byte each."""
    cdef const State* s = <const State*>state
    cdef uint64_t known = <uint64_t>(viewer + 1) << 8 | s.talk
    cdef int seat
    for seat in range(2):
        known = known << 8 | (s.cards[seat] if seat == viewer or sees_both(s, viewer) else CARDS)
    return known


# ---- Numbers for learners ------------------------------------------------------------------------

cdef enum:
    MOST_WORDS = 3
    NUM_FEATURES = 2 + 2 + 2 * CARDS + MOST_WORDS * MOVES

cdef const char* FEATURES = (
    b"phase 2 0 1 betting, over\n"
    b"actors 2 0 1 the seat to move, own first\n"
    b"cards 2x3 0 1 jack, queen or king: own card, then the rival's, which is empty if hidden\n"
    b"said 3x2 0 1 the moves so far, each pass or bet"
)


cdef int count_words(const State* s) noexcept nogil:
    """Return the number of moves so far: the digits after the leading 1."""
    cdef int n = 0
    while s.talk >> (n + 1):
        n += 1
    return n


cdef void write_features(const void* state, int seat, float* out) noexcept nogil:
    cdef const State* s = <const State*>state
    cdef int i, n = count_words(s)
    put_choice(&out, phase(s), 2)
    put_seats(&out, actors(s), seat, 2, 2)
    put_choice(&out, s.cards[seat], CARDS)
    put_choice(&out, s.cards[1 - seat] if sees_both(s, seat) else CARDS, CARDS)
    for i in range(MOST_WORDS):
        put_choice(&out, s.talk >> (n - 1 - i) & 1 if i < n else MOVES, MOVES)


# ---- Bytes ---------------------------------------------------------------------------------------

cdef size_t pack(const void* state, uint8_t* out) noexcept nogil:
    cdef const State* s = <const State*>state
    cdef uint8_t* cursor = out
    put(&cursor, s.cards[0], 1)
    put(&cursor, s.cards[1], 1)
    put(&cursor, s.talk, 1)
    return PACKED_SIZE


cdef int unpack(void* state, const uint8_t* data, size_t length) noexcept nogil:
    cdef State* s = <State*>state
    cdef const uint8_t* cursor = data
    if length != PACKED_SIZE:
        return BAD_LENGTH
    s.cards[0] = <uint8_t>take(&cursor, 1)
    s.cards[1] = <uint8_t>take(&cursor, 1)
    s.talk = <uint8_t>take(&cursor, 1)
    if s.cards[0] >= CARDS or s.cards[1] >= CARDS or s.cards[0] == s.cards[1]:
        return BAD_CARDS
    if not (NOTHING <= s.talk <= BB or s.talk == PBP or s.talk == PBB):
        return BAD_TALK
    return 0


# ---- Options and facts, for Python ---------------------------------------------------------------

def pack_options(values):
    """Return no bytes: the game has no options."""
    return b""


def facts(bytes packed):
    """Return everything in a packed state, by name."""
    cdef State s
    cdef const uint8_t* data = packed
    if unpack(&s, data, len(packed)):
        raise ValueError("not a packed state of this game")
    return {
        "cards": (s.cards[0], s.cards[1]),
        # The digits after the leading 1.
        "talk": tuple([int(digit) for digit in bin(s.talk)[3:]]),
        "compared": sees_both(&s, 0),
    }


# ---- The game ------------------------------------------------------------------------------------

cdef GameOps OPS = GameOps(
    name="kuhn-poker",
    rules_version=1,
    state_size=sizeof(State),
    options_size=0,
    max_moves=MOVES,
    num_actions=MOVES,
    min_seats=2,
    max_seats=2,
    phases="betting over",
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
    features_version=1,
    num_features=NUM_FEATURES,
    features=FEATURES,
    write_features=write_features,
    evaluate=NULL,
    pick=NULL,
    narrow=NULL,
    rank=NULL,
    pack=pack,
    unpack=unpack,
)

ops = PyCapsule_New(&OPS, "tablier_core.GameOps", NULL)
