# Ranking the symbols at three to six seats.

from libc.stdint cimport uint32_t

from tablier_core.abi cimport move_t
from tablier_core.budget cimport Budget
from tablier_core.games.contrast.engine.people cimport Beliefs
from tablier_core.rng cimport Rng

cdef void rank_against_rivals(
    const Beliefs* b, const move_t* moves, uint32_t n, const Budget* budget, Rng* rng,
    double* weights, double* values
) noexcept nogil
