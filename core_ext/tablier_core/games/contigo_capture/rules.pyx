"""Contigo, the capture game for four seats: its rules, its bytes, and last the table of both.

The rules page is docs/reference/contigo-capture.md; section names in the comments are its headings.
"""

from cpython.pycapsule cimport PyCapsule_New
from libc.stdint cimport uint8_t, uint32_t, uint64_t
from libc.string cimport memcpy, memset

from tablier_core.abi cimport GameOps, move_t
from tablier_core.games.contigo.board cimport (
    PITS, SQUARES, beads_valid, bit, in_line, read_square, straight, straight_target, write_square,
)
from tablier_core.games.contigo.sowing cimport SOWINGS, read_sowing, write_sowing
from tablier_core.games.contigo_capture.engine cimport evaluate, rank
from tablier_core.games.contigo_capture.play cimport (
    apply, begin_turn, can_capture, find_winner, has_piece_move, moves,
)
from tablier_core.games.contigo_capture.state cimport (
    ACTIONS, CHAIN, COLOURS, FIRST_CAPTURE, FIRST_SOWING, NOBODY, NOWHERE, OVER, PAWN, STOP,
    State, controlled, count_squares, is_in,
)
from tablier_core.packing cimport put, take
from tablier_core.rng cimport Rng, rng_below

from tablier_core.errors import OptionError
from tablier_core.games.contigo.layout import read_layout

# ---- Facts and constants -------------------------------------------------------------------------

cdef enum:
    RANDOM = 4                          # as the first seat: drawn by lot
    PACKED_SIZE = 70

cdef struct Options:
    uint64_t pieces[COLOURS]
    uint64_t kings
    uint32_t turn_limit
    uint8_t beads[PITS]
    uint8_t first
    uint8_t quick

cdef enum Fault:
    BAD_LENGTH = 1
    BAD_FIELD
    BAD_PIECES
    BAD_KINGS
    BAD_OWNER
    BAD_BEADS
    BAD_TURNS
    BAD_PHASE
    BAD_WINNER

cdef const char* FAULTS = (
    b"length: the state must be exactly 70 bytes\n"
    b"phase, seat, chain, winner, quick: a value is out of range\n"
    b"pieces: a square is off the board or holds two pieces\n"
    b"kings: a seat has more than one, or one stands where its colour does not\n"
    b"owner: a colour is controlled by a seat that is out, or away from a seat that is in\n"
    b"beads: a pit holds more than 6, or the total is not between 1 and 167\n"
    b"turns: they do not agree with the limit and the phase\n"
    b"phase: it does not follow from the position\n"
    b"winner: it does not follow from the position"
)

# ---- The beginning -------------------------------------------------------------------------------

cdef void setup(void* state, const void* options, Rng* rng) noexcept nogil:
    cdef State* s = <State*>state
    cdef const Options* o = <const Options*>options
    cdef int colour
    memset(s, 0, sizeof(State))
    for colour in range(COLOURS):
        s.pieces[colour] = o.pieces[colour]
        s.owner[colour] = <uint8_t>colour
    s.kings = o.kings
    memcpy(s.beads, o.beads, PITS)
    s.turn_limit = o.turn_limit
    s.quick = o.quick
    s.winner = NOBODY
    s.chain = NOWHERE
    s.to_move = <uint8_t>rng_below(rng, COLOURS) if o.first == RANDOM else o.first
    begin_turn(s)


cdef int seats(const void* state) noexcept nogil:
    return COLOURS


cdef int phase(const void* state) noexcept nogil:
    return (<const State*>state).phase


cdef uint32_t actors(const void* state) noexcept nogil:
    cdef const State* s = <const State*>state
    return 0 if s.phase == OVER else <uint32_t>1 << s.to_move


# ---- Scoring -------------------------------------------------------------------------------------

cdef void scores(const void* state, double* out) noexcept nogil:
    cdef int seat, winner = (<const State*>state).winner
    for seat in range(COLOURS):
        out[seat] = 1.0 if seat == winner else 0.0


cdef void returns(const void* state, double* out) noexcept nogil:
    cdef const State* s = <const State*>state
    cdef int seat
    for seat in range(COLOURS):
        if s.winner == NOBODY:
            out[seat] = 0.0 if is_in(s, seat) else -1.0
        else:
            out[seat] = 1.0 if seat == s.winner else -1.0


# ---- Notation ------------------------------------------------------------------------------------

cdef int write_move(move_t move, char* out) noexcept nogil:
    cdef bint captures = FIRST_CAPTURE <= move < STOP
    if move >= FIRST_SOWING:
        return write_sowing(move - FIRST_SOWING, out)
    if move == STOP:
        memcpy(out, b"stop", 4)
        return 4
    if captures:
        move -= FIRST_CAPTURE
    write_square(<int>(move // 10), out)
    out[2] = b"x" if captures else b"-"
    write_square(straight_target(move), out + 3)
    return 5


cdef long read_move(const char* text, size_t length) noexcept nogil:
    cdef int origin, target
    cdef long sowing
    if length == 0 or not 97 <= text[0] <= 122:
        sowing = read_sowing(text, length)
        return sowing if sowing < 0 else FIRST_SOWING + sowing
    if length == 4 and text[0] == b"s" and text[1] == b"t" and text[2] == b"o" and text[3] == b"p":
        return STOP
    if length != 5 or (text[2] != b"-" and text[2] != b"x"):
        return -1
    origin = read_square(text)
    target = read_square(text + 3)
    if origin < 0 or target < 0 or not in_line(origin, target):
        return -1
    return (FIRST_CAPTURE if text[2] == b"x" else 0) + straight(origin, target)


# ---- Bytes ---------------------------------------------------------------------------------------

cdef size_t pack(const void* state, uint8_t* out) noexcept nogil:
    cdef const State* s = <const State*>state
    cdef uint8_t* cursor = out
    cdef int colour
    put(&cursor, s.phase, 1)
    put(&cursor, s.to_move, 1)
    put(&cursor, s.chain, 1)
    put(&cursor, s.winner, 1)
    put(&cursor, s.quick, 1)
    put(&cursor, s.turns, 4)
    put(&cursor, s.turn_limit, 4)
    for colour in range(COLOURS):
        put(&cursor, s.pieces[colour], 5)
    put(&cursor, s.kings, 5)
    for colour in range(COLOURS):
        put(&cursor, s.owner[colour], 1)
    memcpy(cursor, s.beads, PITS)
    return PACKED_SIZE


cdef int unpack(void* state, const uint8_t* data, size_t length) noexcept nogil:
    cdef State* s = <State*>state
    cdef const uint8_t* cursor = data
    cdef int colour, fault
    if length != PACKED_SIZE:
        return BAD_LENGTH
    memset(s, 0, sizeof(State))
    s.phase = <uint8_t>take(&cursor, 1)
    s.to_move = <uint8_t>take(&cursor, 1)
    s.chain = <uint8_t>take(&cursor, 1)
    s.winner = <uint8_t>take(&cursor, 1)
    s.quick = <uint8_t>take(&cursor, 1)
    s.turns = <uint32_t>take(&cursor, 4)
    s.turn_limit = <uint32_t>take(&cursor, 4)
    for colour in range(COLOURS):
        s.pieces[colour] = take(&cursor, 5)
    s.kings = take(&cursor, 5)
    for colour in range(COLOURS):
        s.owner[colour] = <uint8_t>take(&cursor, 1)
    memcpy(s.beads, cursor, PITS)
    if s.phase > OVER or s.to_move >= COLOURS or s.chain > NOWHERE or s.winner > NOBODY:
        return BAD_FIELD
    if s.quick > 1:
        return BAD_FIELD
    fault = check_pieces(s)
    if fault:
        return fault
    if not beads_valid(s.beads):
        return BAD_BEADS
    return check_phase(s)


cdef int check_pieces(const State* s) noexcept nogil:
    """Every piece stands once, Kings make seats, and only seats in play control anything."""
    cdef uint64_t seen = 0
    cdef int colour
    for colour in range(COLOURS):
        if s.pieces[colour] >> SQUARES or s.pieces[colour] & seen:
            return BAD_PIECES
        seen |= s.pieces[colour]
    if s.kings & ~seen:
        return BAD_KINGS
    for colour in range(COLOURS):
        if s.owner[colour] >= COLOURS or s.owner[s.owner[colour]] != s.owner[colour]:
            return BAD_OWNER
        if count_squares(s.kings & s.pieces[colour]) != (1 if s.owner[colour] == colour else 0):
            return BAD_KINGS
    return 0 if is_in(s, s.to_move) else BAD_OWNER


cdef int check_phase(const State* s) noexcept nogil:
    """The phase, chain and winner that the rest of the state allows."""
    cdef int winner = find_winner(s)
    cdef bint limit_reached = s.turn_limit != 0 and s.turns >= s.turn_limit
    if s.winner != winner:
        return BAD_WINNER
    if s.turn_limit and s.turns > s.turn_limit:
        return BAD_TURNS
    if (s.phase == CHAIN) != (s.chain != NOWHERE):
        return BAD_PHASE
    if winner != NOBODY:
        # The end comes with a capture, in a turn that the limit allowed.
        return BAD_PHASE if s.phase != OVER or limit_reached else 0
    if limit_reached != (s.phase == OVER):
        return BAD_TURNS
    if s.phase == PAWN and not has_piece_move(s, s.to_move):
        return BAD_PHASE
    if s.phase == CHAIN:
        if not controlled(s, s.to_move) & bit(s.chain):
            return BAD_PHASE
        if not can_capture(s, s.to_move, s.chain):
            return BAD_PHASE
    return 0


# ---- Options and facts, for Python ---------------------------------------------------------------

LETTERS = "RrBbYyGg"                    # capitals are Kings


def pack_options(values):
    """Fill the options struct from checked values; the layout's content is checked here."""
    cdef Options o
    cdef int pit, colour
    memset(&o, 0, sizeof(o))
    squares = read_layout(values["layout"], LETTERS)
    for colour in range(COLOURS):
        king = squares[LETTERS[2 * colour]]
        if king.bit_count() != 1:
            letter = LETTERS[2 * colour]
            raise OptionError("layout", f"must have exactly one King {letter}")
        o.kings |= king
        o.pieces[colour] = king | squares[LETTERS[2 * colour + 1]]
    for pit, count in enumerate(values["beads"]):
        o.beads[pit] = count
    if not beads_valid(o.beads):
        raise OptionError("beads", "must hold between 1 and 167 beads in all")
    o.first = RANDOM if values["first"] is None else values["first"]
    o.quick = values["quick"]
    o.turn_limit = values["turn_limit"]
    return (<const char*>&o)[:sizeof(o)]


def facts(bytes packed):
    """Everything that a packed state says, by name."""
    cdef State s
    cdef const uint8_t* data = packed
    if unpack(&s, data, len(packed)):
        raise ValueError("not a packed state of this game")
    return {
        "pieces": tuple([s.pieces[colour] for colour in range(COLOURS)]),
        "kings": s.kings,
        "owner": tuple([s.owner[colour] for colour in range(COLOURS)]),
        "beads": tuple([s.beads[pit] for pit in range(PITS)]),
        "to_move": s.to_move,
        "chain": None if s.chain == NOWHERE else s.chain,
        "turns": s.turns,
        "turn_limit": s.turn_limit,
        "quick": bool(s.quick),
        "winner": None if s.winner == NOBODY else s.winner,
    }


# ---- The game ------------------------------------------------------------------------------------

cdef GameOps OPS = GameOps(
    name="contigo-capture",
    rules_version=1,
    state_size=sizeof(State),
    options_size=sizeof(Options),
    max_moves=SOWINGS,
    num_actions=ACTIONS,
    min_seats=COLOURS,
    max_seats=COLOURS,
    phases="pawn chain sow over",
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
