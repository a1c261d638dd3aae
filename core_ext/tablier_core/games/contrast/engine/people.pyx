"""How players choose: by affinity, each with a sharpness that their earlier choices reveal.

A symbol becomes likelier by a constant factor with each step of affinity (a softmax). That factor
is the player's sharpness. The lowest ignores the picture, the highest nearly always names the
symbol that fits best. All are equally likely at first; each completed round then updates them by
Bayes' rule.
"""

from libc.stdint cimport uint8_t, uint32_t

from tablier_core.abi cimport move_t
from tablier_core.games.contrast.images cimport current_image
from tablier_core.games.contrast.rules cimport lay_rows, list_symbols, rotate_row
from tablier_core.games.contrast.state cimport EXCLUDED, MAX_MOVES, STEPS, SYMBOLS, State, choice_of
from tablier_core.rng cimport Rng, draw_weighted

cdef enum:
    AVERAGE = 4                         # the sharpness of a player about whom nothing is known

# By sharpness: the factor by which one step of affinity makes a symbol likelier.
cdef double[SHARPNESSES] GROWTH = [1.0, 1.01, 1.02, 1.03, 1.04, 1.06, 1.1, 1.16]

# By affinity and sharpness: the relative weight of a symbol.
cdef double[STEPS + 1][SHARPNESSES] appeal


cdef void fill_appeal() noexcept:
    cdef int sharpness, step
    for sharpness in range(SHARPNESSES):
        appeal[0][sharpness] = 1.0
        for step in range(STEPS):
            appeal[step + 1][sharpness] = appeal[step][sharpness] * GROWTH[sharpness]


fill_appeal()


cdef uint32_t pick(
    const void* state, int seat, const move_t* moves, uint32_t n, Rng* rng
) noexcept nogil:
    """Choose like a player about whom nothing is known: the play-out policy."""
    cdef const uint8_t* affinities = current_image(<const State*>state)
    cdef double[MAX_MOVES] chances
    cdef uint32_t i
    for i in range(n):
        chances[i] = appeal[affinities[moves[i]]][AVERAGE]
    return <uint32_t>draw_weighted(chances, <int>n, rng)


cdef void learn_sharpness(Beliefs* b) noexcept nogil:
    """Replay the completed rounds and update how likely each sharpness is for each seat."""
    cdef State past = b.s[0]
    cdef move_t[MAX_MOVES] symbols
    cdef double[SHARPNESSES] totals
    cdef const uint8_t* affinities
    cdef uint32_t choice, n
    cdef int seat, sharpness, round_
    cdef double total
    for seat in range(past.seats):
        for sharpness in range(SHARPNESSES):
            b.chance[seat][sharpness] = 1.0 / SHARPNESSES
    lay_rows(&past)
    for round_ in range(past.rounds):
        affinities = b.deck + SYMBOLS * past.order[past.seen_at[round_]]
        for seat in range(past.seats):
            choice = choice_of(past.history[round_], seat)
            if choice == EXCLUDED:
                continue
            n = list_symbols(&past, seat, symbols)
            add_appeal(affinities, symbols, n, totals)
            total = 0.0
            for sharpness in range(SHARPNESSES):
                b.chance[seat][sharpness] *= (
                    appeal[affinities[choice]][sharpness] / totals[sharpness]
                )
                total += b.chance[seat][sharpness]
            for sharpness in range(SHARPNESSES):
                b.chance[seat][sharpness] /= total
            rotate_row(&past, seat, choice >> 1)


cdef void predict_choice(
    const double* chance, const uint8_t* affinities, const move_t* symbols, uint32_t n, double* out
) noexcept nogil:
    """Write how likely each symbol is to be chosen; `chance` is how likely each sharpness is."""
    cdef double[SHARPNESSES] totals
    cdef const double* weights
    cdef int sharpness
    cdef uint32_t i
    add_appeal(affinities, symbols, n, totals)
    for i in range(n):
        weights = appeal[affinities[symbols[i]]]
        out[i] = 0.0
        for sharpness in range(SHARPNESSES):
            out[i] += chance[sharpness] * weights[sharpness] / totals[sharpness]


cdef void add_appeal(
    const uint8_t* affinities, const move_t* symbols, uint32_t n, double* totals
) noexcept nogil:
    """Write, by sharpness, the sum of the weights of some symbols."""
    cdef const double* weights
    cdef int sharpness
    cdef uint32_t i
    for sharpness in range(SHARPNESSES):
        totals[sharpness] = 0.0
    for i in range(n):
        weights = appeal[affinities[symbols[i]]]
        for sharpness in range(SHARPNESSES):
            totals[sharpness] += weights[sharpness]
