# Affinities of the images in play: the built-in deck, or the caller's own.

from libc.stdint cimport uint8_t

from tablier_core.games.contrast.state cimport State

# Affinities are in steps of 1/STEPS; those of image i start at SYMBOLS * i.
cdef const uint8_t* deck_of(const State* s) noexcept nogil
cdef const uint8_t* current_image(const State* s) noexcept nogil
cdef bint is_built_in(const uint8_t* affinities, int images) noexcept nogil
