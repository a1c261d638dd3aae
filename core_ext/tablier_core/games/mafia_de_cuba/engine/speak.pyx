"""What a seat says: an answer or statement that is part of the story it wants to tell.

A seat tells coherent stories only (stories.pyx), and chooses the one that serves it best
(rehearse.pyx). It draws among stories of nearly the same effect: if it always told the best one,
anyone who knows this engine could see through it. (reference: Engine)
"""

from libc.stdint cimport uint32_t

from tablier_core.abi cimport move_t
from tablier_core.budget cimport Budget
from tablier_core.games.mafia_de_cuba.claims cimport first_claim, question_of
from tablier_core.games.mafia_de_cuba.engine.estimate cimport (
    ERRS_ON_AGENT, Ending, expect, foresee,
)
from tablier_core.games.mafia_de_cuba.engine.inference cimport goes_on_without, infer, init_mind
from tablier_core.games.mafia_de_cuba.engine.rehearse cimport Speech, rehearse
from tablier_core.games.mafia_de_cuba.engine.stories cimport Story, make_stories, tell_truth
from tablier_core.games.mafia_de_cuba.engine.testimony cimport UNKNOWN
from tablier_core.games.mafia_de_cuba.state cimport (
    ANSWER, ASKABLE, CLEANER, DRIVER, FIRST_SAY, FIRST_TOKEN, LOYAL, NOTHING, SILENT, TOOK, State,
    bit, diamonds_of, is_agent, question_due,
)
from tablier_core.rng cimport Rng, rng_below

# Stories whose effects differ by less than this are equally good.
cdef double NEAR = 0.02


cdef bint is_honest(const Speech* p) noexcept nogil:
    """Whether the speaker has no reason to lie: it sides with the Godfather, or was revealed."""
    return (
        p.taken == FIRST_TOKEN + LOYAL or p.taken == FIRST_TOKEN + CLEANER
        or p.taken == FIRST_TOKEN + DRIVER and p.seat == 1
        or p.s.revealed & bit(p.seat) != 0
    )


cdef void keep_truth(Speech* p) noexcept nogil:
    """Drop all stories but the truth, if it agrees with what was said."""
    cdef Story truth
    cdef int question
    tell_truth(p.s, p.seat, &truth)
    for question in range(ASKABLE):
        if p.stories.n and p.stories.story[0].says[question] != truth.says[question]:
            return
    p.stories.n = min(p.stories.n, 1)


cdef int choose_story(const Speech* p, Rng* rng) noexcept nogil:
    """Draw one of the best stories, or -1 if there is none."""
    cdef double best = -2.0
    cdef int i, near = 0
    for i in range(p.stories.n):
        best = max(best, p.effect[i])
    for i in range(p.stories.n):
        near += p.effect[i] > best - NEAR
    if near:
        near = <int>rng_below(rng, near)
    for i in range(p.stories.n):
        if p.effect[i] > best - NEAR:
            if near == 0:
                return i
            near -= 1
    return -1


cdef void expect_speech(const Speech* p, double accused, Ending* ending) noexcept nogil:
    """Set the ending that is expected when the Godfather is this ready to accuse the speaker."""
    expect(0.5, ERRS_ON_AGENT, ending)
    if diamonds_of(p.taken):
        expect(accused, ERRS_ON_AGENT, ending)
    elif is_agent(p.taken):
        expect((1.0 - accused) * 0.5, 1.0, ending)
        ending.agent = accused
        ending.out = 1.0 - ending.godfather - accused
    elif p.taken == NOTHING:
        expect((1.0 - accused) * 0.5, ERRS_ON_AGENT * (1.0 - accused), ending)


cdef int next_question(const Speech* p) noexcept nogil:
    """The topic of an unasked statement: the take first, and something new if possible."""
    cdef int question
    for question in range(ASKABLE - 1, -1, -1):
        if p.own.words[p.seat].said[question] == UNKNOWN:
            return question
    return TOOK


cdef void say(
    const Speech* p, int chosen, const move_t* moves, uint32_t n, double* weights, double* values
) noexcept nogil:
    """Weigh each claim by the best story that contains it."""
    cdef Ending ending
    cdef int claim, question, earlier, i
    cdef int due = next_question(p)
    cdef double best, accused
    cdef uint32_t move
    if p.s.phase == ANSWER:
        due = question_due(p.s)
    for move in range(n):
        accused = 0.5
        if moves[move] == SILENT:
            # Without a story, and with nothing to repeat, silence is best.
            weights[move] = 0.5 if chosen >= 0 else 2.0
        else:
            claim = <int>moves[move] - FIRST_SAY
            question = question_of(claim)
            claim -= first_claim(question)
            best = -2.0
            for i in range(p.stories.n):
                if p.stories.story[i].says[question] == claim and p.effect[i] > best:
                    best = p.effect[i]
                    accused = p.accused[i]
            earlier = p.own.words[p.seat].said[question]
            if best > -2.0:
                weights[move] = 2.0 + best if question == due else 1.0 + 0.5 * best
                if question == due and p.stories.story[chosen].says[question] == claim:
                    weights[move] = 4.0
            elif chosen < 0 and earlier == claim:
                weights[move] = 3.0
        expect_speech(p, accused, &ending)
        foresee(p.s, &p.own, &ending, values + move * p.s.seats)


cdef void speak(
    const State* s, int seat, const move_t* moves, uint32_t n, const Budget* budget, Rng* rng,
    double* weights, double* values,
) noexcept nogil:
    cdef Speech p
    p.s = s
    p.seat = seat
    p.taken = s.takes[seat]
    init_mind(&p.own, s, seat)
    infer(&p.own, goes_on_without(s, seat))
    make_stories(s, seat, &p.own, is_agent(p.taken) or p.taken == NOTHING, &p.stories)
    if is_honest(&p):
        keep_truth(&p)
    rehearse(&p, budget, rng)
    say(&p, choose_story(&p, rng), moves, n, weights, values)
