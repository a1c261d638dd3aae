"""Who is likely to win a round, for each symbol that the seat can choose.

All hands are public. So the forecast goes through every combination of choices that the other seats
can make (32,768 at six seats) and adds up the chances of each set of winners. Where that takes too
long, the choices of all but a few rivals are drawn at random.
"""

from libc.stdint cimport uint8_t, uint32_t, uint64_t
from libc.string cimport memset

from tablier_core.budget cimport STILL_RUNNING, Budget, spent
from tablier_core.games.contrast.engine.people cimport Beliefs, predict_choice
from tablier_core.games.contrast.rules cimport list_symbols, winning_symbols
from tablier_core.games.contrast.state cimport State, choice_of, vote_for
from tablier_core.rng cimport Rng, draw_weighted

cdef enum:
    ENUMERATED_RIVALS = 3               # `fix_distant_rivals` leaves this many open


cdef void predict_others(
    Forecast* f, const Beliefs* b, const State* s, const uint8_t* affinities
) noexcept nogil:
    """Predict what the other seats choose for an image from their hands in `s`."""
    cdef int seat
    f.seats = s.seats
    f.seat = b.seat
    for seat in range(s.seats):
        if seat != b.seat:
            f.counts[seat] = list_symbols(s, seat, f.symbols[seat])
            predict_choice(
                b.chance[seat], affinities, f.symbols[seat], f.counts[seat], f.chances[seat]
            )


cdef void fix_distant_rivals(Forecast* f, Rng* rng) noexcept nogil:
    """Draw the choices of all rivals but the first few."""
    cdef int seat, rivals = 0
    cdef uint32_t i
    for seat in range(f.seats):
        rivals += seat != f.seat
        if seat != f.seat and rivals > ENUMERATED_RIVALS:
            i = draw_weighted(f.chances[seat], <int>f.counts[seat], rng)
            f.symbols[seat][0] = f.symbols[seat][i]
            f.chances[seat][0] = 1.0
            f.counts[seat] = 1


cdef bint forecast_winners(Forecast* f, const Budget* budget) noexcept nogil:
    """Fill `outcomes` from the predicted choices; return False if the budget runs out first.

    A NULL budget never runs out.
    """
    memset(f.outcomes, 0, sizeof(f.outcomes))
    return enumerate_choices(f, 0, 0, 0, 1.0, budget)


cdef bint enumerate_choices(
    Forecast* f, int seat, uint32_t choices, uint64_t votes, double chance, const Budget* budget
) noexcept nogil:
    """Record every way in which the seats from this one on can choose."""
    cdef uint32_t i, symbol
    if seat == f.seat:
        seat += 1
    if seat == f.seats:
        record_winners(f, choices, votes, chance)
        return True
    # The last three seats take a fraction of a millisecond: no need to check the budget there.
    if seat <= f.seats - 3 and budget != NULL and spent(budget, 0) != STILL_RUNNING:
        return False
    for i in range(f.counts[seat]):
        symbol = f.symbols[seat][i]
        if not enumerate_choices(
            f, seat + 1, choices | symbol << (4 * seat), votes + vote_for(symbol),
            chance * f.chances[seat][i], budget
        ):
            return False
    return True


cdef void record_winners(
    Forecast* f, uint32_t choices, uint64_t votes, double chance
) noexcept nogil:
    """Add the chance of these choices of the others to the outcome of each own symbol."""
    cdef uint32_t i, winners, lonely = WINNER_SETS
    for i in range(f.n):
        # All symbols that nobody else chose have the same outcome.
        if votes >> (4 * f.own[i]) & 15:
            winners = find_winners(f, choices, votes, f.own[i])
        else:
            if lonely == WINNER_SETS:
                lonely = find_winners(f, choices, votes, f.own[i])
            winners = lonely
        f.outcomes[i][winners] += chance


cdef inline uint32_t find_winners(
    const Forecast* f, uint32_t choices, uint64_t votes, uint32_t own
) noexcept nogil:
    """Return the seats that win an image if the seat adds its own symbol, one bit each."""
    cdef uint64_t winning = winning_symbols(f.seats, votes + vote_for(own))
    cdef uint32_t winners = 0
    cdef int seat
    choices |= own << (4 * f.seat)
    if winning:
        for seat in range(f.seats):
            winners |= <uint32_t>(winning >> (4 * choice_of(choices, seat)) & 1) << seat
    return winners
