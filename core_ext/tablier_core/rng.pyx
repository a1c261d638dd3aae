"""The project's random generator for Python: the same numbers as the compiled core draws."""

from libc.stdint cimport uint8_t, uint32_t, uint64_t

from tablier_core.rng cimport Rng, rng_below, rng_next, rng_seed, rng_unit


cdef void shuffle(uint8_t* items, int count, Rng* rng) noexcept nogil:
    cdef int i, j
    cdef uint8_t kept
    # A local copy stays in registers. Through the pointer, every write to `items` could change it.
    cdef Rng own = rng[0]
    for i in range(count - 1, 0, -1):
        j = <int>rng_below(&own, <uint32_t>i + 1)
        kept = items[i]
        items[i] = items[j]
        items[j] = kept
    rng[0] = own


cdef class Random:
    """One stream of a seed."""

    cdef Rng rng

    def __cinit__(self, uint64_t seed, uint64_t stream):
        rng_seed(&self.rng, seed, stream)

    def next(self):
        """Thirty-two uniform bits."""
        return rng_next(&self.rng)

    def below(self, uint32_t bound):
        """A uniform integer in [0, bound)."""
        if bound == 0:
            raise ValueError("bound must be at least 1")
        return rng_below(&self.rng, bound)

    def unit(self):
        """A uniform double in [0, 1)."""
        return rng_unit(&self.rng)
