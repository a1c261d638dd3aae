"""Estimates how likely each seat is to win: what a search asks at its leaves.

A world is judged in three steps:
  1. bidding.pyx finishes the bidding of the round in outline.
  2. It counts the row as it then lies.
  3. chances.pyx shares out traffics and briefcases by leads and by what is still to come.
The expected points, with those for cards that are kept, decide who is likely to win.

The constants here, in bidding.pyx and in chances.pyx were fitted to the winners of 900 games of two
seats that the engine played against itself, at 19,000 of their positions (log loss 0.52; constants
chosen by hand had 0.62), and rounded. CARD_WORTH, COLUMN_NOISE, POINT_NOISE and above all
OPEN_NOISE matter: if leaf estimates are too confident, the search mistakes an early lead for a win.

Only + - * / and square roots are used, so that an estimate has the same bits on every machine.
"""

from libc.math cimport sqrt

from tablier_core.games.contract.engine.bidding cimport finish_round
from tablier_core.games.contract.engine.chances cimport share_points, weight
from tablier_core.games.contract.engine.standing cimport Standing, take_stock
from tablier_core.games.contract.state cimport MOST_SEATS, State, is_counting

cdef double POINT_NOISE = 0.8           # in standard deviations of the points
cdef double OPEN_NOISE = 3.0            # in points, as long as any seat can still bid


cdef void evaluate(const void* state, double* out) noexcept nogil:
    """Write each seat's chance to win as a return."""
    cdef const State* s = <const State*>state
    cdef Standing st
    cdef double points[MOST_SEATS]
    cdef double variance[MOST_SEATS]
    cdef double extra[MOST_SEATS]
    cdef double best = -1e9, total = 0.0, noise = 0.0
    cdef int seat
    take_stock(s, &st)
    finish_round(s, &st, extra)
    share_points(s, &st, points, variance)
    for seat in range(st.seats):
        points[seat] += extra[seat]
        best = max(best, points[seat])
        noise += variance[seat]
    noise = 0.3 + POINT_NOISE * sqrt(noise * 2.0 / st.seats)
    if st.rounds_left or not is_counting(s):
        noise += OPEN_NOISE
    for seat in range(st.seats):
        out[seat] = weight((points[seat] - best) / noise)
        total += out[seat]
    for seat in range(st.seats):
        out[seat] = 2.0 * out[seat] / total - 1.0
