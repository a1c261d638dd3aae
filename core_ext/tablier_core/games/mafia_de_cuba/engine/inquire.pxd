# The Godfather's moves in the inquiry: see inquire.pyx.

from libc.stdint cimport uint32_t

from tablier_core.abi cimport move_t
from tablier_core.games.mafia_de_cuba.state cimport State

cdef void inquire(
    const State* s, const move_t* moves, uint32_t n, double* weights, double* values
) noexcept nogil
