"""The affinities of the images on the table."""

from libc.stdint cimport uint8_t

from tablier_core.games.contrast.state cimport BUILT_IN, STEPS, SYMBOLS, State

from tablier_core.games.contrast.deck import read_deck

# Filled once at import.
cdef uint8_t[BUILT_IN * SYMBOLS] built_in


cdef fill_built_in():
    cdef int image, symbol
    for image, affinities in enumerate(read_deck()):
        for symbol, affinity in enumerate(affinities):
            built_in[SYMBOLS * image + symbol] = round(affinity * STEPS)


fill_built_in()


cdef const uint8_t* built_in_deck() noexcept nogil:
    return built_in


cdef const uint8_t* deck_of(const State* s) noexcept nogil:
    if s.own_deck:
        return s.affinities
    return built_in
