"""Estimated returns, by each seat's share of the pieces.

A King counts for more than a pawn. All pieces of a seat count for less the closer its King is to
being captured.
"""

from libc.stdint cimport uint64_t
from libc.stdlib cimport abs

from tablier_core.games.contigo.board cimport (
    EAST, NORTH, SIZE, SOUTH, WEST, bit, cross, geometry, lowest,
)
from tablier_core.games.contigo_capture.engine.reach cimport can_take_king, can_win
from tablier_core.games.contigo_capture.state cimport (
    COLOURS, SOW, State, all_pieces, controlled, count_in, count_squares, is_in,
)

# How close a rival's piece is to a King on its line, by how many beads its pit has too many or too
# few.
cdef double[7] NEARNESS = [0.8, 0.2, 0.1, 0.05, 0.02, 0.02, 0.02]
cdef double RISK = 0.4          # the part of a seat's strength that a nearness of 1 puts at risk
cdef double UNTOUCHED = 0.3     # the part that is never at risk


cdef double exposure(const State* s, int king, uint64_t pieces) noexcept nogil:
    """How close pieces are to capturing a King, now or after others have sown."""
    cdef double total = 0.0
    cdef int origin, distance, direction
    pieces &= cross(king) & ~bit(king)
    while pieces:
        origin = lowest(pieces)
        pieces &= pieces - 1
        distance = king - origin
        if king // SIZE == origin // SIZE:
            direction = EAST if distance > 0 else WEST
        else:
            direction = NORTH if distance > 0 else SOUTH
            distance //= SIZE
        total += NEARNESS[abs(abs(distance) - s.beads[geometry.pit_ahead[origin][direction]])]
    return total


cdef void evaluate(const void* state, double* out) noexcept nogil:
    cdef const State* s = <const State*>state
    cdef double[COLOURS] strength
    cdef double total = 0.0, risk
    cdef int seat, rival, mover = s.to_move
    if s.phase != SOW and can_win(s, mover):
        for seat in range(COLOURS):
            out[seat] = 1.0 if seat == mover else -1.0
        return
    for seat in range(COLOURS):
        strength[seat] = 2.0 + count_squares(controlled(s, seat)) if is_in(s, seat) else 0.0
    # In a quick game with three seats, taking a King would end the game; had the mover been able to
    # win that way, `can_win` would have said so.
    if s.phase != SOW and not (s.quick and count_in(s) == 3):
        for rival in range(COLOURS):
            if rival != mover and is_in(s, rival) and can_take_king(s, mover, rival):
                strength[mover] += strength[rival]
                strength[rival] = 0.0
    for seat in range(COLOURS):
        if strength[seat] > 0.0:
            risk = RISK * exposure(
                s, lowest(s.kings & s.pieces[seat]), all_pieces(s) & ~controlled(s, seat)
            )
            strength[seat] *= max(UNTOUCHED, 1.0 - risk)
        strength[seat] *= strength[seat]
        total += strength[seat]
    for seat in range(COLOURS):
        out[seat] = 2.0 * strength[seat] / total - 1.0
