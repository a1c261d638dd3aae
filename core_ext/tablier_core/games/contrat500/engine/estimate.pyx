"""The value of a result of the deal: the share of a win in the match that the seat can expect.

If the result ends the match, the share is exact. Otherwise it is a logistic curve of the difference
in points, wide while many deals are still to come. Payments depend on the hands of the rivals, so a
value is the average over the hands that were drawn for them.
"""

from libc.math cimport sqrt
from libc.stdint cimport uint8_t, uint32_t

from tablier_core.games.contrat500.engine.outlook cimport MOST_SUM, SAMPLES, Outlook, Rival
from tablier_core.games.contrat500.hands cimport total_at, triples_at
from tablier_core.games.contrat500.settlement cimport value_of
from tablier_core.games.contrat500.state cimport SEATS, State

# Fitted to played matches: points that the leader gains per deal, and the standard deviation of the
# change in the difference between two seats.
cdef double GAIN = 60.0
cdef double SWING = 90.0
# A loss that is not computed yet.
cdef float UNKNOWN = -1.0


cdef void study(Outlook* o, int first, int second) noexcept nogil:
    cdef int which, total
    o.contracts[0] = <uint8_t>first
    o.contracts[1] = <uint8_t>second
    for which in range(3):
        for total in range(MOST_SUM + 1):
            o.losses[which][total] = UNKNOWN


# ---- The match -----------------------------------------------------------------------------------

cdef double power_of_e(double x) noexcept nogil:
    """e to the power of x, using only exact IEEE 754 operations: the same bits on every machine."""
    cdef double term = 1.0, total = 1.0
    cdef int i, _squaring
    x = max(-700.0, min(700.0, x)) / 1024.0
    for i in range(1, 9):
        term *= x / i
        total += term
    for _squaring in range(10):
        total *= total
    return total


cdef double share_of_win(const Outlook* o, const int* scores) noexcept nogil:
    """The share of a win that the seat can expect with these scores after the deal."""
    cdef const State* s = o.s
    cdef int seat, best = 0, tied = 0
    cdef double deals, scale, total = 0.0
    for seat in range(s.seats):
        best = max(best, scores[seat])
    if best >= s.target or s.deal >= s.max_deals:
        for seat in range(s.seats):
            tied += scores[seat] == best
        return 1.0 / tied if scores[o.seat] == best else 0.0
    deals = min(<double>(s.max_deals - s.deal), 0.5 + (s.target - best) / GAIN)
    # A logistic curve of slope 1.7 approximates the normal distribution.
    scale = 1.7 / (SWING * sqrt(deals))
    for seat in range(s.seats):
        total += power_of_e(scale * (scores[seat] - scores[o.seat]))
    return 1.0 / total


cdef double value_void(const Outlook* o) noexcept nogil:
    cdef int[SEATS] scores
    cdef int seat
    for seat in range(o.s.seats):
        scores[seat] = <int>o.s.scores[seat]
    return share_of_win(o, scores)


# ---- Announcements -------------------------------------------------------------------------------

cdef inline int pay(int* scores, int seat, int rank, const uint8_t* contracts) noexcept nogil:
    """Pay a loser from the bank and return what it owes the winner (reference: Settlement)."""
    cdef uint32_t triples = triples_at[rank]
    cdef int i, contract, best = 0, due
    for i in range(2):
        contract = contracts[i]
        if triples >> contract & 1 and (
            not best or value_of[contract] > value_of[best]
            or value_of[contract] == value_of[best] and contract > best
        ):
            best = contract
    scores[seat] += value_of[best] if best else 0
    due = min(total_at[rank] - best, scores[seat])
    scores[seat] -= due
    return due


cdef inline const uint8_t* contracts_in(const Rival* rival, int sample) noexcept nogil:
    if rival.guessed:
        return &rival.split[sample][0]
    return &rival.contracts[0]


cdef double value_announcing(const Outlook* o, int stage) noexcept nogil:
    cdef int[SEATS] scores
    cdef int sample, i, seat
    cdef const Rival* rival
    cdef double total = 0.0
    for sample in range(SAMPLES):
        for seat in range(o.s.seats):
            scores[seat] = <int>o.s.scores[seat]
        scores[o.seat] += value_of[o.contracts[0]] + value_of[o.contracts[1]]
        for i in range(o.rivals):
            rival = &o.rival[i]
            scores[o.seat] += pay(
                scores, rival.seat, rival.hands[stage + rival.ahead][sample],
                contracts_in(rival, sample),
            )
        total += share_of_win(o, scores)
    return total / SAMPLES


cdef double average_loss(const Outlook* o, int rank) noexcept nogil:
    """The value if a rival announces while the seat holds a hand."""
    cdef int[SEATS] scores
    cdef int sample, i, seat, due
    cdef const Rival* winner
    cdef const Rival* rival
    cdef const uint8_t* contracts
    cdef double total = 0.0
    for sample in range(SAMPLES):
        for seat in range(o.s.seats):
            scores[seat] = <int>o.s.scores[seat]
        winner = &o.rival[o.first_to_announce[sample]]
        contracts = contracts_in(winner, sample)
        due = pay(scores, o.seat, rank, o.contracts)
        for i in range(o.rivals):
            rival = &o.rival[i]
            if rival != winner:
                due += pay(
                    scores, rival.seat, rival.hands[0][sample], contracts_in(rival, sample)
                )
        scores[winner.seat] += due + value_of[contracts[0]] + value_of[contracts[1]]
        total += share_of_win(o, scores)
    return total / SAMPLES


cdef float value_lost(Outlook* o, int rank) noexcept nogil:
    # Computed once for all hands that realise the same contract and have the same sum.
    cdef uint32_t triples = triples_at[rank]
    cdef bint first = triples >> o.contracts[0] & 1, second = triples >> o.contracts[1] & 1
    cdef int which = 0
    if first or second:
        which = 1 if first and (
            not second or value_of[o.contracts[0]] > value_of[o.contracts[1]]
            or value_of[o.contracts[0]] == value_of[o.contracts[1]]
            and o.contracts[0] >= o.contracts[1]
        ) else 2
    cdef float* known = &o.losses[which][total_at[rank]]
    if known[0] == UNKNOWN:
        known[0] = <float>average_loss(o, rank)
    return known[0]
