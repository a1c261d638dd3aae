"""The engine of My Game (reference: Engine).

It orders the cards by their chance to win the round. The chance is exact if the rivals play random
cards. These come from the unseen cards, so the k-th rival has a lower card with chance
(lower - k) / (unseen - k), counting k from 0. The search starts with the likeliest winner and finds
out which card is best.
"""

from libc.stdint cimport uint16_t, uint32_t

from tablier_core.abi cimport PRIOR, Verdict, move_t
from tablier_core.budget cimport Budget
from tablier_core.games.my_game.rules cimport played_cards
from tablier_core.games.my_game.state cimport ALL_CARDS, State, count
from tablier_core.rng cimport Rng


cdef double chance_to_win(uint16_t unseen, move_t card, int rivals) noexcept nogil:
    """Return the chance that a card beats random unseen cards of all rivals."""
    cdef int lower = count(unseen & ((<uint16_t>1 << card) - 1)), k
    cdef double chance = 1.0
    if lower < rivals:
        return 0.0
    for k in range(rivals):
        chance *= <double>(lower - k) / (count(unseen) - k)
    return chance


cdef Verdict rank(
    const void* state, int seat, const move_t* moves, uint32_t n, const Budget* budget,
    Rng* rng, double* weights, double* values,
) noexcept nogil:
    cdef const State* s = <const State*>state
    cdef uint16_t unseen = ALL_CARDS & ~played_cards(s) & ~s.hands[seat]
    cdef uint32_t i
    for i in range(n):
        # A card without any weight would never be tried.
        weights[i] = 1.0 + chance_to_win(unseen, moves[i], s.seats - 1)
    return PRIOR
