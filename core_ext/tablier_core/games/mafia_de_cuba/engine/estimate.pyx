"""Chances of roles and endings, and what an ending is worth to every seat.

A game ends with the Godfather's win, an agent's win, or the Godfather's elimination. An estimate
spreads the chances of these three endings over the seats, in proportion to the roles that they
probably have. (reference: Engine)
"""

from tablier_core.abi cimport MAX_SEATS
from tablier_core.games.mafia_de_cuba.engine.inference cimport Mind
from tablier_core.games.mafia_de_cuba.state cimport (
    CLEANER, DIAMONDS, DRIVER, FIRST_TOKEN, LOYAL, NOTHING, State, bit,
)

ERRS_ON_AGENT = 0.35


cdef double thief_chance(const double* takes) noexcept nogil:
    cdef double chance = 0.0
    cdef int taken
    for taken in range(1, DIAMONDS + 1):
        chance += takes[taken]
    return chance


cdef double readiness(const double* takes, int jokers) noexcept nogil:
    """The chance to find a thief, raised while a joker is left.

    With a joker, a mistaken accusation of an innocent seat does less harm, but one of an agent is
    as bad as ever.
    """
    cdef double thief = thief_chance(takes)
    if jokers:
        thief *= 2.0 - thief - agent_chance(takes)
    return thief


cdef void expect(double chance, double agent, Ending* ending) noexcept nogil:
    ending.godfather = chance
    ending.agent = (1.0 - chance) * agent
    ending.out = 1.0 - ending.godfather - ending.agent


cdef void foresee(
    const State* s, const Mind* m, const Ending* ending, double* values
) noexcept nogil:
    cdef double[MAX_SEATS] won
    cdef double[MAX_SEATS] loot
    cdef double all_loot = 0.0, agents = 0.0
    cdef const double* takes
    cdef int seat, taken
    for seat in range(1, s.seats):
        loot[seat] = 0.0
        if s.in_play & bit(seat):
            agents += agent_chance(m.takes[seat])
            for taken in range(1, DIAMONDS + 1):
                loot[seat] += taken * m.takes[seat][taken]
            all_loot += loot[seat]
    won[0] = ending.godfather
    for seat in range(1, s.seats):
        won[seat] = 0.0
        if s.in_play & bit(seat):
            takes = m.takes[seat]
            won[seat] = (
                ending.godfather * (takes[FIRST_TOKEN + LOYAL] + takes[FIRST_TOKEN + CLEANER])
                + ending.out * takes[NOTHING] + won[seat - 1] * takes[FIRST_TOKEN + DRIVER]
            )
            if agents > 0.0:
                won[seat] += ending.agent * agent_chance(takes) / agents
            if all_loot > 0.0:
                won[seat] += ending.out * loot[seat] / all_loot
    for seat in range(s.seats):
        values[seat] = max(-1.0, min(1.0, 2.0 * won[seat] - 1.0))
