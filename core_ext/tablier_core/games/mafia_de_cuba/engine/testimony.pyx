"""The engine's model of lying: how likely a seat's words are, given what it received and took.

A seat either tells the truth in everything or lies; how often depends on its take. A liar
 - starts from the box that it really received and invents an innocent take,
 - or invents an innocent take that ends with the box that it really passed on,
 - or tells the truth about both boxes and lies about the take alone,
 - or invents everything, but keeps to one story,
 - or says anything at all, and may contradict itself.
The likelihood of a seat's words is the sum over these cases, for each box and take. It does not
depend on the words of other seats, so the way of the box round the table is a chain: see
inference.pyx. (reference: Engine)

All sums use basic IEEE 754 operations in a fixed order: results are the same on every machine.
"""

from libc.string cimport memset

from tablier_core.games.mafia_de_cuba.claims cimport first_claim, question_of
from tablier_core.games.mafia_de_cuba.state cimport (
    ACCUSED, ASKABLE, DIAMONDS, FIRST_TOKEN, KINDS, NO_ANSWER, NO_TOKEN, NOT_YET, NOTHING,
    PASSED_DIAMONDS, PASSED_TOKENS, RECEIVED_DIAMONDS, RECEIVED_TOKENS, SETS, TAKES, TOOK, State,
    count_in, diamonds_of, kind_of, place_of, seat_of, value_of,
)

# Shares of the kinds of liars, in the order above.
cdef double FROM_RECEIVED = 0.3
cdef double FROM_PASSED = 0.3
cdef double TAKE_ONLY = 0.1
cdef double INVENTED = 0.2
cdef double ANYTHING = 0.1
# How often a seat answers a question with silence.
cdef double HONEST_SILENCE = 0.03
cdef double LYING_SILENCE = 0.15
# Random words are never less likely than this, however many there are.
cdef double FLOOR = 1e-12
# By take: how readily a liar claims it. Nobody claims to be a thief.
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

# The parameters for Python: an independent implementation in the tests uses the same model.
LYING = (FROM_RECEIVED, FROM_PASSED, TAKE_ONLY, INVENTED, ANYTHING)
SILENCE = (HONEST_SILENCE, LYING_SILENCE)
LEAST = FLOOR
COVERS = tuple([COVER[taken] for taken in range(TAKES)])
TRUTHS = tuple([HONESTY[taken] for taken in range(TAKES)])
POUCHES = tuple([POUCHED[kind] for kind in range(KINDS + 1)])


# ---- Collecting testimony ------------------------------------------------------------------------

cdef bint is_subset(int part, int whole) noexcept nogil:
    cdef int kind
    for kind in range(KINDS):
        if holds[part][kind] > holds[whole][kind]:
            return False
    return True


cdef void init_kit(Kit* kit, const State* s) noexcept nogil:
    cdef int token_set, kind
    kit.full = s.token_set
    kit.sets = 0
    for token_set in range(kit.full + 1):
        if is_subset(token_set, kit.full):
            kit.subset[kit.sets] = token_set
            kit.sets += 1
    kit.takes = 1 + DIAMONDS
    for kind in range(KINDS):
        kit.takes += s.tokens[kind] > 0


cdef void collect_testimony(const State* s, Testimony* testimonies) noexcept nogil:
    cdef Testimony* words
    cdef int seat, question, value, i
    for seat in range(s.seats):
        memset(&testimonies[seat], 0, sizeof(Testimony))
        for question in range(ASKABLE):
            testimonies[seat].said[question] = UNKNOWN
    for i in range(s.events):
        if kind_of(s.event[i]) == ACCUSED:
            continue
        words = &testimonies[seat_of(s.event[i])]
        value = value_of(s.event[i])
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


# ---- The likelihood of words ---------------------------------------------------------------------

cdef double say_anything(const Kit* kit, const Testimony* words) noexcept nogil:
    """The chance of the words if each was drawn from everything that could be said."""
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
    """The chance that a story drawn from all coherent ones contains these words."""
    cdef int taken, kind, i, received, all_diamonds, fitting_diamonds, all_sets, fitting_sets
    cdef double fitting = 0.0, total = 0.0
    for taken in range(TAKES):
        kind = taken - FIRST_TOKEN
        if kind >= 0 and not holds[kit.full][kind]:
            continue
        all_diamonds = fitting_diamonds = 0
        for received in range(diamonds_of(taken), WIDTH):
            all_diamonds += 1
            fitting_diamonds += (
                fits(words, RECEIVED_DIAMONDS, received)
                and fits(words, PASSED_DIAMONDS, received - diamonds_of(taken))
            )
        all_sets = fitting_sets = 0
        for i in range(kit.sets):
            received = kit.subset[i]
            if kind >= 0 and not holds[received][kind]:
                continue
            all_sets += 1
            fitting_sets += (
                fits(words, RECEIVED_TOKENS, received)
                and fits(words, PASSED_TOKENS, received - (place_of(kind) if kind >= 0 else 0))
            )
        total += <double>all_diamonds * all_sets
        if fits(words, TOOK, taken):
            fitting += <double>fitting_diamonds * fitting_sets
    return fitting / total


cdef inline bint may_have_had(const Kit* kit, int seat, int token_set) noexcept nogil:
    """Whether a seat can have taken from this set; seat 1 after filling the pouch."""
    cdef int kind, missing = 0
    for kind in range(KINDS):
        if holds[token_set][kind] > holds[kit.full][kind]:
            return False
        missing += holds[kit.full][kind] - holds[token_set][kind]
    return seat > 1 or missing <= 1


cdef double start_from(const Kit* kit, const Testimony* words, int box, bint last) noexcept nogil:
    """The chance that a liar who received this box claims this take and this box passed on."""
    cdef double fitting = 0.0, total = 0.0
    cdef int kind
    if last or box == 0:
        total = COVER[NOTHING]
        if fits(words, TOOK, NOTHING) and fits_passed(words, box):
            fitting = COVER[NOTHING]
    for kind in range(KINDS):
        if holds[box // WIDTH][kind]:
            total += COVER[FIRST_TOKEN + kind]
            if fits(words, TOOK, FIRST_TOKEN + kind) and fits_passed(words, box - worth[kind]):
                fitting += COVER[FIRST_TOKEN + kind]
    return fitting / total if total else 0.0


cdef double start_from_full(const Kit* kit, const Testimony* words, int diamonds) noexcept nogil:
    """Like `start_from`, for seat 1: it may also have put a token in the pouch."""
    cdef double fitting = 0.0, total = 0.0
    cdef int kind, box
    for kind in range(KINDS + 1):
        if kind == NO_TOKEN or holds[kit.full][kind]:
            box = kit.full * WIDTH + diamonds - (worth[kind] if kind < NO_TOKEN else 0)
            total += POUCHED[kind]
            fitting += POUCHED[kind] * start_from(kit, words, box, False)
    return fitting / total


cdef double end_with(
    const Kit* kit, const Testimony* words, int seat, int box, bint last
) noexcept nogil:
    """The chance that a liar who passed this box on claims this take and this box received."""
    cdef double fitting = 0.0, total = 0.0
    cdef int kind, token_set
    if last or box == 0:
        total = COVER[NOTHING]
        if fits(words, TOOK, NOTHING) and fits_received(words, seen_by(kit, seat, box)):
            fitting = COVER[NOTHING]
    for kind in range(KINDS):
        # A set cannot hold more tokens of a kind than the game has.
        if holds[box // WIDTH][kind] == holds[kit.full][kind]:
            continue
        token_set = box // WIDTH + place_of(kind)
        if may_have_had(kit, seat, token_set):
            total += COVER[FIRST_TOKEN + kind]
            if fits(words, TOOK, FIRST_TOKEN + kind) and fits_received(
                words, seen_by(kit, seat, box + worth[kind])
            ):
                fitting += COVER[FIRST_TOKEN + kind]
    return fitting / total if total else 0.0


cdef void prepare_likelihood(
    Likelihood* heard, const Kit* kit, const Testimony* words, int seat, bint last
) noexcept nogil:
    cdef int question, i, box, kind, _silence, said = 0
    cdef double covers = COVER[NOTHING]
    heard.words = words[0]
    heard.seat = seat
    for question in range(ASKABLE):
        said += words.times[question]
    heard.quiet = said + words.silences == 0
    if heard.quiet:
        return
    heard.honest_silence = heard.lying_silence = 1.0
    for _silence in range(words.silences):
        heard.honest_silence *= HONEST_SILENCE
        heard.lying_silence *= LYING_SILENCE
    heard.unrelated = ANYTHING * say_anything(kit, words)
    heard.take_only = 0.0
    memset(heard.from_received, 0, sizeof(heard.from_received))
    memset(heard.from_passed, 0, sizeof(heard.from_passed))
    if words.contradictory:
        return
    heard.unrelated += INVENTED * invent(kit, words)
    for kind in range(KINDS):
        if holds[kit.full][kind]:
            covers += COVER[FIRST_TOKEN + kind]
    heard.take_only = TAKE_ONLY
    if words.said[TOOK] != UNKNOWN:
        heard.take_only *= COVER[words.said[TOOK]] / covers
    for i in range(kit.sets):
        for box in range(kit.subset[i] * WIDTH, kit.subset[i] * WIDTH + WIDTH):
            if seat == 1:
                if kit.subset[i] == kit.full and fits_received(words, box):
                    heard.from_received[box] = FROM_RECEIVED * start_from_full(
                        kit, words, box % WIDTH
                    )
            elif fits_received(words, box):
                heard.from_received[box] = FROM_RECEIVED * start_from(kit, words, box, last)
            if fits_passed(words, box):
                heard.from_passed[box] = FROM_PASSED * end_with(kit, words, seat, box, last)
