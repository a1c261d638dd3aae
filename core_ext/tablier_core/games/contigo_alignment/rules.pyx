"""Contigo, the alignment game for two seats: its rules, its bytes, and last the table of both.

The rules page is docs/reference/contigo-alignment.md; section names in the comments are its headings.
"""

from cpython.pycapsule cimport PyCapsule_New
from libc.stdint cimport uint8_t, uint32_t, uint64_t
from libc.string cimport memcpy, memset

from tablier_core.abi cimport GameOps, move_t
from tablier_core.games.contigo.board cimport (
    PITS, SIZE, SQUARES,
    beads_valid, bit, destination, free_squares, has, in_line, is_right_angle, lowest, read_square,
    straight, straight_target, write_square,
)
from tablier_core.games.contigo.sowing cimport (
    SOWINGS, list_sowings, read_sowing, sow, write_sowing,
)
from tablier_core.games.contigo_alignment.engine cimport evaluate, rank
from tablier_core.games.contigo_alignment.lines cimport holds_line
from tablier_core.games.contigo_alignment.state cimport (
    ACTIONS, FIRST_ELL, FIRST_SOWING, NOBODY, OVER, PAWN, SOW,
    State, can_move, ell, ell_target, pawn_origin, pawn_target,
)
from tablier_core.packing cimport put, take
from tablier_core.rng cimport Rng, rng_below

from tablier_core.errors import OptionError
from tablier_core.games.contigo.layout import read_layout

# ---- Facts and constants -------------------------------------------------------------------------

cdef enum:
    RANDOM = 2                          # as the first seat: drawn by lot
    PACKED_SIZE = 50

cdef struct Options:
    uint64_t pawns[2]
    uint32_t turn_limit
    uint8_t beads[PITS]
    uint8_t first
    uint8_t advanced

cdef enum Fault:
    BAD_LENGTH = 1
    BAD_FIELD
    BAD_PAWNS
    BAD_BEADS
    BAD_TURNS
    BAD_PHASE
    BAD_LINE

cdef const char* FAULTS = (
    b"length: the state must be exactly 50 bytes\n"
    b"phase, seat, winner, advanced: a value is out of range\n"
    b"pawns: a square is off the board or holds two pawns\n"
    b"beads: a pit holds more than 6, or the total is not between 1 and 167\n"
    b"turns: they do not agree with the limit and the phase\n"
    b"phase: it does not follow from the position\n"
    b"pawns: a line is held that would have ended the game earlier, or none by the winner"
)

# ---- Predicates ----------------------------------------------------------------------------------

cdef inline bint has_line(const State* s, int seat) noexcept nogil:
    """Alignment: the seat is four in line."""
    return holds_line(s.pawns[seat], s.pawns[1 - seat])


# ---- Moves ---------------------------------------------------------------------------------------

cdef uint32_t list_straights(const State* s, int seat, move_t* out) noexcept nogil:
    cdef uint64_t rest = s.pawns[seat], free = free_squares(s.pawns[0] | s.pawns[1])
    cdef int origin, direction, target
    cdef uint32_t n = 0
    while rest:
        origin = lowest(rest)
        rest &= rest - 1
        for direction in range(4):
            target = destination(s.beads, origin, direction)
            # Written in any case, and kept if it counts: no branch to guess wrong.
            out[n] = straight(origin, target)
            n += has(free, target)
    return n


cdef uint32_t list_ells(const State* s, int seat, move_t* out) noexcept nogil:
    """Advanced: two straight moves at a right angle, each ending on a free square."""
    cdef uint64_t rest = s.pawns[seat], free = free_squares(s.pawns[0] | s.pawns[1])
    cdef int origin, first, second, corner, target
    cdef uint32_t n = 0
    while rest:
        origin = lowest(rest)
        rest &= rest - 1
        for first in range(4):
            corner = destination(s.beads, origin, first)
            if not has(free, corner):
                continue
            for second in range(4):
                if is_right_angle(first, second):
                    target = destination(s.beads, corner, second)
                    out[n] = FIRST_ELL + ell(origin, corner, target)
                    n += has(free, target)
    return n


cdef uint32_t list_pawn_moves(const State* s, int seat, move_t* out) noexcept nogil:
    return list_ells(s, seat, out) if s.advanced else list_straights(s, seat, out)


cdef bint has_pawn_move(const State* s, int seat) noexcept nogil:
    """Whether `list_pawn_moves` would find any: the first is enough."""
    return can_move(s.pawns[seat], s.pawns[1 - seat], s.beads, s.advanced)


cdef uint32_t moves(const void* state, int seat, move_t* out) noexcept nogil:
    cdef const State* s = <const State*>state
    if s.phase == OVER or seat != s.to_move:
        return 0
    if s.phase == SOW:
        return list_sowings(s.beads, FIRST_SOWING, out)
    return list_pawn_moves(s, seat, out)


# ---- Apply ---------------------------------------------------------------------------------------

cdef void begin_turn(State* s) noexcept nogil:
    """A turn: the three tests at its beginning, in the page's order."""
    if s.turn_limit and s.turns >= s.turn_limit:
        s.phase = OVER
    elif has_pawn_move(s, s.to_move):
        s.phase = PAWN
    elif has_line(s, s.to_move):
        s.phase = OVER
        s.winner = s.to_move
    else:
        s.phase = SOW


cdef void move_pawn(State* s, int seat, int origin, int target) noexcept nogil:
    s.pawns[seat] ^= bit(origin) | bit(target)
    if has_line(s, seat):
        s.phase = OVER
        s.winner = <uint8_t>seat
    else:
        s.phase = SOW


cdef void sow_beads(State* s, uint32_t sowing) noexcept nogil:
    sow(s.beads, sowing)
    # Without a limit the count is only told, so it may stop growing at its end.
    if s.turns < 0xFFFFFFFFu:
        s.turns += 1
    s.to_move = 1 - s.to_move
    begin_turn(s)


cdef void apply(void* state, int seat, move_t move) noexcept nogil:
    cdef State* s = <State*>state
    if move >= FIRST_SOWING:
        sow_beads(s, move - FIRST_SOWING)
    else:
        move_pawn(s, seat, pawn_origin(move), pawn_target(move))


cdef void setup(void* state, const void* options, Rng* rng) noexcept nogil:
    cdef State* s = <State*>state
    cdef const Options* o = <const Options*>options
    memset(s, 0, sizeof(State))
    s.pawns[0] = o.pawns[0]
    s.pawns[1] = o.pawns[1]
    memcpy(s.beads, o.beads, PITS)
    s.turn_limit = o.turn_limit
    s.advanced = o.advanced
    s.winner = NOBODY
    s.to_move = <uint8_t>rng_below(rng, 2) if o.first == RANDOM else o.first
    begin_turn(s)


cdef int seats(const void* state) noexcept nogil:
    return 2


cdef int phase(const void* state) noexcept nogil:
    return (<const State*>state).phase


cdef uint32_t actors(const void* state) noexcept nogil:
    cdef const State* s = <const State*>state
    return 0 if s.phase == OVER else <uint32_t>1 << s.to_move


# ---- Scoring -------------------------------------------------------------------------------------

cdef void scores(const void* state, double* out) noexcept nogil:
    cdef int winner = (<const State*>state).winner
    out[0] = 1.0 if winner == 0 else 0.0
    out[1] = 1.0 if winner == 1 else 0.0


cdef void returns(const void* state, double* out) noexcept nogil:
    cdef int winner = (<const State*>state).winner
    out[0] = 0.0 if winner == NOBODY else (1.0 if winner == 0 else -1.0)
    out[1] = -out[0] if winner != NOBODY else 0.0


# ---- Notation ------------------------------------------------------------------------------------

cdef int write_move(move_t move, char* out) noexcept nogil:
    cdef uint32_t first_leg
    if move >= FIRST_SOWING:
        return write_sowing(move - FIRST_SOWING, out)
    first_leg = (move - FIRST_ELL) // 5 if move >= FIRST_ELL else move
    write_square(<int>(first_leg // 10), out)
    out[2] = b"-"
    write_square(straight_target(first_leg), out + 3)
    if move < FIRST_ELL:
        return 5
    out[5] = b"-"
    write_square(ell_target(move - FIRST_ELL), out + 6)
    return 8


cdef long read_move(const char* text, size_t length) noexcept nogil:
    cdef int origin, corner, target
    cdef long sowing
    if length == 0 or not 97 <= text[0] <= 122:
        sowing = read_sowing(text, length)
        return sowing if sowing < 0 else FIRST_SOWING + sowing
    if length != 5 and length != 8 or text[2] != b"-":
        return -1
    origin = read_square(text)
    corner = read_square(text + 3)
    if origin < 0 or corner < 0 or not in_line(origin, corner):
        return -1
    if length == 5:
        return straight(origin, corner)
    target = read_square(text + 6)
    if text[5] != b"-" or target < 0 or not in_line(corner, target):
        return -1
    # The second leg stands at a right angle to the first.
    if (origin % SIZE == corner % SIZE) == (corner % SIZE == target % SIZE):
        return -1
    return FIRST_ELL + ell(origin, corner, target)


# ---- Bytes ---------------------------------------------------------------------------------------

cdef size_t pack(const void* state, uint8_t* out) noexcept nogil:
    cdef const State* s = <const State*>state
    cdef uint8_t* cursor = out
    put(&cursor, s.phase, 1)
    put(&cursor, s.to_move, 1)
    put(&cursor, s.winner, 1)
    put(&cursor, s.advanced, 1)
    put(&cursor, s.turns, 4)
    put(&cursor, s.turn_limit, 4)
    put(&cursor, s.pawns[0], 5)
    put(&cursor, s.pawns[1], 5)
    memcpy(cursor, s.beads, PITS)
    return PACKED_SIZE


cdef int unpack(void* state, const uint8_t* data, size_t length) noexcept nogil:
    cdef State* s = <State*>state
    cdef const uint8_t* cursor = data
    if length != PACKED_SIZE:
        return BAD_LENGTH
    memset(s, 0, sizeof(State))
    s.phase = <uint8_t>take(&cursor, 1)
    s.to_move = <uint8_t>take(&cursor, 1)
    s.winner = <uint8_t>take(&cursor, 1)
    s.advanced = <uint8_t>take(&cursor, 1)
    s.turns = <uint32_t>take(&cursor, 4)
    s.turn_limit = <uint32_t>take(&cursor, 4)
    s.pawns[0] = take(&cursor, 5)
    s.pawns[1] = take(&cursor, 5)
    memcpy(s.beads, cursor, PITS)
    if s.phase > OVER or s.to_move > 1 or s.winner > NOBODY or s.advanced > 1:
        return BAD_FIELD
    if s.pawns[0] & s.pawns[1] or (s.pawns[0] | s.pawns[1]) >> SQUARES:
        return BAD_PAWNS
    if not beads_valid(s.beads):
        return BAD_BEADS
    return check_phase(s)


cdef int check_phase(const State* s) noexcept nogil:
    """The phase and winner that the rest of the state allows; 0 if they are what is there."""
    cdef int mover = s.to_move
    cdef bint limit_reached = s.turn_limit != 0 and s.turns >= s.turn_limit
    if s.turn_limit and s.turns > s.turn_limit:
        return BAD_TURNS
    if s.winner != NOBODY:
        # Won on the pawn move, or at the beginning of a turn: by the seat to move either way.
        if s.phase != OVER or s.winner != mover or limit_reached:
            return BAD_PHASE
        return 0 if has_line(s, mover) else BAD_LINE
    if limit_reached != (s.phase == OVER):
        return BAD_TURNS
    if s.phase == SOW:
        # The mover was tested after its pawn move, or at the beginning of the turn.
        return BAD_LINE if has_line(s, mover) else 0
    if s.phase == PAWN and not has_pawn_move(s, mover):
        return BAD_PHASE
    # The other seat has just sown, and so had no line; none is held in the beginning either.
    return BAD_LINE if has_line(s, 1 - mover) else 0


# ---- Options and facts, for Python ---------------------------------------------------------------

def pack_options(values):
    """Fill the options struct from checked values; the layout's form is checked here."""
    cdef Options o
    cdef State s
    cdef int pit, seat
    memset(&o, 0, sizeof(o))
    memset(&s, 0, sizeof(s))
    squares = read_layout(values["layout"], "RB")
    o.pawns[0] = s.pawns[0] = squares["R"]
    o.pawns[1] = s.pawns[1] = squares["B"]
    for seat in range(2):
        if has_line(&s, seat):
            raise OptionError("layout", "a line is already held, so the game would be over")
    for pit, count in enumerate(values["beads"]):
        o.beads[pit] = count
    if not beads_valid(o.beads):
        raise OptionError("beads", "must hold between 1 and 167 beads in all")
    o.first = RANDOM if values["first"] is None else values["first"]
    o.advanced = values["advanced"]
    o.turn_limit = values["turn_limit"]
    return (<const char*>&o)[:sizeof(o)]


def facts(bytes packed):
    """Everything that a packed state says, by name."""
    cdef State s
    cdef const uint8_t* data = packed
    if unpack(&s, data, len(packed)):
        raise ValueError("not a packed state of this game")
    return {
        "pawns": (s.pawns[0], s.pawns[1]),
        "beads": tuple([s.beads[pit] for pit in range(PITS)]),
        "to_move": s.to_move,
        "turns": s.turns,
        "turn_limit": s.turn_limit,
        "advanced": bool(s.advanced),
        "winner": None if s.winner == NOBODY else s.winner,
    }


# ---- The game ------------------------------------------------------------------------------------

cdef GameOps OPS = GameOps(
    name="contigo-alignment",
    rules_version=1,
    state_size=sizeof(State),
    options_size=sizeof(Options),
    max_moves=SOWINGS,
    num_actions=ACTIONS,
    min_seats=2,
    max_seats=2,
    phases="pawn sow over",
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
    determinize=NULL,
    infoset=NULL,
    evaluate=evaluate,
    pick=NULL,
    narrow=NULL,
    rank=rank,
    pack=pack,
    unpack=unpack,
)

ops = PyCapsule_New(&OPS, "tablier_core.GameOps", NULL)
