"""Ranking the symbols at two seats, which want to choose the same one.

Both seats can work out the *common symbol*: the one that fits best among those that both hold. It
is also the likeliest choice of a partner who just looks at the picture, so it is always the best
choice. If there is none (only in the expert game), the best card is the one that leaves the most
cards in common in the next round.
"""

from libc.stdint cimport uint8_t, uint32_t
from libc.string cimport memset

from tablier_core.abi cimport move_t
from tablier_core.games.contrast.engine.forecast cimport Forecast, predict_others
from tablier_core.games.contrast.engine.people cimport Beliefs
from tablier_core.games.contrast.engine.shares cimport as_return
from tablier_core.games.contrast.images cimport current_image
from tablier_core.games.contrast.rules cimport lay_rows, rotate_row
from tablier_core.games.contrast.state cimport (
    CARDS, EXCLUDED, SYMBOLS, TEAM, TEAM_GOAL, State, choice_of,
)

# Before the first round, the partner counts as having chosen the common symbol this often...
cdef double KEPT_AT_START = 3.0
# ... in this many rounds.
cdef double ROUNDS_AT_START = 4.0


cdef void rank_for_team(
    const Beliefs* b, const move_t* moves, uint32_t n, double* weights, double* values
) noexcept nogil:
    """Rank by the chance to match now or, without a common symbol, in the next round."""
    cdef const State* s = b.s
    cdef const uint8_t* affinities = current_image(s)
    cdef int symbol = find_common_symbol(s, affinities), partner = 1 - b.seat
    cdef double kept = measure_reliability(b), chance, win
    cdef double[2] reach
    cdef Forecast f
    cdef uint32_t i, j
    predict_others(&f, b, s, affinities)
    chance_of_goal(kept, s.images - s.top - 1, TEAM_GOAL - s.scores[0], reach)
    for i in range(n):
        chance = 0.0
        for j in range(f.counts[partner]):
            if f.symbols[partner][j] == moves[i]:
                chance = f.chances[partner][j] * (1.0 - kept)
        if <int>moves[i] == symbol:
            chance += kept
        win = chance * reach[0] + (1.0 - chance) * reach[1]
        values[TEAM * i] = values[TEAM * i + 1] = as_return(win)
        weights[i] = 1.0 + CARDS * chance
        if symbol < 0:
            weights[i] += expect_common_cards(s, b.seat, moves[i], &f)


cdef int find_common_symbol(const State* s, const uint8_t* affinities) noexcept nogil:
    """Return the symbol that fits best among those both hold, the lowest of equals, or -1."""
    cdef int symbol, best = -1
    for symbol in range(SYMBOLS):
        if (s.hand[0] & s.hand[1]) >> (symbol >> 1) & 1:
            if best < 0 or affinities[symbol] > affinities[best]:
                best = symbol
    return best


cdef double measure_reliability(const Beliefs* b) noexcept nogil:
    """Return how often the partner chose the common symbol when there was one."""
    cdef State past = b.s[0]
    cdef double kept = KEPT_AT_START, rounds = ROUNDS_AT_START
    cdef uint32_t choice
    cdef int round_, seat, symbol
    lay_rows(&past)
    for round_ in range(past.rounds):
        symbol = find_common_symbol(&past, b.deck + SYMBOLS * past.order[past.seen_at[round_]])
        for seat in range(TEAM):
            choice = choice_of(past.history[round_], seat)
            if choice == EXCLUDED:
                continue
            if seat != b.seat and symbol >= 0:
                rounds += 1.0
                kept += <int>choice == symbol
            rotate_row(&past, seat, choice >> 1)
    return kept / rounds


cdef void chance_of_goal(double rate, int left, int missing, double* out) noexcept nogil:
    """Write the chance to score the missing points in the rounds left after this one.

    `rate` is the chance to match in a round. out[0] is for a match in this round, out[1] for none.
    """
    cdef double[TEAM_GOAL + 1] chance
    cdef int points, _round
    if missing <= 0:
        out[0] = out[1] = 1.0
        return
    # By points still missing: the chance to score them.
    memset(chance, 0, sizeof(chance))
    chance[0] = 1.0
    for _round in range(left):
        for points in range(missing, 0, -1):
            chance[points] = rate * chance[points - 1] + (1.0 - rate) * chance[points]
    out[0] = chance[missing - 1]
    out[1] = chance[missing]


cdef double expect_common_cards(
    const State* s, int seat, move_t move, const Forecast* f
) noexcept nogil:
    """Return the expected number of cards that both hold in the next round after a move."""
    cdef State after
    cdef int partner = 1 - seat
    cdef uint32_t i, common
    cdef double cards = 0.0
    for i in range(f.counts[partner]):
        after = s[0]
        rotate_row(&after, seat, move >> 1)
        rotate_row(&after, partner, f.symbols[partner][i] >> 1)
        common = after.hand[0] & after.hand[1]
        while common:
            cards += f.chances[partner][i]
            common &= common - 1
    return cards
