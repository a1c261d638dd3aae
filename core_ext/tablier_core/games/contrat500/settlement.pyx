"""Settling a deal: what the bank pays each seat, and what the losers pay the winner."""

from libc.stdint cimport uint8_t, uint32_t, uint64_t
from libc.string cimport memset

from tablier_core.games.contrat500.state cimport LOWEST_CONTRACT, START_SCORE
from tablier_core.games.contrat500.tiles cimport HIGHEST, has_triple, sum_of


cdef void fill_values() noexcept:
    """150 divided by the number of triples that make the contract (reference: Components)."""
    cdef int low, middle, high
    cdef uint32_t[CONTRACTS_END] triples
    memset(triples, 0, sizeof(triples))
    for low in range(1, HIGHEST + 1):
        for middle in range(low, HIGHEST + 1):
            for high in range(middle, HIGHEST + 1):
                triples[low + middle + high] += 1
    for low in range(LOWEST_CONTRACT, CONTRACTS_END):
        # Halves round up.
        value_of[low] = (300 + triples[low]) // (2 * triples[low])


fill_values()


cdef int realised(uint64_t hand, const uint8_t* contracts) noexcept nogil:
    """The more valuable contract, of equal ones the higher (reference: Settlement, step 2)."""
    cdef int i, contract, best = 0
    for i in range(2):
        contract = contracts[i]
        if has_triple(hand, contract) and (
            not best or value_of[contract] > value_of[best]
            or value_of[contract] == value_of[best] and contract > best
        ):
            best = contract
    return best


cdef void settle(const Settlement* deal, int seats, uint32_t* scores) noexcept nogil:
    """Pay every seat from the bank, then the winner from the losers (reference: Settlement)."""
    cdef int seat, contract
    cdef uint32_t due, gain = 0
    for seat in range(seats):
        scores[seat] = deal.before[seat]
        if seat == deal.winner:
            gain += value_of[deal.contracts[seat][0]] + value_of[deal.contracts[seat][1]]
            continue
        contract = realised(deal.hands[seat], deal.contracts[seat])
        due = sum_of(deal.hands[seat]) - contract
        if contract:
            scores[seat] += value_of[contract]
        due = min(due, scores[seat])
        scores[seat] -= due
        gain += due
    scores[deal.winner] += gain


cdef bint before_valid(const Settlement* deal, int seats, uint32_t target) noexcept nogil:
    cdef int seat, gained = 0, most = (deal.deal - 1) * (300 + 150 * (seats - 1))
    cdef bint untouched = True
    for seat in range(seats):
        if deal.before[seat] >= target:
            return False
        untouched = untouched and deal.before[seat] == START_SCORE
        gained += <int>deal.before[seat] - START_SCORE
    # The bank pays at least 20 per announcement, twice the lowest value; and at most 300 to the
    # winner and 150 to every other seat.
    return untouched or 20 <= gained <= most


def contract_values():
    """The points of each contract, by contract."""
    return {contract: value_of[contract] for contract in range(LOWEST_CONTRACT, CONTRACTS_END)}
