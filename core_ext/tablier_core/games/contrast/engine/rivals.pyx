"""Ranking the symbols at three to six seats.

A symbol is worth the share of the win that the seat can expect after it, less what its card will be
missed in the next rounds. A rival's image is therefore a loss, the leader's most of all.

Among near-equal symbols the choice is random: otherwise equal players in equal positions would all
choose the same symbol, and it would win nothing. The more often all have chosen alike recently,
the more symbols take part.
"""

from libc.stdint cimport uint32_t

from tablier_core.abi cimport move_t
from tablier_core.budget cimport Budget
from tablier_core.games.contrast.engine.forecast cimport (
    WINNER_SETS, Forecast, fix_distant_rivals, forecast_winners, predict_others,
)
from tablier_core.games.contrast.engine.foresight cimport value_next_round
from tablier_core.games.contrast.engine.people cimport Beliefs
from tablier_core.games.contrast.engine.shares cimport as_return, estimate_shares
from tablier_core.games.contrast.images cimport current_image
from tablier_core.games.contrast.state cimport (
    CARDS, EXCLUDED, MAX_MOVES, MAX_SEATS, State, choice_of,
)
from tablier_core.rng cimport Rng, draw_weighted

# How much of its cost in the next round a missing card costs in each round that it is missing.
cdef double DISCOUNT = 0.5
# Symbols are near-equal if their shares of the win differ by less than this...
cdef double NEAR = 0.002
# ... plus at most this, if all seats always choose alike.
cdef double WIDE = 0.15
# The weight of the last round in how often all choose alike, and the estimate before the first.
cdef double LAST_ROUND = 0.2
cdef double UNANIMITY_AT_START = 0.5
# A share too small to divide by.
cdef double TINY = 1e-9


cdef void rank_against_rivals(
    const Beliefs* b, const move_t* moves, uint32_t n, const Budget* budget, Rng* rng,
    double* weights, double* values
) noexcept nogil:
    """Write values and weights; the drawn symbol gets the highest weight."""
    cdef const State* s = b.s
    cdef Forecast f
    cdef double[WINNER_SETS][MAX_SEATS] shares
    cdef double[WINNER_SETS] own_share
    cdef double[CARDS] next_value
    cdef double most = 0.0, own, absent
    cdef uint32_t i, winners
    cdef int seat
    forecast_this_round(&f, b, moves, n, budget, rng)
    for winners in range(<uint32_t>1 << s.seats):
        estimate_shares(s, winners, shares[winners])
        own_share[winners] = shares[winners][b.seat]
    value_next_round(b, &f, own_share, budget, rng, next_value)
    for i in range(CARDS):
        most = max(most, next_value[i])
    # The card is missing for as long as it lies in the row; the pile may run out before.
    absent = DISCOUNT * min(s.row_length, 0.5 * (s.images - s.top - 1))
    for i in range(n):
        for winners in range(<uint32_t>1 << s.seats):
            for seat in range(s.seats):
                values[i * s.seats + seat] += f.outcomes[i][winners] * shares[winners][seat]
        own = values[i * s.seats + b.seat]
        weights[i] = max(0.0, own - absent * (most - next_value[moves[i] >> 1]))
        for seat in range(s.seats):
            # What the seat loses later, the others gain.
            values[i * s.seats + seat] = as_return(
                weights[i] if seat == b.seat
                else values[i * s.seats + seat] * (1.0 - weights[i]) / max(1.0 - own, TINY)
            )
    draw_near_equal(s, n, rng, weights)


cdef void forecast_this_round(
    Forecast* f, const Beliefs* b, const move_t* moves, uint32_t n, const Budget* budget, Rng* rng
) noexcept nogil:
    """Forecast all combinations of choices, or a sample if the budget runs out."""
    cdef uint32_t i
    predict_others(f, b, b.s, current_image(b.s))
    f.n = n
    for i in range(n):
        f.own[i] = moves[i]
    if not forecast_winners(f, budget):
        fix_distant_rivals(f, rng)
        forecast_winners(f, NULL)


cdef void draw_near_equal(const State* s, uint32_t n, Rng* rng, double* weights) noexcept nogil:
    """Turn shares into weights: draw one of the near-equal best and weight it highest."""
    cdef double[MAX_MOVES] chances
    cdef double best = 0.0, near = unanimity(s)
    cdef uint32_t i
    near = NEAR + WIDE * near * near * near
    for i in range(n):
        best = max(best, weights[i])
    for i in range(n):
        chances[i] = max(0.0, weights[i] - best + near)
        # Never 0: that would exclude a move.
        weights[i] += 1.0
    weights[draw_weighted(chances, <int>n, rng)] = 3.0


cdef double unanimity(const State* s) noexcept nogil:
    """Return how often all seats have chosen the same symbol; recent rounds count for more."""
    cdef double often = UNANIMITY_AT_START
    cdef uint32_t choice, symbols
    cdef int round_, seat
    for round_ in range(s.rounds):
        symbols = 0
        for seat in range(s.seats):
            choice = choice_of(s.history[round_], seat)
            if choice != EXCLUDED:
                symbols |= <uint32_t>1 << choice
        often += LAST_ROUND * ((0.0 if symbols & (symbols - 1) else 1.0) - often)
    return often
