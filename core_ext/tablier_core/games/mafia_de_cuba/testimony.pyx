"""Mafia de Cuba: how likely words are, given what the seat had in its hands.

A seat tells the truth in everything, or lies; how often, depends on what it took. A liar
 - begins with the box that it truly received and makes up an innocent take,
 - or makes up a take that ends with the box that it truly passed on,
 - or tells the truth about both boxes and lies about the take alone,
 - or makes up everything, but keeps to one story,
 - or says anything at all, and may contradict itself.
The chance of all that a seat has said is then a sum over these, for each box and take. It needs no
word of any other seat, so the box's way round the table remains a chain: see inference.pyx.

All sums are of IEEE 754's basic operations, in a fixed order: the same on every machine.
"""

from libc.string cimport memset

from tablier_core.games.mafia_de_cuba.parts cimport (
    ASKABLE, DIAMONDS, FIRST_TOKEN, KINDS, NO_TOKEN, NOTHING, PASSED_DIAMONDS, PASSED_TOKENS,
    RECEIVED_DIAMONDS, RECEIVED_TOKENS, SETS, TAKES, TOOK, count_in, diamonds_of, first_claim,
    place_of, question_of,
)
from tablier_core.games.mafia_de_cuba.state cimport ACCUSED, NO_ANSWER, NOT_YET, State

# How liars lie: the parts of each kind, in the order above.
cdef double FROM_RECEIVED = 0.3
cdef double FROM_PASSED = 0.3
cdef double TAKE_ALONE = 0.1
cdef double MADE_UP = 0.2
cdef double ANYTHING = 0.1
# How often a question meets with silence.
cdef double FRANK_SILENCE = 0.03
cdef double SLY_SILENCE = 0.15
# Words are never less likely than this, however many were said at random.
cdef double FLOOR = 1e-12
# By take: how readily a liar claims it; thieves do not claim to be thieves.
cdef double[TAKES] COVER
COVER[:] = [
    0.6, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    1.0, 0.3, 0.3, 0.6, 0.4,
]
HONESTY[:] = [
    0.7, 0.02, 0.02, 0.02, 0.02, 0.02, 0.02, 0.02, 0.02, 0.02, 0.02, 0.02, 0.02, 0.02, 0.02, 0.02,
    0.98, 0.6, 0.6, 0.85, 0.95,
]
POUCHED[:] = [0.2, 0.2, 0.2, 0.2, 0.2, 0.6]


cdef void fill_sets() noexcept:
    cdef int token_set, kind
    for kind in range(KINDS):
        worth[kind] = WIDTH * place_of(kind)
        for token_set in range(SETS):
            holds[token_set][kind] = count_in(token_set, kind)


fill_sets()

# The model in figures, for a second implementation.
LYING = (FROM_RECEIVED, FROM_PASSED, TAKE_ALONE, MADE_UP, ANYTHING)
SILENCE = (FRANK_SILENCE, SLY_SILENCE)
LEAST = FLOOR
COVERS = tuple([COVER[taken] for taken in range(TAKES)])
TRUTHS = tuple([HONESTY[taken] for taken in range(TAKES)])
POUCHES = tuple([POUCHED[kind] for kind in range(KINDS + 1)])


# ---- What was said -------------------------------------------------------------------------------

cdef bint is_part(int part, int whole) noexcept nogil:
    """Whether a set of tokens is within another."""
    cdef int kind
    for kind in range(KINDS):
        if holds[part][kind] > holds[whole][kind]:
            return False
    return True


cdef void open_kit(Kit* kit, const State* s) noexcept nogil:
    cdef int token_set, kind
    kit.full = s.token_set
    kit.sets = 0
    for token_set in range(kit.full + 1):
        if is_part(token_set, kit.full):
            kit.subset[kit.sets] = token_set
            kit.sets += 1
    kit.takes = 1 + DIAMONDS
    for kind in range(KINDS):
        kit.takes += s.tokens[kind] > 0


cdef void gather(const State* s, Testimony* all_words) noexcept nogil:
    """The testimony of every seat."""
    cdef Testimony* words
    cdef int seat, question, value, i
    for seat in range(s.seats):
        memset(&all_words[seat], 0, sizeof(Testimony))
        for question in range(ASKABLE):
            all_words[seat].said[question] = UNKNOWN
    for i in range(s.events):
        if s.event[i] & 3 == ACCUSED:
            continue
        words = &all_words[s.event[i] >> 2 & 15]
        value = s.event[i] >> 6
        if value >= NOT_YET:
            continue
        if value >= NO_ANSWER:
            words.silences += 1
            continue
        question = question_of(value)
        value -= first_claim(question)
        words.times[question] += 1
        if not fits(words, question, value):
            words.contradictory = True
        words.said[question] = value


# ---- How likely it is ----------------------------------------------------------------------------

cdef double babble(const Kit* kit, const Testimony* words) noexcept nogil:
    """The chance of the words if each was drawn from all that could be said."""
    cdef double chance = 1.0
    cdef int question, choices, _time
    for question in range(ASKABLE):
        choices = WIDTH
        if question == RECEIVED_TOKENS or question == PASSED_TOKENS:
            choices = kit.sets
        elif question == TOOK:
            choices = kit.takes
        for _time in range(words.times[question]):
            chance /= choices
    return max(chance, FLOOR)


cdef double invent(const Kit* kit, const Testimony* words) noexcept nogil:
    """The chance that a story drawn from all coherent ones has these words in it."""
    cdef int taken, kind, i, received, given, before, after, told
    cdef double fitting = 0.0, total = 0.0
    for taken in range(TAKES):
        kind = taken - FIRST_TOKEN
        if kind >= 0 and not holds[kit.full][kind]:
            continue
        given = told = 0
        for received in range(diamonds_of(taken), WIDTH):
            given += 1
            told += (
                fits(words, RECEIVED_DIAMONDS, received)
                and fits(words, PASSED_DIAMONDS, received - diamonds_of(taken))
            )
        before = after = 0
        for i in range(kit.sets):
            received = kit.subset[i]
            if kind >= 0 and not holds[received][kind]:
                continue
            before += 1
            after += (
                fits(words, RECEIVED_TOKENS, received)
                and fits(words, PASSED_TOKENS, received - (place_of(kind) if kind >= 0 else 0))
            )
        total += <double>given * before
        if fits(words, TOOK, taken):
            fitting += <double>told * after
    return fitting / total


cdef inline bint may_have_left(const Kit* kit, int seat, int token_set) noexcept nogil:
    """Whether a seat can have received this set; seat 1 without what it put in the pouch."""
    cdef int kind, missing = 0
    for kind in range(KINDS):
        if holds[token_set][kind] > holds[kit.full][kind]:
            return False
        missing += holds[kit.full][kind] - holds[token_set][kind]
    return seat > 1 or missing <= 1


cdef double continue_from(
    const Kit* kit, const Testimony* words, int box, bint last
) noexcept nogil:
    """How readily a liar who received this says what was said of its take and the box it passed."""
    cdef double told = 0.0, total = 0.0
    cdef int kind
    if last or box == 0:
        total = COVER[NOTHING]
        if fits(words, TOOK, NOTHING) and fits_passed(words, box):
            told = COVER[NOTHING]
    for kind in range(KINDS):
        if holds[box // WIDTH][kind]:
            total += COVER[FIRST_TOKEN + kind]
            if fits(words, TOOK, FIRST_TOKEN + kind) and fits_passed(words, box - worth[kind]):
                told += COVER[FIRST_TOKEN + kind]
    return told / total if total else 0.0


cdef double lead_to(
    const Kit* kit, const Testimony* words, int seat, int box, bint last
) noexcept nogil:
    """How readily a liar who passed this on says what was said of its take and the box it got."""
    cdef double told = 0.0, total = 0.0
    cdef int kind, token_set
    if last or box == 0:
        total = COVER[NOTHING]
        if fits(words, TOOK, NOTHING) and fits_received(words, seen_by(kit, seat, box)):
            told = COVER[NOTHING]
    for kind in range(KINDS):
        # One more than the game has of a kind is no number of a set.
        if holds[box // WIDTH][kind] == holds[kit.full][kind]:
            continue
        token_set = box // WIDTH + place_of(kind)
        if may_have_left(kit, seat, token_set):
            total += COVER[FIRST_TOKEN + kind]
            if fits(words, TOOK, FIRST_TOKEN + kind) and fits_received(
                words, seen_by(kit, seat, box + worth[kind])
            ):
                told += COVER[FIRST_TOKEN + kind]
    return told / total if total else 0.0


cdef double continue_from_full(
    const Kit* kit, const Testimony* words, int diamonds
) noexcept nogil:
    """The same as `continue_from` for seat 1, who may also have filled the pouch."""
    cdef double told = 0.0, total = 0.0
    cdef int kind, box
    for kind in range(KINDS + 1):
        if kind == NO_TOKEN or holds[kit.full][kind]:
            box = kit.full * WIDTH + diamonds - (worth[kind] if kind < NO_TOKEN else 0)
            total += POUCHED[kind]
            told += POUCHED[kind] * continue_from(kit, words, box, False)
    return told / total


cdef void hear(
    Voice* v, const Kit* kit, const Testimony* words, int seat, bint last
) noexcept nogil:
    """Make ready to judge a testimony."""
    cdef int question, i, box, kind, _silence, said = 0
    cdef double covers = COVER[NOTHING]
    v.words = words[0]
    v.seat = seat
    for question in range(ASKABLE):
        said += words.times[question]
    v.quiet = said + words.silences == 0
    if v.quiet:
        return
    v.frank = v.sly = 1.0
    for _silence in range(words.silences):
        v.frank *= FRANK_SILENCE
        v.sly *= SLY_SILENCE
    v.loose = ANYTHING * babble(kit, words)
    v.bare = 0.0
    memset(v.from_received, 0, sizeof(v.from_received))
    memset(v.from_passed, 0, sizeof(v.from_passed))
    if words.contradictory:
        return
    v.loose += MADE_UP * invent(kit, words)
    for kind in range(KINDS):
        if holds[kit.full][kind]:
            covers += COVER[FIRST_TOKEN + kind]
    v.bare = TAKE_ALONE
    if words.said[TOOK] != UNKNOWN:
        v.bare *= COVER[words.said[TOOK]] / covers
    for i in range(kit.sets):
        for box in range(kit.subset[i] * WIDTH, kit.subset[i] * WIDTH + WIDTH):
            if seat == 1:
                if kit.subset[i] == kit.full and fits_received(words, box):
                    v.from_received[box] = FROM_RECEIVED * continue_from_full(
                        kit, words, box % WIDTH
                    )
            elif fits_received(words, box):
                v.from_received[box] = FROM_RECEIVED * continue_from(kit, words, box, last)
            if fits_passed(words, box):
                v.from_passed[box] = FROM_PASSED * lead_to(kit, words, seat, box, last)
