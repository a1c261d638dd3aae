"""Mafia de Cuba: coherent stories, in which what was received, taken and passed on agree.

A story that nobody contradicts begins with the box that the seat before says it passed, or ends
with the one that the next seat says it received. Where they have not spoken they may yet tell the
truth, so the true boxes are the other places to begin and to end.
"""

from libc.string cimport memcpy

from tablier_core.games.mafia_de_cuba.inference cimport Mind
from tablier_core.games.mafia_de_cuba.parts cimport (
    ASKABLE, FIRST_TOKEN, KINDS, NO_TOKEN, NOTHING, PASSED_DIAMONDS, PASSED_TOKENS,
    RECEIVED_DIAMONDS, RECEIVED_TOKENS, TAKES, TOOK, Box, diamonds_of,
)
from tablier_core.games.mafia_de_cuba.state cimport State, box_for
from tablier_core.games.mafia_de_cuba.testimony cimport (
    UNKNOWN, WIDTH, Testimony, fits, holds, number_box, worth,
)

cdef enum:
    BOAST = 5                           # diamonds that a seat claims at most without having them


cdef void fill_in(Story* story, int received, int taken, int passed) noexcept nogil:
    story.says[RECEIVED_DIAMONDS] = received % WIDTH
    story.says[RECEIVED_TOKENS] = received // WIDTH
    story.says[PASSED_DIAMONDS] = passed % WIDTH
    story.says[PASSED_TOKENS] = passed // WIDTH
    story.says[TOOK] = taken


cdef void tell_truth(const State* s, int seat, Story* story) noexcept nogil:
    cdef Box received, passed
    box_for(s, seat, &received)
    box_for(s, seat + 1, &passed)
    fill_in(story, number_box(&received), s.takes[seat], number_box(&passed))


cdef void consider(
    Stories* out, const Testimony* words, int received, int taken, int passed
) noexcept nogil:
    """Add a story if it is new and the seat can still tell it."""
    cdef Story story
    cdef int i, question, same
    fill_in(&story, received, taken, passed)
    for question in range(ASKABLE):
        if not fits(words, question, story.says[question]):
            return
    for i in range(out.n):
        same = 0
        for question in range(ASKABLE):
            same += out.story[i].says[question] == story.says[question]
        if same == ASKABLE:
            return
    if out.n < MOST_STORIES:
        memcpy(&out.story[out.n], &story, sizeof(Story))
        out.n += 1


cdef int box_said(const Testimony* words, int question, int otherwise) noexcept nogil:
    """The box that a neighbour tells of, from this question and the next one."""
    cdef int diamonds = words.said[question], tokens = words.said[question + 1]
    if diamonds == UNKNOWN:
        diamonds = otherwise % WIDTH
    if tokens == UNKNOWN:
        tokens = otherwise // WIDTH
    return tokens * WIDTH + diamonds


cdef bint may_claim(const Mind* m, int seat, int box, int taken, bint boastful) noexcept nogil:
    """Whether a take makes a story worth telling that begins or ends with a box."""
    if taken == NOTHING:
        return seat == m.seats - 1 or box == 0
    if taken >= FIRST_TOKEN:
        return holds[m.kit.full][taken - FIRST_TOKEN] > 0
    return boastful and taken <= BOAST


cdef void begin_with(
    const Mind* m, int seat, int seen, int received, bint boastful, Stories* out
) noexcept nogil:
    """Stories of a seat that saw a box on arrival and took from what `received` says."""
    cdef int taken, passed
    for taken in range(TAKES):
        if not may_claim(m, seat, received, taken, boastful):
            continue
        if taken >= FIRST_TOKEN:
            if not holds[received // WIDTH][taken - FIRST_TOKEN]:
                continue
            passed = received - worth[taken - FIRST_TOKEN]
        else:
            if diamonds_of(taken) > received % WIDTH:
                continue
            passed = received - taken
        consider(out, &m.words[seat], seen, taken, passed)


cdef void end_with(
    const Mind* m, int seat, int passed, bint boastful, Stories* out
) noexcept nogil:
    """Stories of a seat after the first that passed a box on."""
    cdef int taken, received
    for taken in range(TAKES):
        if not may_claim(m, seat, passed, taken, boastful):
            continue
        if taken >= FIRST_TOKEN:
            if (
                holds[passed // WIDTH][taken - FIRST_TOKEN]
                == holds[m.kit.full][taken - FIRST_TOKEN]
            ):
                continue
            received = passed + worth[taken - FIRST_TOKEN]
        else:
            if passed % WIDTH + diamonds_of(taken) >= WIDTH:
                continue
            received = passed + taken
        consider(out, &m.words[seat], received, taken, passed)


cdef void make_stories(
    const State* s, int seat, const Mind* m, bint boastful, Stories* out
) noexcept nogil:
    cdef const Testimony* words = &m.words[seat]
    cdef Box box
    cdef int received, passed, kind, pouched
    out.n = 0
    if words.contradictory:
        return
    box_for(s, seat, &box)
    received = number_box(&box)
    box_for(s, seat + 1, &box)
    passed = number_box(&box)
    consider(out, words, received, s.takes[seat], passed)
    if seat == 1:
        # The Godfather knows what seat 1 received; but nobody knows what is in the pouch.
        for kind in range(KINDS + 1):
            if kind == NO_TOKEN or holds[m.kit.full][kind]:
                pouched = received - (worth[kind] if kind < NO_TOKEN else 0)
                begin_with(m, seat, received, pouched, boastful, out)
        return
    begin_with(m, seat, received, received, boastful, out)
    end_with(m, seat, passed, boastful, out)
    received = box_said(&m.words[seat - 1], PASSED_DIAMONDS, received)
    begin_with(m, seat, received, received, boastful, out)
    if seat < m.seats - 1:
        end_with(m, seat, box_said(&m.words[seat + 1], RECEIVED_DIAMONDS, passed), boastful, out)
