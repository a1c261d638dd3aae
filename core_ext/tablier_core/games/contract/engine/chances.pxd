# Expected points of a standing: the chances of traffics and briefcases.

from tablier_core.games.contract.engine.standing cimport Standing
from tablier_core.games.contract.state cimport State

# About e to the power of x, for x up to 0.
cdef double weight(double x) noexcept nogil
# A seat's expected points from the traffics of a family.
cdef double expect_traffics(
    const State* s, const Standing* st, int family, int seat
) noexcept nogil
# Add each seat's expected points from the traffics of a family, and their variance.
cdef void share_traffics(
    const State* s, const Standing* st, int family, double* points, double* variance
) noexcept nogil
# Write each seat's expected points from all traffics and briefcases, and their variance.
cdef void share_points(
    const State* s, const Standing* st, double* points, double* variance
) noexcept nogil
