# What becomes of a hand in the turns to come, for all hands of six at once.
#
# Draws are those of a seat on its own: tiles come from the unseen ones by their numbers, what it
# throws is gone, and what it would hold beside its present tiles can't be drawn again.

from libc.stdint cimport uint16_t, uint64_t

from tablier_core.games.contrat500.hands cimport HANDS, SEVENS
from tablier_core.games.contrat500.tiles cimport HAND, HIGHEST

cdef struct Draws:
    float chance[HANDS][HIGHEST]        # by hand: of drawing tile i + 1

# The chances of a draw for each hand of a seat that holds `held` now.
cdef void count_draws(uint64_t unseen, uint64_t held, Draws* draws) noexcept nogil
# The best that can be left of each seven, from what each six is worth.
cdef void best_of_sevens(const float* after, float* sevens) noexcept nogil
# What each hand is worth at the beginning of a turn, from what the sevens are worth.
cdef void begin_turns(const Draws* draws, const float* sevens, float* begin) noexcept nogil
# One turn more of looking ahead for a seat that wants to hold two contracts soon: `begin`, what
# each hand is worth to it at the beginning of a turn, goes in and comes out a turn earlier.
cdef void pursue(
    const Draws* draws, int first, int second, float* begin, float* after, float* sevens
) noexcept nogil
# How such a seat throws: the hand that it leaves of each seven.
cdef void choose_throws(const float* after, uint16_t* left) noexcept nogil
# The hands after a turn of such a seat, `mass` saying how likely each was before. Returns the share
# of hands that make the contracts, before the draw or after it; `mass` gets the others, if any.
cdef double play_turn(
    const Draws* draws, int first, int second, const float* worth, const uint16_t* left,
    float* mass, float* later
) noexcept nogil
