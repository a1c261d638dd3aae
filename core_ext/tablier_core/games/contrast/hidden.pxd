# Hidden information in Contrast: the images that nobody has seen, and choices until the reveal.

from libc.stdint cimport uint8_t, uint64_t

from tablier_core.games.contrast.state cimport State
from tablier_core.rng cimport Rng

cdef void determinize(void* state, int viewer, Rng* rng) noexcept nogil
cdef uint64_t infoset(const void* state, int viewer) noexcept nogil

cdef int list_unseen(const State* s, uint8_t* places, uint8_t* images) noexcept nogil
