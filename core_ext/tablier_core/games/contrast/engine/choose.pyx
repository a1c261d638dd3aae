"""The slot `rank` of Contrast: ranking the symbols that a seat can choose."""

from libc.stdint cimport uint32_t

from tablier_core.abi cimport SETTLED, Verdict, move_t
from tablier_core.budget cimport Budget
from tablier_core.games.contrast.engine.people cimport Beliefs, learn_sharpness
from tablier_core.games.contrast.engine.rivals cimport rank_against_rivals
from tablier_core.games.contrast.engine.team cimport rank_for_team
from tablier_core.games.contrast.images cimport deck_of
from tablier_core.games.contrast.state cimport TEAM, State
from tablier_core.rng cimport Rng


cdef Verdict rank(
    const void* state, int seat, const move_t* moves, uint32_t n, const Budget* budget, Rng* rng,
    double* weights, double* values,
) noexcept nogil:
    """Settle every decision without a search tree."""
    cdef Beliefs b
    b.s = <const State*>state
    b.deck = deck_of(b.s)
    b.seat = seat
    learn_sharpness(&b)
    if b.s.seats == TEAM:
        rank_for_team(&b, moves, n, weights, values)
    else:
        rank_against_rivals(&b, moves, n, budget, rng, weights, values)
    return SETTLED
