# Hidden information in My Game.

from libc.stdint cimport uint64_t

from tablier_core.rng cimport Rng

cdef void determinize(void* state, int viewer, Rng* rng) noexcept nogil
cdef uint64_t infoset(const void* state, int viewer) noexcept nogil
