"""Affinities of the images in play: the built-in deck, or the caller's own."""

from libc.stdint cimport uint8_t
from libc.string cimport memcmp

from tablier_core.games.contrast.state cimport (
    BUILT_IN_IMAGES, MAX_IMAGES, STEPS, SYMBOLS, State,
)

from tablier_core.games.contrast.deck import read_deck

# The same numbers for Python.
LONGEST_DECK = MAX_IMAGES
AFFINITY_STEPS = STEPS

# Filled once at import.
cdef uint8_t[BUILT_IN_IMAGES * SYMBOLS] built_in


cdef fill_built_in():
    cdef int image, symbol
    for image, affinities in enumerate(read_deck()):
        for symbol, affinity in enumerate(affinities):
            built_in[SYMBOLS * image + symbol] = round(affinity * STEPS)


fill_built_in()


cdef const uint8_t* deck_of(const State* s) noexcept nogil:
    """Return the affinities of the deck that a game is played with."""
    if s.own_deck:
        return s.affinities
    return built_in


cdef const uint8_t* current_image(const State* s) noexcept nogil:
    """Return the affinities of the current image; the game must not be over."""
    return deck_of(s) + SYMBOLS * s.order[s.top]


cdef bint is_built_in(const uint8_t* affinities, int images) noexcept nogil:
    return images == BUILT_IN_IMAGES and memcmp(affinities, built_in, sizeof(built_in)) == 0
