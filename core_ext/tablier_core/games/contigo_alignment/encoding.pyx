"""The bytes of an alignment game: written, checked and read."""

from libc.stdint cimport uint8_t, uint32_t
from libc.string cimport memcpy, memset

from tablier_core.games.contigo.board cimport PITS, SQUARES, beads_valid, write_layout
from tablier_core.games.contigo_alignment.rules cimport has_line, has_pawn_move
from tablier_core.games.contigo_alignment.state cimport (
    NOBODY, OVER, PAWN, SOW, State, limit_within,
)
from tablier_core.packing cimport put, take

cdef enum:
    PACKED_SIZE = 50

cdef enum Fault:
    BAD_LENGTH = 1
    BAD_FIELD
    BAD_PAWNS
    BAD_BEADS
    BAD_TURNS
    BAD_PHASE
    BAD_LINE

FAULTS = (
    b"length: the state must be exactly 50 bytes\n"
    b"phase, seat, winner, advanced: a value is out of range\n"
    b"pawns: a square is off the board or holds two pawns\n"
    b"beads: a pit holds more than 6, or the total is not between 1 and 167\n"
    b"turns: they do not agree with the limit and the phase\n"
    b"phase: it does not follow from the position\n"
    b"pawns: a line is held that would have ended the game earlier, or none by the winner"
)


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
    """Check that phase and winner follow from the rest of the state."""
    cdef int mover = s.to_move
    if s.turn_limit and s.turns > s.turn_limit:
        return BAD_TURNS
    if s.winner != NOBODY:
        # Won by a pawn move or at the beginning of a turn: by the seat to move either way.
        if s.phase != OVER or s.winner != mover or limit_within(s, 0):
            return BAD_PHASE
        return 0 if has_line(s, mover) else BAD_LINE
    if limit_within(s, 0) != (s.phase == OVER):
        return BAD_TURNS
    if s.phase == SOW:
        # The mover was tested after its pawn move, or at the beginning of the turn.
        return BAD_LINE if has_line(s, mover) else 0
    if s.phase == PAWN and not has_pawn_move(s, mover):
        return BAD_PHASE
    # The other seat has just sown, so it had no line; nobody holds one at the start either.
    return BAD_LINE if has_line(s, 1 - mover) else 0


def facts(bytes packed):
    """Return everything in a packed state, by name."""
    cdef State s
    cdef const uint8_t* data = packed
    if unpack(&s, data, len(packed)):
        raise ValueError("not a packed state of this game")
    return {
        "layout": write_layout(b"RB", s.pawns),
        "beads": tuple([s.beads[pit] for pit in range(PITS)]),
        "to_move": s.to_move,
        "turns": s.turns,
        "turn_limit": s.turn_limit,
        "advanced": bool(s.advanced),
        "winner": None if s.winner == NOBODY else s.winner,
    }
