"""What it costs to be without a card in the next round.

A card that is played lies in the row for two rounds, or three. To value that, the engine samples
images that may come next, together with hands that the others may have by then, and compares the
best choice without the card with the best choice without another one.
"""

from libc.stdint cimport uint8_t, uint32_t
from libc.string cimport memset

from tablier_core.budget cimport STILL_RUNNING, Budget, spent
from tablier_core.games.contrast.engine.forecast cimport (
    Forecast, fix_distant_rivals, forecast_winners, predict_others,
)
from tablier_core.games.contrast.engine.people cimport Beliefs
from tablier_core.games.contrast.hidden cimport list_unseen
from tablier_core.games.contrast.rules cimport rotate_row
from tablier_core.games.contrast.state cimport CARDS, MAX_IMAGES, SYMBOLS, State, holds_card
from tablier_core.rng cimport Rng, draw_weighted, shuffle

cdef enum:
    MOST_SAMPLES = 192                  # more do not change the result


cdef void value_next_round(
    const Beliefs* b, const Forecast* now, const double* own_share, const Budget* budget, Rng* rng,
    double* next_value
) noexcept nogil:
    """Write, by card played now, the share of the win that the best choice next round is worth.

    One iteration is one sampled image. `own_share` has the seat's share after each set of winners.
    """
    cdef State next_ = b.s[0]
    cdef Forecast f
    cdef uint8_t[MAX_IMAGES] places
    cdef uint8_t[MAX_IMAGES] images
    cdef double[SYMBOLS] worth
    cdef int unseen = list_unseen(b.s, places, images), samples = 0, card
    # The leftmost card of the row will be back in hand.
    cdef uint32_t back = b.s.row[b.seat] & 255
    memset(next_value, 0, CARDS * sizeof(double))
    shuffle(images, unseen, rng)
    list_next_symbols(&f, b, back)
    while unseen and samples < MOST_SAMPLES and spent(budget, samples) == STILL_RUNNING:
        sample_next_hands(&next_, b, now, rng)
        predict_others(&f, b, &next_, b.deck + SYMBOLS * images[samples % unseen])
        fix_distant_rivals(&f, rng)
        forecast_winners(&f, NULL)
        samples += 1
        value_symbols(&f, own_share, worth)
        for card in range(CARDS):
            next_value[card] += (
                best_without(b, card, back, worth) - next_value[card]
            ) / samples


cdef void list_next_symbols(Forecast* f, const Beliefs* b, uint32_t back) noexcept nogil:
    """List the symbols that the seat may hold in the next round."""
    cdef uint32_t symbol
    f.n = 0
    for symbol in range(SYMBOLS):
        if symbol >> 1 == back or holds_card(b.s, b.seat, symbol >> 1):
            f.own[f.n] = symbol
            f.n += 1


cdef void sample_next_hands(
    State* next_, const Beliefs* b, const Forecast* now, Rng* rng
) noexcept nogil:
    """Let the other seats choose in this round; write their hands and rows afterwards."""
    cdef int seat
    cdef uint32_t i
    for seat in range(b.s.seats):
        if seat != b.seat:
            next_.hand[seat] = b.s.hand[seat]
            next_.row[seat] = b.s.row[seat]
            i = draw_weighted(now.chances[seat], <int>now.counts[seat], rng)
            rotate_row(next_, seat, now.symbols[seat][i] >> 1)


cdef void value_symbols(const Forecast* f, const double* own_share, double* worth) noexcept nogil:
    """Write the share of the win that each own symbol is worth; 0 for all others."""
    cdef uint32_t i, winners
    memset(worth, 0, SYMBOLS * sizeof(double))
    for i in range(f.n):
        for winners in range(<uint32_t>1 << f.seats):
            worth[f.own[i]] += f.outcomes[i][winners] * own_share[winners]


cdef double best_without(
    const Beliefs* b, int card, uint32_t back, const double* worth
) noexcept nogil:
    """Return the worth of the best symbol in the next hand if the seat plays a card now."""
    cdef double best = max(worth[2 * back], worth[2 * back + 1])
    cdef int other
    for other in range(CARDS):
        if other != card and holds_card(b.s, b.seat, other):
            best = max(best, max(worth[2 * other], worth[2 * other + 1]))
    return best
