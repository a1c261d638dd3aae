"""Random numbers: what need not be inline, and the generator for Python."""

from libc.stdint cimport uint8_t, uint32_t, uint64_t

from tablier_core.rng cimport Rng, rng_below, rng_next, rng_seed


cdef double rng_unit(Rng* rng) noexcept nogil:
    cdef uint64_t high = rng_next(rng) >> 5
    cdef uint64_t low = rng_next(rng) >> 6
    return <double>((high << 26) | low) * (1.0 / 9007199254740992.0)


cdef int draw_weighted(const double* weights, int n, Rng* rng) noexcept nogil:
    cdef double total = 0.0, left
    cdef int i
    for i in range(n):
        total += weights[i]
    left = rng_unit(rng) * total
    for i in range(n):
        left -= weights[i]
        if left < 0.0:
            return i
    # Rounding may lead past the last index that has a weight.
    while n > 1 and weights[n - 1] == 0.0:
        n -= 1
    return n - 1


cdef void shuffle(item_t* items, int count, Rng* rng) noexcept nogil:
    cdef int i, j
    cdef item_t kept
    # A local copy stays in registers. Through the pointer, every write to `items` could change it.
    cdef Rng own = rng[0]
    for i in range(count - 1, 0, -1):
        j = <int>rng_below(&own, <uint32_t>i + 1)
        kept = items[i]
        items[i] = items[j]
        items[j] = kept
    rng[0] = own


cdef void shuffle_upwards(uint8_t* items, int count, Rng* rng) noexcept nogil:
    cdef int i, j
    cdef uint8_t kept
    for i in range(1, count):
        j = <int>rng_below(rng, <uint32_t>i + 1)
        kept = items[i]
        items[i] = items[j]
        items[j] = kept


cdef class Random:
    """One stream of a seed: the same numbers as the compiled core draws."""

    cdef Rng rng

    def __cinit__(self, uint64_t seed, uint64_t stream):
        rng_seed(&self.rng, seed, stream)

    def next(self):
        """Return 32 uniform bits."""
        return rng_next(&self.rng)

    def below(self, uint32_t bound):
        """Return a uniform integer in [0, bound)."""
        if bound == 0:
            raise ValueError("bound must be at least 1")
        return rng_below(&self.rng, bound)

    def unit(self):
        """Return a uniform double in [0, 1)."""
        return rng_unit(&self.rng)
