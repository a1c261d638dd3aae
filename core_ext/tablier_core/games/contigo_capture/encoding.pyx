"""The bytes of a capture game: written, checked and read."""

from libc.stdint cimport uint8_t, uint32_t, uint64_t
from libc.string cimport memcpy, memset

from tablier_core.games.contigo.board cimport PITS, SQUARES, beads_valid, bit, write_layout
from tablier_core.games.contigo_capture.rules cimport can_capture, find_winner, has_piece_move
from tablier_core.games.contigo_capture.state cimport (
    CHAIN, COLOURS, NOBODY, NOWHERE, OVER, PAWN, State, controlled, count_squares, is_in,
    limit_reached,
)
from tablier_core.packing cimport put, take

from tablier_core.games.contigo_capture.options import KINGS, PAWNS

cdef enum:
    PACKED_SIZE = 70

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

FAULTS = (
    b"length: the state must be exactly 70 bytes\n"
    b"phase, seat, chain, winner, quick: a value is out of range\n"
    b"pieces: a square is off the board or holds two pieces\n"
    b"kings: a seat has more than one, or one stands where its colour does not\n"
    b"owner: a seat that is out controls a colour, or a seat that is in does not control its own\n"
    b"beads: a pit holds more than 6, or the total is not between 1 and 167\n"
    b"turns: they do not agree with the limit and the phase\n"
    b"phase: it does not follow from the position\n"
    b"winner: it does not follow from the position"
)


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
    """Check that no square holds two pieces, and that exactly the seats with a King control any."""
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
    """Check that phase, chain and winner follow from the rest of the state."""
    cdef int winner = find_winner(s)
    if s.winner != winner:
        return BAD_WINNER
    if s.turn_limit and s.turns > s.turn_limit:
        return BAD_TURNS
    if (s.phase == CHAIN) != (s.chain != NOWHERE):
        return BAD_PHASE
    if winner != NOBODY:
        # A game ends with a capture, in a turn that the limit allowed.
        return BAD_PHASE if s.phase != OVER or limit_reached(s) else 0
    if limit_reached(s) != (s.phase == OVER):
        return BAD_TURNS
    if s.phase == PAWN and not has_piece_move(s, s.to_move):
        return BAD_PHASE
    if s.phase == CHAIN:
        if not controlled(s, s.to_move) & bit(s.chain):
            return BAD_PHASE
        if not can_capture(s, s.to_move, s.chain):
            return BAD_PHASE
    return 0


cdef bytes LETTERS = (PAWNS + KINGS).encode("ascii")


def facts(bytes packed):
    """Return everything in a packed state, by name."""
    cdef State s
    cdef uint64_t squares[2 * COLOURS]
    cdef const uint8_t* data = packed
    cdef int colour
    if unpack(&s, data, len(packed)):
        raise ValueError("not a packed state of this game")
    for colour in range(COLOURS):
        squares[colour] = s.pieces[colour]
        squares[COLOURS + colour] = s.pieces[colour] & s.kings
    return {
        "layout": write_layout(LETTERS, squares),
        "owner": tuple([s.owner[colour] for colour in range(COLOURS)]),
        "beads": tuple([s.beads[pit] for pit in range(PITS)]),
        "to_move": s.to_move,
        "chain": None if s.chain == NOWHERE else s.chain,
        "turns": s.turns,
        "turn_limit": s.turn_limit,
        "quick": bool(s.quick),
        "winner": None if s.winner == NOBODY else s.winner,
    }
