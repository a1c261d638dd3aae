# What a seat says: see speak.pyx.

from libc.stdint cimport uint32_t

from tablier_core.abi cimport move_t
from tablier_core.budget cimport Budget
from tablier_core.games.mafia_de_cuba.state cimport State
from tablier_core.rng cimport Rng

cdef void speak(
    const State* s, int seat, const move_t* moves, uint32_t n, const Budget* budget, Rng* rng,
    double* weights, double* values,
) noexcept nogil
