# How Contrast is played well: the slots `rank` and `pick` of its GameOps.

from libc.stdint cimport uint32_t

from tablier_core.abi cimport Verdict, move_t
from tablier_core.budget cimport Budget
from tablier_core.rng cimport Rng

cdef uint32_t pick(
    const void* state, int seat, const move_t* moves, uint32_t n, Rng* rng
) noexcept nogil
cdef Verdict rank(
    const void* state, int seat, const move_t* moves, uint32_t n, const Budget* budget, Rng* rng,
    double* weights, double* values,
) noexcept nogil
