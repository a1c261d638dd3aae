# What the seats have said, and how likely words are from a seat that had this and did that: the
# model of lying. testimony.pyx tells it in prose.

from tablier_core.abi cimport MAX_SEATS
from tablier_core.games.mafia_de_cuba.parts cimport (
    ASKABLE, DIAMONDS, KINDS, NO_TOKEN, PASSED_DIAMONDS, PASSED_TOKENS, RECEIVED_DIAMONDS,
    RECEIVED_TOKENS, SETS, TAKES, TOOK, Box, number_of,
)
from tablier_core.games.mafia_de_cuba.state cimport State

# A box is one number here: its set of tokens x WIDTH + its diamonds.
cdef enum:
    WIDTH = DIAMONDS + 1
    BOXES = SETS * WIDTH
    UNKNOWN = -1                        # a take, a box or a claim that is not known

# What the box can hold in a game.
cdef struct Kit:
    int full                            # the set of all its tokens
    int sets
    int subset[SETS]                    # those that it has, ascending
    int takes                           # that can be claimed, `nothing` among them

# What a seat has said.
cdef struct Testimony:
    int said[ASKABLE]                   # by question: the value, or UNKNOWN
    int times[ASKABLE]                  # how often it answered
    int silences
    bint contradictory                  # two values for one question

# How likely a testimony is, ready to be asked for every box and take.
cdef struct Voice:
    Testimony words
    int seat
    bint quiet                          # it has said nothing: all boxes and takes are alike
    double frank                        # factors of its silences if it tells the truth,
    double sly                          # and if it does not
    double loose                        # liars whose words have nothing to do with the truth
    double bare                         # those who lie about their take alone
    double from_received[BOXES]         # those whose story begins with the true box, by that box
    double from_passed[BOXES]           # those whose story ends with it

# By set and kind: how many tokens; by kind: what one of them is worth in a box's number.
cdef int[SETS][KINDS] holds
cdef int[KINDS] worth
# How likely seat 1 is to put a kind in the pouch, nothing last, beside one another.
cdef double[KINDS + 1] POUCHED
# By take: how often a seat that took it tells the truth.
cdef double[TAKES] HONESTY

cdef void open_kit(Kit* kit, const State* s) noexcept nogil
cdef void gather(const State* s, Testimony* all_words) noexcept nogil
cdef void hear(
    Voice* v, const Kit* kit, const Testimony* words, int seat, bint last
) noexcept nogil


cdef inline int number_box(const Box* box) noexcept nogil:
    return number_of(box.tokens) * WIDTH + box.diamonds


cdef inline bint fits(const Testimony* words, int question, int value) noexcept nogil:
    return words.said[question] == UNKNOWN or words.said[question] == value


cdef inline bint fits_received(const Testimony* words, int box) noexcept nogil:
    return (
        fits(words, RECEIVED_DIAMONDS, box % WIDTH) and fits(words, RECEIVED_TOKENS, box // WIDTH)
    )


cdef inline bint fits_passed(const Testimony* words, int box) noexcept nogil:
    return fits(words, PASSED_DIAMONDS, box % WIDTH) and fits(words, PASSED_TOKENS, box // WIDTH)


cdef inline int seen_by(const Kit* kit, int seat, int box) noexcept nogil:
    """The box on arrival: seat 1 saw it with what it then put in the pouch."""
    return kit.full * WIDTH + box % WIDTH if seat == 1 else box


cdef inline double chance_of(
    const Voice* v, int seen, int taken, int passed
) noexcept nogil:
    """How likely the words are from a seat that saw a box, took something and passed the rest."""
    cdef double told, lied
    cdef bint ends_fit
    if v.quiet:
        return 1.0
    lied = v.loose + v.from_received[seen] + v.from_passed[passed]
    ends_fit = (
        not v.words.contradictory and fits_received(&v.words, seen)
        and fits_passed(&v.words, passed)
    )
    told = 0.0
    if ends_fit:
        lied += v.bare
        if fits(&v.words, TOOK, taken):
            told = HONESTY[taken] * v.frank
    return told + (1.0 - HONESTY[taken]) * v.sly * lied
