"""The engine of Mafia de Cuba. It settles every decision without a tree search.

Each kind of decision has its file: steal.pyx (the theft), inquire.pyx (the Godfather), speak.pyx
(answers and statements) and react.pyx (the cleaner). They all rest on the chances of inference.pyx.
(reference: Engine)
"""

from libc.stdint cimport uint32_t

from tablier_core.abi cimport SETTLED, Verdict, move_t
from tablier_core.budget cimport Budget
from tablier_core.games.mafia_de_cuba.engine.inquire cimport inquire
from tablier_core.games.mafia_de_cuba.engine.react cimport react
from tablier_core.games.mafia_de_cuba.engine.speak cimport speak
from tablier_core.games.mafia_de_cuba.engine.steal cimport steal
from tablier_core.games.mafia_de_cuba.state cimport GODFATHER, INQUIRY, REACT, State
from tablier_core.rng cimport Rng


cdef Verdict rank(
    const void* state, int seat, const move_t* moves, uint32_t n, const Budget* budget, Rng* rng,
    double* weights, double* values,
) noexcept nogil:
    cdef const State* s = <const State*>state
    if s.phase == REACT:
        react(s, seat, moves, n, weights, values)
    elif s.phase < INQUIRY:
        steal(s, seat, moves, n, budget, rng, weights, values)
    elif seat == GODFATHER:
        inquire(s, moves, n, weights, values)
    else:
        speak(s, seat, moves, n, budget, rng, weights, values)
    return SETTLED
