# What the seats have said, and how likely those words are: see testimony.pyx.

from tablier_core.games.mafia_de_cuba.state cimport (
    ASKABLE, DIAMONDS, KINDS, PASSED_DIAMONDS, PASSED_TOKENS, RECEIVED_DIAMONDS, RECEIVED_TOKENS,
    SETS, TAKES, Box, State, number_of,
)

# In the engine a box is a single number: its set of tokens x WIDTH + its diamonds.
cdef enum:
    WIDTH = DIAMONDS + 1
    BOXES = SETS * WIDTH
    UNKNOWN = -1                        # an unknown take, box or claim

# What the box can hold in a game.
cdef struct Kit:
    int full                            # the set of all tokens
    int sets
    int subset[SETS]                    # its subsets, ascending
    int takes                           # how many takes can be claimed, including `nothing`

# What a seat has said.
cdef struct Testimony:
    int said[ASKABLE]                   # by question: the latest value, or UNKNOWN
    int times[ASKABLE]                  # how often it answered
    int silences
    bint contradictory                  # it gave two values for one question

# The likelihood of a testimony, prepared for every box and take.
cdef struct Likelihood:
    Testimony words
    int seat
    bint quiet                          # it has said nothing: every box and take is equally likely
    double honest_silence               # factor of its silences if it tells the truth,
    double lying_silence                # and if it lies
    # The kinds of liars, each with its share among all liars.
    double unrelated                    # their words do not depend on what happened
    double take_only                    # they lie about their take alone
    double from_received[BOXES]         # they start from the box they received, by that box
    double from_passed[BOXES]           # they end with the box they passed on, by that box

# holds[set][kind]: how many tokens of a kind are in a set.
cdef int[SETS][KINDS] holds
# By kind: what one token adds to the number of a box.
cdef int[KINDS] worth
# By kind, NO_TOKEN last: relative frequency with which seat 1 puts it in the pouch.
cdef double[KINDS + 1] POUCHED
# By take: how often a seat that took it tells the truth.
cdef double[TAKES] HONESTY

cdef void init_kit(Kit* kit, const State* s) noexcept nogil
# Collect the testimony of every seat.
cdef void collect_testimony(const State* s, Testimony* testimonies) noexcept nogil
# Prepare the likelihood of a seat's testimony; `last`: it is the last seat to take.
cdef void prepare_likelihood(
    Likelihood* heard, const Kit* kit, const Testimony* words, int seat, bint last
) noexcept nogil


cdef inline int number_box(const Box* box) noexcept nogil:
    return number_of(box.tokens) * WIDTH + box.diamonds


cdef inline int seen_by(const Kit* kit, int seat, int box) noexcept nogil:
    """The box on arrival, given the box a seat took from: seat 1 first filled the pouch."""
    return kit.full * WIDTH + box % WIDTH if seat == 1 else box


cdef inline bint fits(const Testimony* words, int question, int value) noexcept nogil:
    """Whether a value agrees with what was said, or the question was never answered."""
    return words.said[question] == UNKNOWN or words.said[question] == value


cdef inline bint fits_received(const Testimony* words, int box) noexcept nogil:
    return (
        fits(words, RECEIVED_DIAMONDS, box % WIDTH) and fits(words, RECEIVED_TOKENS, box // WIDTH)
    )


cdef inline bint fits_passed(const Testimony* words, int box) noexcept nogil:
    return fits(words, PASSED_DIAMONDS, box % WIDTH) and fits(words, PASSED_TOKENS, box // WIDTH)
