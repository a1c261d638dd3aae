# Estimates: how good a position looks where nothing is proven.

from libc.stdint cimport uint8_t

from tablier_core.games.contigo_alignment.engine.threats cimport Threats

# The slot `evaluate` of the game's GameOps.
cdef void evaluate(const void* state, double* out) noexcept nogil

# How much closer to a line the owner of the first threats is.
cdef double outlook(const Threats* own, const Threats* rivals) noexcept nogil
# What the live threats of a seat are worth that has just sown; the rival moves next.
cdef double pressure(const Threats* threats, const uint8_t* beads) noexcept nogil
