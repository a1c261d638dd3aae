"""Reach: what a seat could capture if it moved now."""

from libc.stdint cimport uint64_t

from tablier_core.games.contigo.board cimport DIRECTIONS, bit, destination, lowest
from tablier_core.games.contigo_capture.state cimport (
    COLOURS, State, all_pieces, controlled, count_in, count_squares, is_in,
)


cdef uint64_t attacked(const State* s, uint64_t pieces) noexcept nogil:
    cdef uint64_t squares = 0
    cdef int origin, direction
    while pieces:
        origin = lowest(pieces)
        pieces &= pieces - 1
        for direction in range(DIRECTIONS):
            squares |= bit(destination(s.beads, origin, direction))
    return squares


cdef bint chain_reaches(
    const State* s, uint64_t origins, uint64_t capturable, uint64_t targets
) noexcept nogil:
    """Whether a piece on one of `origins` can capture its way through `capturable` to a target.

    Where a piece lands depends only on the ring. So a chain can reach exactly what a flood fill
    over `capturable` reaches: a path that returns to a square has a shorter one. Capturing another
    King on the way turns its seat's pieces into the captor's own.
    """
    cdef uint64_t seen = 0, landed, rest, taken_kings
    cdef int colour
    while origins:
        landed = attacked(s, origins) & capturable & ~seen
        if landed & targets:
            return True
        seen |= landed
        origins = landed & ~s.kings
        taken_kings = landed & s.kings
        for colour in range(COLOURS):
            rest = s.pieces[colour] & taken_kings
            if rest and chain_reaches(s, rest, capturable & ~controlled(s, colour), targets):
                return True
    return False


cdef bint can_take(const State* s, int attacker, uint64_t targets) noexcept nogil:
    cdef uint64_t own = controlled(s, attacker)
    return chain_reaches(s, own, all_pieces(s) & ~own, targets)


cdef bint can_take_king(const State* s, int attacker, int seat) noexcept nogil:
    return can_take(s, attacker, s.kings & s.pieces[seat])


cdef uint64_t decisive(const State* s, int attacker, int seat) noexcept nogil:
    cdef uint64_t own = controlled(s, seat), capturable = s.kings & s.pieces[seat]
    cdef int victim, lead, left = count_in(s)
    if not s.quick:
        return capturable
    lead = count_squares(controlled(s, attacker)) - count_squares(own)
    if left == 2:
        return own if lead >= 0 else capturable
    for victim in range(COLOURS):
        if left == 3 and victim != attacker and victim != seat and is_in(s, victim):
            # The attacker gains all of the victim's pieces but the King, which leaves the board.
            if lead + count_squares(controlled(s, victim)) - 1 > 0:
                capturable |= s.kings & s.pieces[victim]
    return capturable


cdef bint can_win(const State* s, int attacker) noexcept nogil:
    cdef uint64_t targets = all_pieces(s) & ~controlled(s, attacker)
    cdef int rival
    for rival in range(COLOURS):
        if rival != attacker and is_in(s, rival):
            targets &= decisive(s, attacker, rival)
    return targets != 0 and can_take(s, attacker, targets)
