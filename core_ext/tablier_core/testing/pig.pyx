"""Pig, a push-your-luck game for two seats and one die.

A seat rolls as often as it likes. A roll of 2 to 6 adds to the points of its turn; a 1 loses them
and ends the turn. Holding banks the points and ends the turn. The first seat that holds at the
target or above wins.

The folk rules leave two cases open. Here, a turn begins with a roll, and a seat whose bank and turn
together reach the target has to hold. This keeps the numbers small.
"""

from cpython.pycapsule cimport PyCapsule_New
from libc.stdint cimport uint8_t, uint32_t, uint64_t
from libc.string cimport memcmp, memcpy, memset

from tablier_core.abi cimport GameOps, move_t
from tablier_core.floats cimport put_choice, put_number, put_seats
from tablier_core.packing cimport put, take
from tablier_core.rng cimport GAME_STREAM, Rng, rng_below, rng_next, rng_seed

# ---- Facts and constants -------------------------------------------------------------------------

cdef enum Move:
    ROLL = 0
    HOLD = 1
    MOVES

cdef enum Phase:
    TURN = 0
    OVER = 1

cdef enum:
    SIDES = 6
    LEAST_TARGET = 2
    GREATEST_TARGET = 1000
    PACKED_SIZE = 17

cdef struct State:
    Rng dice                            # the future rolls, which nobody knows
    uint32_t target
    uint32_t bank[2]
    uint32_t turn                       # points of this turn, not banked yet
    int to_move                         # once the game is over: the winner

cdef struct Options:
    uint32_t target

cdef enum Fault:
    BAD_LENGTH = 1
    BAD_FIELD
    BAD_BANK
    BAD_TURN

cdef const char* FAULTS = (
    b"length: the state must be exactly 17 bytes\n"
    b"target, seat: a value is out of range\n"
    b"bank: no sequence of rolls and holds leads to it\n"
    b"turn: no sequence of rolls leads to it"
)

# ---- Rules ---------------------------------------------------------------------------------------


cdef inline bint is_over(const State* s) noexcept nogil:
    return s.bank[s.to_move] >= s.target


cdef void load_dice(State* s, Rng* rng) noexcept nogil:
    """Give the state a game stream of its own, at a random place."""
    cdef uint64_t high = rng_next(rng)
    rng_seed(&s.dice, high << 32 | rng_next(rng), GAME_STREAM)


cdef void setup(void* state, const void* options, Rng* rng) noexcept nogil:
    cdef State* s = <State*>state
    memset(s, 0, sizeof(State))
    s.target = (<const Options*>options).target
    load_dice(s, rng)


cdef int seats(const void* state) noexcept nogil:
    return 2


cdef int phase(const void* state) noexcept nogil:
    return OVER if is_over(<const State*>state) else TURN


cdef uint32_t actors(const void* state) noexcept nogil:
    cdef const State* s = <const State*>state
    return 0 if is_over(s) else <uint32_t>1 << s.to_move


cdef uint32_t moves(const void* state, int seat, move_t* out) noexcept nogil:
    cdef const State* s = <const State*>state
    cdef uint32_t n = 0
    if is_over(s) or seat != s.to_move:
        return 0
    if s.bank[seat] + s.turn < s.target:
        out[n] = ROLL
        n += 1
    if s.turn > 0:
        out[n] = HOLD
        n += 1
    return n


cdef void apply(void* state, int seat, move_t move) noexcept nogil:
    cdef State* s = <State*>state
    cdef uint32_t pips
    if move == ROLL:
        pips = 1 + rng_below(&s.dice, SIDES)
        if pips > 1:
            s.turn += pips
            return
    else:
        s.bank[seat] += s.turn
    s.turn = 0
    if not is_over(s):
        s.to_move = 1 - seat


cdef void scores(const void* state, double* out) noexcept nogil:
    cdef const State* s = <const State*>state
    out[0] = s.bank[0]
    out[1] = s.bank[1]


cdef void returns(const void* state, double* out) noexcept nogil:
    cdef int winner = (<const State*>state).to_move
    out[winner] = 1.0
    out[1 - winner] = -1.0


# ---- Notation ------------------------------------------------------------------------------------

cdef inline const char* word(move_t move) noexcept nogil:
    return b"roll" if move == ROLL else b"hold"


cdef int write_move(move_t move, char* out) noexcept nogil:
    memcpy(out, word(move), 4)
    return 4


cdef long read_move(const char* text, size_t length) noexcept nogil:
    cdef move_t move
    for move in range(MOVES):
        if length == 4 and memcmp(text, word(move), 4) == 0:
            return move
    return -1


# ---- Hidden information: nobody knows the future rolls -------------------------------------------

cdef void determinize(void* state, int viewer, Rng* rng) noexcept nogil:
    load_dice(<State*>state, rng)


cdef uint64_t infoset(const void* state, int viewer) noexcept nogil:
    """Combine everything but the dice. No field needs more than its 12 bits."""
    cdef const State* s = <const State*>state
    return (
        <uint64_t>s.to_move << 48 | <uint64_t>s.target << 36 | <uint64_t>s.turn << 24
        | <uint64_t>s.bank[1] << 12 | s.bank[0]
    )


# ---- Numbers for learners ------------------------------------------------------------------------

cdef enum:
    NUM_FEATURES = 2 + 2 + 1 + 2 + 1

# The last roll can exceed the target by five.
cdef const char* FEATURES = (
    b"phase 2 0 1 turn, over\n"
    b"actors 2 0 1 the seat to move, own first\n"
    b"target 1 2 1000 points that win\n"
    b"bank 2 0 1005 own points, then the rival's\n"
    b"turn 1 0 1005 points of this turn, not banked yet"
)


cdef void write_features(const void* state, int seat, float* out) noexcept nogil:
    cdef const State* s = <const State*>state
    put_choice(&out, phase(s), 2)
    put_seats(&out, actors(s), seat, 2, 2)
    put_number(&out, s.target)
    put_number(&out, s.bank[seat])
    put_number(&out, s.bank[1 - seat])
    put_number(&out, s.turn)


# ---- Bytes ---------------------------------------------------------------------------------------

cdef size_t pack(const void* state, uint8_t* out) noexcept nogil:
    cdef const State* s = <const State*>state
    cdef uint8_t* cursor = out
    put(&cursor, s.to_move, 1)
    put(&cursor, s.target, 2)
    put(&cursor, s.bank[0], 2)
    put(&cursor, s.bank[1], 2)
    put(&cursor, s.turn, 2)
    # The stream is always the game's, so its state is enough.
    put(&cursor, s.dice.state, 8)
    return PACKED_SIZE


cdef bint rolls_reach(uint32_t points, uint32_t target) noexcept nogil:
    """Return whether rolls of 2 to 6 can add up to these points, reaching the target last."""
    cdef uint32_t pips
    if points == 0:
        return True
    for pips in range(2, SIDES + 1):
        # Every sum except 1 can be rolled.
        if points >= pips and points - pips != 1 and points - pips < target:
            return True
    return False


cdef int unpack(void* state, const uint8_t* data, size_t length) noexcept nogil:
    cdef State* s = <State*>state
    cdef const uint8_t* cursor = data
    if length != PACKED_SIZE:
        return BAD_LENGTH
    s.to_move = <int>take(&cursor, 1)
    s.target = <uint32_t>take(&cursor, 2)
    s.bank[0] = <uint32_t>take(&cursor, 2)
    s.bank[1] = <uint32_t>take(&cursor, 2)
    s.turn = <uint32_t>take(&cursor, 2)
    rng_seed(&s.dice, 0, GAME_STREAM)
    s.dice.state = take(&cursor, 8)
    if s.to_move > 1 or not LEAST_TARGET <= s.target <= GREATEST_TARGET:
        return BAD_FIELD
    if s.bank[1 - s.to_move] >= s.target or not rolls_reach(s.bank[1 - s.to_move], s.target):
        return BAD_BANK
    if not rolls_reach(s.bank[s.to_move], s.target):
        return BAD_BANK
    if is_over(s):
        return BAD_TURN if s.turn else 0
    return 0 if rolls_reach(s.turn, s.target - s.bank[s.to_move]) else BAD_TURN


# ---- Options and facts, for Python ---------------------------------------------------------------

def pack_options(values):
    """Return the options struct as bytes."""
    cdef Options o
    o.target = values["target"]
    return (<const char*>&o)[:sizeof(o)]


def facts(bytes packed):
    """Return everything in a packed state, by name, except the future dice."""
    cdef State s
    cdef const uint8_t* data = packed
    if unpack(&s, data, len(packed)):
        raise ValueError("not a packed state of this game")
    return {
        "target": s.target,
        "bank": (s.bank[0], s.bank[1]),
        "turn": s.turn,
        "to_move": s.to_move,
        "winner": s.to_move if is_over(&s) else None,
    }


# ---- The game ------------------------------------------------------------------------------------

cdef GameOps OPS = GameOps(
    name="pig",
    rules_version=1,
    state_size=sizeof(State),
    options_size=sizeof(Options),
    max_moves=MOVES,
    num_actions=MOVES,
    min_seats=2,
    max_seats=2,
    phases="turn over",
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
