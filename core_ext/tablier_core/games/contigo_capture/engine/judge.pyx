"""Judgement of a whole turn: what a position is worth to a seat that has just sown."""

from libc.stdint cimport uint64_t

from tablier_core.games.contigo.board cimport cross, lowest
from tablier_core.games.contigo_capture.engine.reach cimport (
    attacked, can_take, can_take_king, decisive,
)
from tablier_core.games.contigo_capture.state cimport (
    COLOURS, NOBODY, OVER, State, controlled, count_squares, is_in,
)

# Leaving the own King to the next seat costs more than taking another King gains.
cdef double REACH = 1_000.0
# A rival could win the quick game without taking the own King. From the next seat this is worse
# than the own King in reach of the seat after it; both together are better than the King in reach
# of the next seat.
cdef double DEFEAT = 500.0
# How much of that counts for each of the seats that follow, in their order. The earlier seats may
# well prevent what the later ones could do under this ring.
cdef double[3] SOON = [1.0, 0.3, 0.2]


cdef double judge(const State* s, int seat) noexcept nogil:
    cdef uint64_t own = controlled(s, seat), theirs, king = s.kings & s.pieces[seat]
    cdef int rival = seat, _i, after = 0
    cdef double value
    if s.phase == OVER:
        return 0.0 if s.winner == NOBODY else (WON if s.winner == seat else -WON)
    value = 3.0 * count_squares(own)
    for _i in range(COLOURS - 1):
        rival = (rival + 1) % COLOURS
        if not is_in(s, rival):
            continue
        theirs = controlled(s, rival)
        if can_take_king(s, rival, seat):
            value -= REACH * SOON[after]
        elif s.quick and can_take(s, rival, decisive(s, rival, seat)):
            value -= DEFEAT * SOON[after]
        value -= 1.5 * SOON[after] * count_squares(attacked(s, theirs) & own)
        value -= 0.5 * count_squares(theirs & cross(lowest(king)))
        value += 0.3 * count_squares(own & cross(lowest(s.kings & s.pieces[rival])))
        value -= 1.0 * count_squares(theirs)
        after += 1
    return value
