"""Coherent stories: what a seat says it received, took and passed on fits together.

Nobody contradicts a story that starts with the box that the seat before claims to have passed on,
or that ends with the box that the next seat claims to have received. Neighbours that have not
spoken may still tell the truth, so a story may also start or end with the true box.
(reference: Engine)
"""

from libc.string cimport memcpy

from tablier_core.games.mafia_de_cuba.engine.inference cimport Mind
from tablier_core.games.mafia_de_cuba.engine.testimony cimport (
    UNKNOWN, WIDTH, Testimony, fits, holds, number_box, worth,
)
from tablier_core.games.mafia_de_cuba.rules cimport box_for
from tablier_core.games.mafia_de_cuba.state cimport (
    ASKABLE, FIRST_TOKEN, KINDS, NO_TOKEN, NOTHING, PASSED_DIAMONDS, PASSED_TOKENS,
    RECEIVED_DIAMONDS, RECEIVED_TOKENS, TAKES, TOOK, Box, State, diamonds_of,
)

cdef enum:
    BOAST = 5                           # the most diamonds that a seat claims without having them


cdef void write_story(Story* story, int received, int taken, int passed) noexcept nogil:
    story.says[RECEIVED_DIAMONDS] = received % WIDTH
    story.says[RECEIVED_TOKENS] = received // WIDTH
    story.says[PASSED_DIAMONDS] = passed % WIDTH
    story.says[PASSED_TOKENS] = passed // WIDTH
    story.says[TOOK] = taken


cdef void tell_truth(const State* s, int seat, Story* story) noexcept nogil:
    cdef Box received, passed
    box_for(s, seat, &received)
    box_for(s, seat + 1, &passed)
    write_story(story, number_box(&received), s.takes[seat], number_box(&passed))


cdef void consider(
    Stories* out, const Testimony* words, int received, int taken, int passed
) noexcept nogil:
    """Add a story if it is new and agrees with what the seat has said."""
    cdef Story story
    cdef int i, question, same
    write_story(&story, received, taken, passed)
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
    """The box that a neighbour claims in its answers to this question and the next one."""
    cdef int diamonds = words.said[question], tokens = words.said[question + 1]
    if diamonds == UNKNOWN:
        diamonds = otherwise % WIDTH
    if tokens == UNKNOWN:
        tokens = otherwise // WIDTH
    return tokens * WIDTH + diamonds


cdef bint may_claim(const Mind* m, int seat, int box, int taken, bint boastful) noexcept nogil:
    """Whether a story that starts or ends with this box may claim a take."""
    if taken == NOTHING:
        return seat == m.seats - 1 or box == 0
    if taken >= FIRST_TOKEN:
        return holds[m.kit.full][taken - FIRST_TOKEN] > 0
    return boastful and taken <= BOAST


cdef void add_starting_with(
    const Mind* m, int seat, int seen, int received, bint boastful, Stories* out
) noexcept nogil:
    """Add stories of a seat that received the box `seen` and took from the box `received`."""
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


cdef void add_ending_with(
    const Mind* m, int seat, int passed, bint boastful, Stories* out
) noexcept nogil:
    """Add stories of a seat other than seat 1 that passed a box on."""
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
        # The Godfather knows what seat 1 received, but nobody knows what is in the pouch.
        for kind in range(KINDS + 1):
            if kind == NO_TOKEN or holds[m.kit.full][kind]:
                pouched = received - (worth[kind] if kind < NO_TOKEN else 0)
                add_starting_with(m, seat, received, pouched, boastful, out)
        return
    add_starting_with(m, seat, received, received, boastful, out)
    add_ending_with(m, seat, passed, boastful, out)
    received = box_said(&m.words[seat - 1], PASSED_DIAMONDS, received)
    add_starting_with(m, seat, received, received, boastful, out)
    if seat < m.seats - 1:
        passed = box_said(&m.words[seat + 1], RECEIVED_DIAMONDS, passed)
        add_ending_with(m, seat, passed, boastful, out)
