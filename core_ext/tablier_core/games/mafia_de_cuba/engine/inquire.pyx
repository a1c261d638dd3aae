"""The Godfather's moves: what he asks, and whom he accuses.

He accuses a seat that is almost certainly a thief. Otherwise he asks about what he is least sure
of, as long as an answer promises something; then he accuses the likeliest thief.
(reference: Engine)
"""

from libc.stdint cimport uint32_t
from libc.string cimport memset

from tablier_core.abi cimport MAX_SEATS, move_t
from tablier_core.games.mafia_de_cuba.engine.estimate cimport (
    ERRS_ON_AGENT, Ending, agent_chance, expect, foresee, readiness, thief_chance,
)
from tablier_core.games.mafia_de_cuba.engine.inference cimport Mind, infer, init_mind
from tablier_core.games.mafia_de_cuba.engine.testimony cimport UNKNOWN, WIDTH
from tablier_core.games.mafia_de_cuba.state cimport (
    ASKABLE, FIRST_ACCUSE, FIRST_ASK, GODFATHER, NO_ANSWER, PASSED_DIAMONDS, PASSED_TOKENS,
    RECEIVED_DIAMONDS, RECEIVED_TOKENS, SETS, TAKES, TOOK, State, bit, seat_of, value_of,
)

# A thief this certain is accused before any more questions.
cdef double CERTAIN = 0.99
# What testing a suspect adds to the value of a question.
cdef double TEST = 0.2
# Questions that promise less are not worth asking.
cdef double IDLE = 0.01


cdef double doubt(const double* chances, int n) noexcept nogil:
    """The Gini impurity of n weights: 0 for certainty, near 1 for many equal chances."""
    cdef double total = 0.0, squares = 0.0
    cdef int i
    for i in range(n):
        total += chances[i]
        squares += chances[i] * chances[i]
    return 1.0 - squares / (total * total) if total > 0.0 else 0.0


cdef void doubt_box(const Mind* m, int receiver, double* diamonds, double* tokens) noexcept nogil:
    """How unsure the Godfather is about the box that a seat received."""
    cdef double[WIDTH] by_diamonds
    cdef double[SETS] by_tokens
    cdef double chance
    cdef int i, token_set, left
    memset(by_diamonds, 0, sizeof(by_diamonds))
    memset(by_tokens, 0, sizeof(by_tokens))
    for i in range(m.kit.sets):
        token_set = m.kit.subset[i]
        for left in range(WIDTH):
            chance = (
                m.forward[receiver][token_set * WIDTH + left]
                * m.backward[receiver][token_set * WIDTH + left]
            )
            by_diamonds[left] += chance
            by_tokens[token_set] += chance
    diamonds[0] = doubt(by_diamonds, WIDTH)
    tokens[0] = doubt(by_tokens, SETS)


cdef void doubt_seat(const Mind* m, int seat, double* out) noexcept nogil:
    """By question: how much he may learn from the answer."""
    cdef double thief = thief_chance(m.takes[seat])
    cdef int question
    out[RECEIVED_DIAMONDS] = out[RECEIVED_TOKENS] = 0.0
    if seat > 1:                        # he knows the box that he sent out
        doubt_box(m, seat, &out[RECEIVED_DIAMONDS], &out[RECEIVED_TOKENS])
    doubt_box(m, seat + 1, &out[PASSED_DIAMONDS], &out[PASSED_TOKENS])
    out[TOOK] = doubt(m.takes[seat], TAKES)
    for question in range(ASKABLE):
        out[question] += TEST * 4.0 * thief * (1.0 - thief)


cdef bint was_asked(const State* s, const Mind* m, int seat, int question) noexcept nogil:
    """Whether a seat has answered a question or refused to."""
    cdef int i
    if m.words[seat].said[question] != UNKNOWN:
        return True
    for i in range(s.events):
        if seat_of(s.event[i]) == seat and value_of(s.event[i]) == NO_ANSWER + question:
            return True
    return False


cdef double chance_to_win(const State* s, const Mind* m) noexcept nogil:
    """The chance to win by accusing the likeliest thieves, as many as there seem to be."""
    cdef uint32_t left = s.in_play & ~s.revealed & ~1u
    cdef double thieves = 0.0, chance = 1.0, best
    cdef int seat, chosen = 0
    for seat in range(1, s.seats):
        if left & bit(seat):
            thieves += thief_chance(m.takes[seat])
    while left and thieves > 0.0:
        best = -1.0
        for seat in range(1, s.seats):
            if left & bit(seat) and readiness(m.takes[seat], s.jokers_left) > best:
                best = readiness(m.takes[seat], s.jokers_left)
                chosen = seat
        # The expected number is a fraction: the last thief counts in part.
        chance *= 1.0 - min(1.0, thieves) * (1.0 - best)
        thieves -= 1.0
        left &= ~bit(chosen)
    return chance


cdef void inquire(
    const State* s, const move_t* moves, uint32_t n, double* weights, double* values
) noexcept nogil:
    cdef Mind m
    cdef Ending ending
    cdef double[MAX_SEATS][ASKABLE] doubts
    cdef double most = 0.0, surest = 0.0, chance, ready
    cdef int seat, question, target
    cdef uint32_t i
    init_mind(&m, s, GODFATHER)
    infer(&m, False)
    for seat in range(1, s.seats):
        if not s.in_play & bit(seat):
            continue
        doubt_seat(&m, seat, doubts[seat])
        for question in range(ASKABLE):
            if was_asked(s, &m, seat, question):
                doubts[seat][question] = 0.0
            most = max(most, doubts[seat][question])
        if not s.revealed & bit(seat):
            surest = max(surest, thief_chance(m.takes[seat]))
    if not s.questions_left or most < IDLE:
        most = 0.0
    chance = chance_to_win(s, &m)
    for i in range(n):
        if moves[i] < FIRST_ACCUSE:
            target = <int>(moves[i] - FIRST_ASK) // ASKABLE + 1
            weights[i] = doubts[target][(moves[i] - FIRST_ASK) % ASKABLE]
            if most > 0.0 and surest < CERTAIN:
                weights[i] += 2.0
            expect(chance, ERRS_ON_AGENT, &ending)
        else:
            target = <int>moves[i] - FIRST_ACCUSE + 1
            ready = readiness(m.takes[target], s.jokers_left)
            weights[i] = 1.0 + ready if thief_chance(m.takes[target]) < CERTAIN else 3.0 + ready
            # If this goes well, the rest of the inquiry goes as without it.
            expect(min(chance, ready), 0.0, &ending)
            ending.agent = min(agent_chance(m.takes[target]), 1.0 - ending.godfather)
            ending.out = 1.0 - ending.godfather - ending.agent
        foresee(s, &m, &ending, values + i * s.seats)
