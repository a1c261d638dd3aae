"""The entry point of the engine: the value of every move of a seat, without a search tree."""

from libc.stdint cimport uint32_t, uint64_t
from libc.stdlib cimport free, malloc

from tablier_core.abi cimport NO_OPINION, SETTLED, Verdict, move_t
from tablier_core.budget cimport Budget
from tablier_core.games.contrat500.engine.bids cimport value_bids
from tablier_core.games.contrat500.engine.estimate cimport study
from tablier_core.games.contrat500.engine.outlook cimport Outlook
from tablier_core.games.contrat500.engine.prospects cimport count_draws
from tablier_core.games.contrat500.engine.rivals cimport study_rivals
from tablier_core.games.contrat500.engine.turns cimport look_ahead, value_turn
from tablier_core.games.contrat500.state cimport ANNOUNCE, BIDDING, State, is_dealt
from tablier_core.rng cimport Rng

# Added to the weight of an announcement: of equal moves, prefer what is certain now.
cdef double NOW = 1e-4


cdef Verdict rank(
    const void* state, int seat, const move_t* moves, uint32_t n, const Budget* budget,
    Rng* rng, double* weights, double* values
) noexcept nogil:
    cdef const State* s = <const State*>state
    cdef Outlook* o = <Outlook*>malloc(sizeof(Outlook))
    cdef uint64_t held = s.hands[seat] if is_dealt(s) else 0
    cdef uint32_t i
    cdef int other
    if o == NULL:
        return NO_OPINION
    study_rivals(o, s, seat, budget, rng)
    count_draws(o.unseen, held, &o.draws)
    if s.phase == BIDDING:
        value_bids(o, moves, n, weights)
    else:
        study(o, s.contracts[seat][0], s.contracts[seat][1])
        look_ahead(o)
        value_turn(o, moves, n, weights)
    for i in range(n):
        # Sums of rounded probabilities can exceed 1 slightly.
        weights[i] = min(weights[i], 1.0)
        for other in range(s.seats):
            # The returns of all seats add up to 2 - seats: the others share the rest.
            values[i * s.seats + other] = (
                2.0 * weights[i] if other == seat
                else 2.0 * (1.0 - weights[i]) / (s.seats - 1)
            ) - 1.0
        # Never 0: that would exclude a move.
        weights[i] += 1.0 + (NOW if moves[i] == ANNOUNCE else 0.0)
    free(o)
    return SETTLED
