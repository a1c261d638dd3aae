# The entry point of the engine (reference: Engine).

from libc.stdint cimport uint32_t

from tablier_core.abi cimport Verdict, move_t
from tablier_core.budget cimport Budget
from tablier_core.rng cimport Rng

cdef Verdict rank(
    const void* state, int seat, const move_t* moves, uint32_t n, const Budget* budget,
    Rng* rng, double* weights, double* values
) noexcept nogil
