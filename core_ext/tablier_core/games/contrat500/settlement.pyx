"""Settling a deal of Contrat 500: who gets what from the bank, and who pays the winner."""

from libc.stdint cimport uint8_t, uint32_t, uint64_t
from libc.string cimport memset

from tablier_core.games.contrat500.tiles cimport HIGHEST, has_triple, sum_of


cdef void fill_values() noexcept:
    """Components: 150 shared among the multisets of three tiles that make it, halves up."""
    cdef int low, middle, high
    cdef uint32_t[LOWEST_CONTRACT + CONTRACTS] ways
    memset(ways, 0, sizeof(ways))
    for low in range(1, HIGHEST + 1):
        for middle in range(low, HIGHEST + 1):
            for high in range(middle, HIGHEST + 1):
                ways[low + middle + high] += 1
    for low in range(LOWEST_CONTRACT, LOWEST_CONTRACT + CONTRACTS):
        value_of[low] = (300 + ways[low]) // (2 * ways[low])


fill_values()


cdef int realised(uint64_t hand, const uint8_t* contracts) noexcept nogil:
    """Settlement: a loser's contract of highest value, ties to the higher; 0 for neither."""
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
    """Settlement: the bank pays first, then the losers pay the winner what they can."""
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
    # Each announcement brings from the bank 20 at least: twice the cheapest contract; and at most
    # 300 for the winner and 150 for every other seat.
    return untouched or 20 <= gained <= most


def contract_values():
    """The points that each contract is worth, by contract."""
    return {c: value_of[c] for c in range(LOWEST_CONTRACT, LOWEST_CONTRACT + CONTRACTS)}
