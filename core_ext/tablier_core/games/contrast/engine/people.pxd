# How players choose: by affinity, each with a sharpness that their earlier choices reveal.

from libc.stdint cimport uint8_t, uint32_t

from tablier_core.abi cimport move_t
from tablier_core.games.contrast.state cimport MAX_SEATS, State
from tablier_core.rng cimport Rng

cdef enum:
    SHARPNESSES = 8

# What the seat that chooses believes about all seats.
cdef struct Beliefs:
    const State* s
    const uint8_t* deck
    int seat
    double chance[MAX_SEATS][SHARPNESSES]   # how likely each seat has each sharpness

cdef uint32_t pick(
    const void* state, int seat, const move_t* moves, uint32_t n, Rng* rng
) noexcept nogil

cdef void learn_sharpness(Beliefs* b) noexcept nogil
cdef void predict_choice(
    const double* chance, const uint8_t* affinities, const move_t* symbols, uint32_t n, double* out
) noexcept nogil
