# The share of the win that each seat can expect after a round.

from libc.stdint cimport uint32_t

from tablier_core.games.contrast.state cimport State

cdef void estimate_shares(const State* s, uint32_t winners, double* shares) noexcept nogil


cdef inline double as_return(double share) noexcept nogil:
    """Scale a share in [0, 1] to a return in [-1, 1]; rounding may exceed the ends slightly."""
    return max(-1.0, min(1.0, 2.0 * share - 1.0))
