# The chances of every box and take, by what somebody knows and has heard: see inference.pyx.

from libc.stdint cimport uint8_t

from tablier_core.abi cimport MAX_SEATS
from tablier_core.games.mafia_de_cuba.engine.testimony cimport BOXES, Kit, Likelihood, Testimony
from tablier_core.games.mafia_de_cuba.state cimport KINDS, TAKES, State
from tablier_core.rng cimport Rng

# What somebody knows of the theft, has heard about it, and concludes. Boxes are indexed by the seat
# that took from them (for seat 1 the pouch is already filled), and `seats` is the one that came
# back.
cdef struct Mind:
    Kit kit
    int seats
    int fewest_hidden
    int most_hidden
    double pouch[KINDS + 1]             # relative chance of each content
    int take[MAX_SEATS]                 # known takes, or UNKNOWN
    int box[MAX_SEATS + 1]              # known boxes, or UNKNOWN
    bint all_found                      # assume that no unknown take has diamonds
    Testimony words[MAX_SEATS]
    # Messages by box: the weight of everything before it, and of everything after it.
    double forward[MAX_SEATS + 1][BOXES]
    double backward[MAX_SEATS + 1][BOXES]
    double takes[MAX_SEATS][TAKES]      # the chance of each take, filled by `infer`

# Fill in everything that a seat knows and has heard; the rest of the state is not read.
cdef void init_mind(Mind* m, const State* s, int viewer) noexcept nogil
# Compute the forward messages up to the box of a seat, or the backward messages down to it.
cdef void look_forward(Mind* m, int seat) noexcept nogil
cdef void look_back(Mind* m, int seat) noexcept nogil
# Compute one backward message. If `before` is not NULL, also add the weight of each take of the
# seat to `takes`, and return their sum.
cdef double step_back(
    const Mind* m, int seat, const Likelihood* heard, const double* after, double* out,
    const double* before, double* takes,
) noexcept nogil
# Compute all messages and the chances of all takes. `game_goes_on`: some seat holds diamonds that
# have not been found.
cdef void infer(Mind* m, bint game_goes_on) noexcept nogil
# Whether the inquiry goes on because of diamonds that a seat other than this one has not shown.
# False for the Godfather, who knows how many diamonds are missing.
cdef bint goes_on_without(const State* s, int seat) noexcept nogil
# Draw the box that seat 1 took from, by both messages.
cdef int draw_start(const Mind* m, Rng* rng) noexcept nogil
# Draw the takes of the seats in [first, end) when the first of them takes from `box`, and return
# the box that is left. `guided`: by the backward messages too.
cdef int draw_takes(
    const Mind* m, int first, int end, int box, bint guided, uint8_t* takes, Rng* rng
) noexcept nogil
