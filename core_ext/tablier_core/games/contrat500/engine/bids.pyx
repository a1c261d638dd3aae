"""The value of each bid: that of the best pair of contracts that it belongs to.

With open bids, the pairs tried are splits of the hand and pairs that one draw can complete. With
blind bids, no tiles are dealt yet: with a token placed, all pairs that include it are tried;
without one, a few pairs from quick to valuable ones, and then the neighbours of the best.
"""

from libc.stdint cimport uint32_t
from libc.string cimport memset

from tablier_core.abi cimport move_t
from tablier_core.games.contrat500.engine.estimate cimport study, value_announcing, value_lost
from tablier_core.games.contrat500.engine.outlook cimport Outlook, more_time
from tablier_core.games.contrat500.engine.prospects cimport weigh_hands
from tablier_core.games.contrat500.engine.turns cimport look_ahead
from tablier_core.games.contrat500.hands cimport (
    HANDS, rank_makes, rank_of, seven_with, six_left, total_at, triples_at,
)
from tablier_core.games.contrat500.state cimport CONTRACTS_END, FIRST_BID, LOWEST_CONTRACT
from tablier_core.games.contrat500.tiles cimport HAND, HIGHEST

cdef enum:
    AVERAGE_SUM = 33                    # of six tiles
    QUICK_LOW = 14                      # together with 19, a pair that most hands reach soon

cdef struct Bids:
    # The bids under study.
    double best[CONTRACTS_END]          # by contract: the value of the best pair that includes it
    bint tried[CONTRACTS_END][CONTRACTS_END]
    bint legal[CONTRACTS_END]
    int own                             # the contract of the first token; 0: not placed yet
    int rank                            # of the hand, if there is one


cdef void value_bids(Outlook* o, const move_t* moves, uint32_t n, double* shares) noexcept nogil:
    cdef Bids bids
    cdef int contract, i
    cdef double total, worst = 1.0
    cdef uint32_t move
    memset(&bids, 0, sizeof(bids))
    bids.own = o.s.contracts[o.seat][0]
    for move in range(n):
        bids.legal[moves[move] - FIRST_BID + LOWEST_CONTRACT] = True
    if o.s.blind_bids:
        total = weigh_hands(o.mass, o.unseen, 0)
        for i in range(HANDS):
            o.mass[i] /= <float>total
        try_blind(o, &bids)
    else:
        bids.rank = rank_of(o.s.hands[o.seat])
        try_held(o, &bids)
    for move in range(n):
        contract = <int>(moves[move] - FIRST_BID + LOWEST_CONTRACT)
        if bids.best[contract] > 0.0:
            worst = min(worst, bids.best[contract])
    for move in range(n):
        # Assume that bids that were not tried are as bad as the worst that was.
        contract = <int>(moves[move] - FIRST_BID + LOWEST_CONTRACT)
        shares[move] = bids.best[contract] if bids.best[contract] > 0.0 else worst


cdef bint try_pair(Outlook* o, Bids* bids, int first, int second, double* share) noexcept nogil:
    """Value a pair once; False if it cannot be bid, was tried before, or the budget is spent."""
    cdef int low = min(first, second), high = max(first, second)
    if low < LOWEST_CONTRACT or high >= CONTRACTS_END or bids.tried[low][high]:
        return False
    if not (bids.legal[low] or low == bids.own) or not (bids.legal[high] or high == bids.own):
        return False
    if bids.own and low != bids.own and high != bids.own:
        return False
    if bids.own and low == high and not bids.legal[low]:
        return False
    # The first pair is valued in any case, so that there is always an answer.
    if o.bids_tried and not more_time(o):
        return False
    o.bids_tried += 1
    bids.tried[low][high] = True
    if o.s.blind_bids:
        share[0] = value_blind(o, low, high)
    else:
        share[0] = value_in_hand(o, bids.rank, low, high)
    # A contract that already has the first token is only a choice if it gets the second too.
    if low != bids.own or low == high:
        bids.best[low] = max(bids.best[low], share[0])
    if high != bids.own or low == high:
        bids.best[high] = max(bids.best[high], share[0])
    return True


# ---- Open bids -----------------------------------------------------------------------------------

cdef void try_held(Outlook* o, Bids* bids) noexcept nogil:
    """Try splits of the hand, then pairs of which the hand makes one.

    One tile changes only one triple, so a draw can complete such a pair, but no other.
    """
    cdef int first, second
    cdef double share
    for first in range(LOWEST_CONTRACT, CONTRACTS_END):
        if triples_at[bids.rank] >> first & 1:
            try_pair(o, bids, first, total_at[bids.rank] - first, &share)
    for first in range(LOWEST_CONTRACT, CONTRACTS_END):
        if triples_at[bids.rank] >> first & 1 or first == bids.own:
            for second in range(LOWEST_CONTRACT, CONTRACTS_END):
                try_pair(o, bids, first, second, &share)


cdef double value_in_hand(Outlook* o, int rank, int first, int second) noexcept nogil:
    """The value of a pair for the hand, after the first draw.

    Rivals that see their tiles bid what they hold, so a second turn is too rare to consider. A hand
    that makes the pair can discard the tile it draws, which is as good as announcing at once.
    """
    cdef int tile, i, seven
    cdef double best, share = 0.0, gain, value
    study(o, first, second)
    gain = value_announcing(o, 0)
    for tile in range(HIGHEST):
        if o.draws.chance[rank][tile] == 0.0:
            continue
        seven = seven_with[rank][tile]
        best = 0.0
        for i in range(HAND + 1):
            value = value_lost(o, six_left[seven][i])
            if rank_makes(six_left[seven][i], first, second):
                value = max(value, gain)
            best = max(best, value)
        share += o.draws.chance[rank][tile] * best
    return (1.0 - o.spared) * value_lost(o, rank) + o.spared * share


# ---- Blind bids ----------------------------------------------------------------------------------

cdef void try_blind(Outlook* o, Bids* bids) noexcept nogil:
    """Try all pairs that include the token placed; without one, quick pairs to valuable ones.

    Low and high contracts need different tiles, so the best pairs have one of each.
    """
    cdef int distance, low, top = QUICK_LOW
    cdef double share, most = 0.0
    if bids.own:
        for distance in range(CONTRACTS_END):
            try_pair(o, bids, bids.own, AVERAGE_SUM - bids.own + distance, &share)
            try_pair(o, bids, bids.own, AVERAGE_SUM - bids.own - distance, &share)
        return
    for low in range(QUICK_LOW, LOWEST_CONTRACT, -2):
        if try_pair(o, bids, low, AVERAGE_SUM - low, &share) and share > most:
            most = share
            top = low
    climb(o, bids, top, AVERAGE_SUM - top, most)


cdef void climb(Outlook* o, Bids* bids, int low, int high, double most) noexcept nogil:
    """Move from a pair to its best neighbour while that is an improvement."""
    cdef int left, right, top_low = low, top_high = high
    cdef double share
    cdef bint better = True
    while better:
        better = False
        low = top_low
        high = top_high
        for left in range(-1, 2):
            for right in range(-1, 2):
                if try_pair(o, bids, low + left, high + right, &share) and share > most:
                    most = share
                    top_low = low + left
                    top_high = high + right
                    better = True


cdef double value_blind(Outlook* o, int first, int second) noexcept nogil:
    """The value of a pair before the deal; `mass` holds the probability of each hand."""
    cdef int rank
    cdef double share = 0.0
    study(o, first, second)
    look_ahead(o)
    for rank in range(HANDS):
        share += o.mass[rank] * ((1.0 - o.spared) * o.lost[rank] + o.spared * o.begin[rank])
    return share
