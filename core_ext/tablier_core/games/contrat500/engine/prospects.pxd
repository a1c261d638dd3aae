# What becomes of a hand in the turns to come, for all hands at once.
#
# Arrays have one entry per hand (by rank) or per seven. A seat is considered on its own: each turn
# it gets a tile from those it has not seen and discards one. It cannot draw a tile again that it
# would already hold.

from libc.stdint cimport uint16_t, uint64_t

from tablier_core.games.contrat500.hands cimport HANDS
from tablier_core.games.contrat500.tiles cimport HIGHEST

cdef struct Draws:
    float chance[HANDS][HIGHEST]        # by hand: of drawing tile i + 1

# The probabilities of each draw for every hand of a seat that holds `held` now.
cdef void count_draws(uint64_t unseen, uint64_t held, Draws* draws) noexcept nogil
# In how many ways the unseen tiles complete the known ones to each hand; returns their sum.
cdef double weigh_hands(float* mass, uint64_t unseen, uint64_t known) noexcept nogil
# The value of each seven, given the value of each hand after the discard.
cdef void best_of_sevens(const float* after, float* sevens) noexcept nogil
# The value of each hand at the beginning of a turn, given the values of the sevens.
cdef void begin_turns(const Draws* draws, const float* sevens, float* begin) noexcept nogil
# Look one turn further ahead for a seat that only pursues its two contracts. `begin` holds the
# value of each hand at the beginning of a turn; it is replaced by the values one turn earlier.
cdef void pursue(
    const Draws* draws, int first, int second, float* begin, float* after, float* sevens
) noexcept nogil
# The hand that such a seat keeps of each seven.
cdef void choose_discards(const float* after, uint16_t* left) noexcept nogil
# Play one turn of such a seat. `mass` holds the probability of each hand before the turn. Returns
# the probability that the seat makes its contracts before or after the draw; `mass` is replaced by
# the probabilities of the other hands, if any.
cdef double play_turn(
    const Draws* draws, int first, int second, const float* worth, const uint16_t* left,
    float* mass, float* later
) noexcept nogil
