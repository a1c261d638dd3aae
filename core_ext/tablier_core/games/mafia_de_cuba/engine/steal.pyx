"""Moves of the theft: what to hide, put in the pouch and take.

The box goes round many times in the imagination: before the seat as its box allows, and after it as
people usually take. A move is worth how often it wins then. The seat draws among the moves that win
nearly as often as the best: a take that always follows from the box would be no secret.
(reference: Engine)
"""

from libc.stdint cimport uint8_t, uint32_t

from tablier_core.abi cimport MAX_SEATS, move_t
from tablier_core.budget cimport STILL_RUNNING, Budget, spent
from tablier_core.games.mafia_de_cuba.engine.estimate cimport ERRS_ON_AGENT
from tablier_core.games.mafia_de_cuba.engine.inference cimport (
    Mind, draw_start, draw_takes, init_mind, look_back, look_forward,
)
from tablier_core.games.mafia_de_cuba.engine.testimony cimport WIDTH, worth
from tablier_core.games.mafia_de_cuba.state cimport (
    DIAMONDS, DRIVER, FIRST_HIDE, FIRST_POUCH, FIRST_TAKE, FIRST_TOKEN, KINDS, NO_TOKEN, NOTHING,
    TAKES, State, diamonds_of, is_agent,
)
from tablier_core.rng cimport Rng, draw_weighted

cdef enum:
    MOST_ROUNDS = 64                    # how often the box goes round

# How often the Godfather finds a thief before his fatal mistake, and how much each joker adds.
cdef double CATCH = 0.75
cdef double CATCH_WITH_JOKER = 0.05
# Moves whose chances to win differ by less than this from the best may be drawn.
cdef double TEMPTING = 0.1


cdef void finish(const State* s, const uint8_t* takes, double* won) noexcept nogil:
    """Write the chance of every seat to win, given all takes."""
    cdef double godfather = 1.0, agent = 0.0, out
    cdef int seat, most = 0, agents = 0
    for seat in range(1, s.seats):
        if diamonds_of(takes[seat]):
            godfather *= CATCH + CATCH_WITH_JOKER * s.jokers
            most = max(most, diamonds_of(takes[seat]))
        agents += is_agent(takes[seat])
    if agents:
        agent = (1.0 - godfather) * ERRS_ON_AGENT
    out = 1.0 - godfather - agent
    won[0] = godfather
    for seat in range(1, s.seats):
        if takes[seat] == FIRST_TOKEN + DRIVER:
            won[seat] = won[seat - 1]
        elif takes[seat] >= FIRST_TOKEN:
            won[seat] = agent / agents if is_agent(takes[seat]) else godfather
        else:
            won[seat] = out if takes[seat] == NOTHING or takes[seat] == most else 0.0


cdef void imagine_theft(
    const State* s, const Mind* m, int seat, move_t move, Rng* rng, double* won
) noexcept nogil:
    """Let the box go round once, with this move of the theft."""
    cdef uint8_t[MAX_SEATS] takes
    cdef int kind, first = seat, box = m.kit.full * WIDTH + DIAMONDS
    if move < FIRST_POUCH:
        first = 1
        box -= <int>move - FIRST_HIDE
        kind = draw_weighted(m.pouch, KINDS + 1, rng)
        box -= worth[kind] if kind < NO_TOKEN else 0
    elif move < FIRST_TAKE:
        kind = <int>move - FIRST_POUCH
        box -= s.hidden + (worth[kind] if kind < NO_TOKEN else 0)
    else:
        box = draw_takes(m, 1, seat, draw_start(m, rng), True, takes, rng)
        takes[seat] = <uint8_t>(move - FIRST_TAKE)
        box -= worth[takes[seat] - FIRST_TOKEN] if takes[seat] >= FIRST_TOKEN else takes[seat]
        first = seat + 1
    draw_takes(m, first, s.seats, box, False, takes, rng)
    finish(s, takes, won)


cdef void steal(
    const State* s, int seat, const move_t* moves, uint32_t n, const Budget* budget, Rng* rng,
    double* weights, double* values,
) noexcept nogil:
    cdef Mind m
    cdef double[MAX_SEATS] won
    cdef double[TAKES] chances
    cdef double best = 0.0
    cdef int other, done = 0
    cdef uint32_t i
    init_mind(&m, s, seat)
    look_forward(&m, max(seat, 1))
    look_back(&m, 1)
    while done == 0 or done < MOST_ROUNDS and spent(budget, done) == STILL_RUNNING:
        done += 1
        for i in range(n):
            imagine_theft(s, &m, seat, moves[i], rng, won)
            for other in range(s.seats):
                values[i * s.seats + other] += (
                    2.0 * won[other] - 1.0 - values[i * s.seats + other]
                ) / done
    for i in range(n):
        weights[i] = 0.5 + 0.5 * values[i * s.seats + seat]
        best = max(best, weights[i])
    for i in range(n):
        chances[i] = max(0.0, weights[i] - best + TEMPTING)
    weights[draw_weighted(chances, <int>n, rng)] += 1.0
