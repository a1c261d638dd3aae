"""The value of each move in a turn: an expectimax over all hands of the seat at once.

`look_ahead` works backwards from the end of the deal, one sweep over all hands per turn. In each
turn the seat gets a tile, keeps the best six of its seven tiles, and then a rival may announce.
"""

from libc.stdint cimport uint16_t, uint32_t, uint64_t
from libc.string cimport memcpy

from tablier_core.abi cimport move_t
from tablier_core.games.contrat500.engine.estimate cimport value_announcing, value_lost, value_void
from tablier_core.games.contrat500.engine.outlook cimport Outlook, more_time
from tablier_core.games.contrat500.engine.prospects cimport begin_turns, best_of_sevens
from tablier_core.games.contrat500.hands cimport (
    HANDS, MOST_MAKING, rank_makes, rank_of, seven_with,
)
from tablier_core.games.contrat500.state cimport (
    ANNOUNCE, ANNOUNCING, DISCARDED, DISCARDING, FIRST_DISCARD, POT, TAKE, TURNS_EACH, State,
)
from tablier_core.games.contrat500.tiles cimport HIGHEST, one


cdef void look_ahead(Outlook* o) noexcept nogil:
    # If the budget ends early, nearer turns stand in for those that were not reached.
    cdef uint16_t[MOST_MAKING] making
    cdef int stage, rank, i, made = 0
    cdef float hazard, spared, void_deal = <float>value_void(o)
    cdef float[TURNS_EACH] gains
    for stage in range(o.stages):
        gains[stage] = <float>value_announcing(o, stage)
        # Rivals only improve: any gain from waiting is an accident of the samples.
        if stage:
            gains[stage] = min(gains[stage], gains[stage - 1])
    for rank in range(HANDS):
        o.lost[rank] = value_lost(o, rank)
        o.begin[rank] = void_deal
        if rank_makes(rank, o.contracts[0], o.contracts[1]):
            making[made] = <uint16_t>rank
            made += 1
    for stage in range(o.stages - 1, -1, -1):
        memcpy(o.later, o.begin, sizeof(o.begin))
        hazard = <float>o.hazard[stage]
        spared = <float>1.0 - hazard
        for rank in range(HANDS):
            o.after[rank] = hazard * o.lost[rank] + spared * o.later[rank]
        for i in range(made):
            o.after[making[i]] = max(o.after[making[i]], gains[stage])
        best_of_sevens(o.after, o.sevens)
        begin_turns(&o.draws, o.sevens, o.begin)
        for i in range(made):
            o.begin[making[i]] = max(o.begin[making[i]], gains[stage])
        if not more_time(o):
            break


cdef void value_turn(Outlook* o, const move_t* moves, uint32_t n, double* shares) noexcept nogil:
    cdef const State* s = o.s
    cdef uint64_t hand = s.hands[o.seat]
    cdef int tile, rank
    cdef uint32_t i
    cdef double share
    if s.phase == DISCARDING:
        for i in range(n):
            shares[i] = value_discard(o, hand, <int>(moves[i] - FIRST_DISCARD + 1))
        return
    rank = rank_of(hand)
    for i in range(n):
        if moves[i] == POT:
            share = 0.0
            for tile in range(HIGHEST):
                share += o.draws.chance[rank][tile] * o.sevens[seven_with[rank][tile]]
        elif moves[i] == TAKE:
            share = o.sevens[seven_with[rank][(s.log[s.turns - 1] & DISCARDED) - 1]]
        elif moves[i] == ANNOUNCE:
            share = value_announcing(o, 0)
        elif s.phase == ANNOUNCING:
            share = o.hazard[0] * value_lost(o, rank) + (1.0 - o.hazard[0]) * o.later[rank]
        else:
            share = value_void(o)
        shares[i] = share


cdef double value_discard(Outlook* o, uint64_t seven, int tile) noexcept nogil:
    """The value of discarding a tile, which the next seat may take to announce."""
    cdef int rank = rank_of(seven - one(tile)), i
    cdef double spared = 1.0 - o.hazard[0], share
    for i in range(o.rivals):
        if o.rival[i].seat == (o.seat + 1) % o.s.seats:
            spared *= 1.0 - o.rival[i].fed[tile - 1]
    share = (1.0 - spared) * value_lost(o, rank) + spared * o.later[rank]
    if rank_makes(rank, o.contracts[0], o.contracts[1]):
        share = max(share, value_announcing(o, 0))
    return share
