# The images' affinities: the built-in deck, or the caller's own.

from libc.stdint cimport uint8_t

from tablier_core.games.contrast.state cimport State

# Affinities in steps of 1/STEPS; those of image i begin at SYMBOLS * i.
cdef const uint8_t* built_in_deck() noexcept nogil
cdef const uint8_t* deck_of(const State* s) noexcept nogil
