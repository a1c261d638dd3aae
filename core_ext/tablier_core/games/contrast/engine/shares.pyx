"""The share of the win that each seat can expect after a round.

Exact if the round empties the pile: the leaders share the win equally. Before that, a seat's share
falls by a constant factor with each image that it is behind the leader, and less steeply the more
images are left.
"""

from libc.math cimport sqrt
from libc.stdint cimport uint32_t

from tablier_core.games.contrast.state cimport MAX_SEATS, State

# How strongly the remaining images reduce the value of a lead.
cdef double VARIATION = 0.3


cdef void estimate_shares(const State* s, uint32_t winners, double* shares) noexcept nogil:
    """Write every seat's share of the win after a round with these winners; they add up to 1."""
    cdef int seat, used = 0, best = 0, left, _behind
    cdef int[MAX_SEATS] scores
    cdef double keep = 0.0, total = 0.0
    for seat in range(s.seats):
        scores[seat] = s.scores[seat] + <int>((winners >> seat) & 1)
        used += <int>((winners >> seat) & 1)
        best = max(best, scores[seat])
    left = s.images - s.top - max(used, 1)
    if left > 0:
        keep = 1.0 - 1.0 / (1.0 + VARIATION * sqrt(<double>left))
    for seat in range(s.seats):
        shares[seat] = 1.0
        for _behind in range(best - scores[seat]):
            shares[seat] *= keep
        total += shares[seat]
    for seat in range(s.seats):
        shares[seat] /= total
