"""Whether the cleaner fires: only if an agent is likelier than the Godfather's win.

A shot at an agent wins; at anyone else it eliminates the cleaner, who could still win with the
Godfather. (reference: Engine)
"""

from libc.stdint cimport uint32_t

from tablier_core.abi cimport move_t
from tablier_core.games.mafia_de_cuba.engine.estimate cimport Ending, agent_chance, expect, foresee
from tablier_core.games.mafia_de_cuba.engine.inference cimport (
    Mind, goes_on_without, infer, init_mind,
)
from tablier_core.games.mafia_de_cuba.state cimport BANG, State


cdef void react(
    const State* s, int seat, const move_t* moves, uint32_t n, double* weights, double* values
) noexcept nogil:
    cdef Mind m
    cdef Ending ending
    cdef double agent
    cdef uint32_t i
    init_mind(&m, s, seat)
    infer(&m, goes_on_without(s, seat))
    agent = agent_chance(m.takes[s.target])
    for i in range(n):
        if moves[i] == BANG:
            weights[i] = agent
            expect(0.0, 0.0, &ending)
        else:
            weights[i] = (1.0 - agent) * 0.5
            expect((1.0 - agent) * 0.5, 0.0, &ending)
            ending.agent = agent
            ending.out = 1.0 - ending.godfather - agent
        foresee(s, &m, &ending, values + i * s.seats)
        if moves[i] == BANG:
            # The cleaner wins by hitting an agent; the values of other seats stay rough.
            values[i * s.seats + seat] = max(-1.0, min(1.0, 2.0 * agent - 1.0))
