"""Estimates: how good a position looks where nothing is proven.

A seat stands well if many of its lines hold two or three pawns with room for four, if many pits
would complete a threat, and if its live threats are hard to parry.
"""

from libc.stdint cimport uint8_t, uint32_t

from tablier_core.games.contigo_alignment.engine.threats cimport (
    MOST_NEEDS, Need, Threats, count_live, count_pits, find_threats, wins_at_once,
)
from tablier_core.games.contigo_alignment.lines cimport potential
from tablier_core.games.contigo_alignment.state cimport PAWN, State

# Weights of lines within reach and of pits that a threat waits for, in the basic and the advanced
# game. Their proportions come from some 800 games of the engine against itself; the scale is larger
# than those results suggest, so that a search can tell moves apart.
cdef double[2] LINES = [0.15, 0.1]
cdef double[2] WAITING = [0.5, 0.2]
cdef double LIVE = 0.5              # a threat that the rival must parry
cdef double BEYOND_SOWING = 6.0     # threats that no single sowing reaches: hard to parry


cdef double outlook(const Threats* own, const Threats* rivals) noexcept nogil:
    cdef double lines = potential(own.own, own.rivals) - potential(rivals.own, rivals.rivals)
    cdef double pits = count_pits(own) - count_pits(rivals)
    return LINES[own.advanced] * lines + WAITING[own.advanced] * pits


cdef double pressure(const Threats* threats, const uint8_t* beads) noexcept nogil:
    cdef bint beyond_sowing
    cdef uint32_t live = count_live(threats, beads, &beyond_sowing)
    if beyond_sowing:
        return BEYOND_SOWING
    return LIVE * live


cdef void evaluate(const void* state, double* out) noexcept nogil:
    cdef const State* s = <const State*>state
    cdef Need own_needs[MOST_NEEDS]
    cdef Need rival_needs[MOST_NEEDS]
    cdef Threats own
    cdef Threats rivals
    cdef int mover = s.to_move
    cdef double value
    cdef bint beyond_sowing
    find_threats(&own, s.pawns[mover], s.pawns[1 - mover], s.advanced, own_needs)
    if s.phase == PAWN and wins_at_once(&own, s.beads):
        out[mover] = 1.0
        out[1 - mover] = -1.0
        return
    find_threats(&rivals, s.pawns[1 - mover], s.pawns[mover], s.advanced, rival_needs)
    value = outlook(&own, &rivals)
    if s.phase == PAWN:
        value -= pressure(&rivals, s.beads)
    else:
        value += 0.5 * pressure(&own, s.beads)
        count_live(&rivals, s.beads, &beyond_sowing)
        if beyond_sowing:
            value -= 2 * BEYOND_SOWING
    value = value / (2.0 + (value if value > 0 else -value))
    out[mover] = value
    out[1 - mover] = -value
