"""Rock, paper, scissors: the smallest game in which two seats choose at the same time.

Both seats choose secretly, in any order. Once both have chosen, the signs are revealed and
compared. No sign is better than another as long as the other seat does not know it.
"""

from cpython.pycapsule cimport PyCapsule_New
from libc.stdint cimport uint8_t, uint32_t, uint64_t
from libc.string cimport memcmp, memcpy

from tablier_core.abi cimport TABLE, GameOps, move_t
from tablier_core.floats cimport put_choice, put_seats
from tablier_core.packing cimport put, take
from tablier_core.rng cimport Rng, rng_below

# ---- Facts and constants -------------------------------------------------------------------------

# An action is a sign. Each sign beats the one before it, and rock beats scissors.
cdef enum Sign:
    ROCK = 0
    PAPER = 1
    SCISSORS = 2
    SIGNS
    NONE = SIGNS

cdef enum Phase:
    CHOICE = 0
    OVER = 1

cdef enum:
    PACKED_SIZE = 2

cdef struct State:
    uint8_t chosen[2]

cdef enum Fault:
    BAD_LENGTH = 1
    BAD_SIGN

cdef const char* FAULTS = (
    b"length: the state must be exactly 2 bytes\n"
    b"chosen: there is no such sign"
)

# ---- Rules ---------------------------------------------------------------------------------------


cdef inline bint is_over(const State* s) noexcept nogil:
    return s.chosen[0] != NONE and s.chosen[1] != NONE


cdef void setup(void* state, const void* options, Rng* rng) noexcept nogil:
    cdef State* s = <State*>state
    s.chosen[0] = s.chosen[1] = NONE


cdef int seats(const void* state) noexcept nogil:
    return 2


cdef int phase(const void* state) noexcept nogil:
    return OVER if is_over(<const State*>state) else CHOICE


cdef uint32_t actors(const void* state) noexcept nogil:
    cdef const State* s = <const State*>state
    return <uint32_t>(s.chosen[0] == NONE) | <uint32_t>(s.chosen[1] == NONE) << 1


cdef uint32_t moves(const void* state, int seat, move_t* out) noexcept nogil:
    cdef const State* s = <const State*>state
    cdef move_t sign
    if seat < 0 or s.chosen[seat] != NONE:
        return 0
    for sign in range(SIGNS):
        out[sign] = sign
    return SIGNS


cdef void apply(void* state, int seat, move_t move) noexcept nogil:
    (<State*>state).chosen[seat] = <uint8_t>move


cdef void scores(const void* state, double* out) noexcept nogil:
    cdef const State* s = <const State*>state
    cdef int lead = (SIGNS + s.chosen[0] - s.chosen[1]) % SIGNS if is_over(s) else 0
    out[0] = 1.0 if lead == 1 else 0.0
    out[1] = 1.0 if lead == 2 else 0.0


cdef void returns(const void* state, double* out) noexcept nogil:
    cdef double points[2]
    scores(state, points)
    out[0] = points[0] - points[1]
    out[1] = points[1] - points[0]


# ---- Notation ------------------------------------------------------------------------------------

cdef inline const char* word(move_t move) noexcept nogil:
    return b"rock" if move == ROCK else b"paper" if move == PAPER else b"scissors"


cdef inline int length_of(move_t move) noexcept nogil:
    return 4 if move == ROCK else 5 if move == PAPER else 8


cdef int write_move(move_t move, char* out) noexcept nogil:
    memcpy(out, word(move), length_of(move))
    return length_of(move)


cdef long read_move(const char* text, size_t length) noexcept nogil:
    cdef move_t move
    for move in range(SIGNS):
        if length == <size_t>length_of(move) and memcmp(text, word(move), length) == 0:
            return move
    return -1


# ---- Hidden information: the other seat's sign, until both have chosen ---------------------------

cdef void determinize(void* state, int viewer, Rng* rng) noexcept nogil:
    cdef State* s = <State*>state
    if viewer != TABLE and not is_over(s) and s.chosen[1 - viewer] != NONE:
        s.chosen[1 - viewer] = <uint8_t>rng_below(rng, SIGNS)


cdef uint64_t infoset(const void* state, int viewer) noexcept nogil:
    """Combine the viewer with each seat's sign, or with a mark for no sign or an unseen one."""
    cdef const State* s = <const State*>state
    cdef uint64_t known = viewer + 1
    cdef int seat
    for seat in range(2):
        if viewer in (TABLE, seat) or is_over(s) or s.chosen[seat] == NONE:
            known = known << 8 | s.chosen[seat]
        else:
            known = known << 8 | (NONE + 1)
    return known


# ---- Numbers for learners ------------------------------------------------------------------------

cdef enum:
    NUM_FEATURES = 2 + 2 + 2 * SIGNS

cdef const char* FEATURES = (
    b"phase 2 0 1 choice, over\n"
    b"actors 2 0 1 the seats that have not chosen, own first\n"
    b"signs 2x3 0 1 rock, paper or scissors: own sign, then the rival's once both have chosen"
)


cdef void write_features(const void* state, int seat, float* out) noexcept nogil:
    cdef const State* s = <const State*>state
    put_choice(&out, phase(s), 2)
    put_seats(&out, actors(s), seat, 2, 2)
    put_choice(&out, s.chosen[seat], SIGNS)
    put_choice(&out, s.chosen[1 - seat] if is_over(s) else NONE, SIGNS)


# ---- Bytes ---------------------------------------------------------------------------------------

cdef size_t pack(const void* state, uint8_t* out) noexcept nogil:
    cdef const State* s = <const State*>state
    cdef uint8_t* cursor = out
    put(&cursor, s.chosen[0], 1)
    put(&cursor, s.chosen[1], 1)
    return PACKED_SIZE


cdef int unpack(void* state, const uint8_t* data, size_t length) noexcept nogil:
    cdef State* s = <State*>state
    cdef const uint8_t* cursor = data
    if length != PACKED_SIZE:
        return BAD_LENGTH
    s.chosen[0] = <uint8_t>take(&cursor, 1)
    s.chosen[1] = <uint8_t>take(&cursor, 1)
    return BAD_SIGN if s.chosen[0] > NONE or s.chosen[1] > NONE else 0


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
        "chosen": tuple([None if s.chosen[seat] == NONE else s.chosen[seat] for seat in range(2)]),
        "shown": is_over(&s),
    }


# ---- The game ------------------------------------------------------------------------------------

cdef GameOps OPS = GameOps(
    name="rock-paper-scissors",
    rules_version=1,
    state_size=sizeof(State),
    options_size=0,
    max_moves=SIGNS,
    num_actions=SIGNS,
    min_seats=2,
    max_seats=2,
    phases="choice over",
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
