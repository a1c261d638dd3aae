# Chances of roles and endings, and what an ending is worth: see estimate.pyx.

from tablier_core.games.mafia_de_cuba.engine.inference cimport Mind
from tablier_core.games.mafia_de_cuba.state cimport CIA, FBI, FIRST_TOKEN, State

# The chances of how a game ends, ignoring drivers; they add up to 1.
cdef struct Ending:
    double godfather
    double agent
    double out                          # the Godfather is eliminated

# How often the Godfather's fatal mistake is to accuse an agent.
cdef double ERRS_ON_AGENT

# `takes` are the chances of a seat's takes.
cdef double thief_chance(const double* takes) noexcept nogil
# How ready the Godfather is to accuse a seat, from 0 to 1.
cdef double readiness(const double* takes, int jokers) noexcept nogil
# Set an ending from the Godfather's chance to win, and the share of agents in his defeats.
cdef void expect(double chance, double agent, Ending* ending) noexcept nogil
# Write the return of an ending for every seat, by the chances of its takes.
cdef void foresee(
    const State* s, const Mind* m, const Ending* ending, double* values
) noexcept nogil


cdef inline double agent_chance(const double* takes) noexcept nogil:
    return takes[FIRST_TOKEN + FBI] + takes[FIRST_TOKEN + CIA]
