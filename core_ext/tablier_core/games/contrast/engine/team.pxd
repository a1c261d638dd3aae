# Ranking the symbols at two seats.

from libc.stdint cimport uint32_t

from tablier_core.abi cimport move_t
from tablier_core.games.contrast.engine.people cimport Beliefs

cdef void rank_for_team(
    const Beliefs* b, const move_t* moves, uint32_t n, double* weights, double* values
) noexcept nogil
