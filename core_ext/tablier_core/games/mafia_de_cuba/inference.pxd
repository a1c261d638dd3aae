# What the box can have held at each pass, and what each seat can have taken: see inference.pyx.

from libc.stdint cimport uint8_t

from tablier_core.abi cimport MAX_SEATS
from tablier_core.games.mafia_de_cuba.parts cimport KINDS, TAKES, bit, diamonds_of
from tablier_core.games.mafia_de_cuba.state cimport GODFATHER, INQUIRY, State
from tablier_core.games.mafia_de_cuba.testimony cimport BOXES, Kit, Testimony, Voice
from tablier_core.rng cimport Rng

# What somebody knows of the theft, has heard of it, and thinks of it. Boxes are counted by who
# received them, seat 1's without what went into the pouch, and `seats` for the one that came back.
cdef struct Mind:
    Kit kit
    int seats
    int fewest_hidden
    int most_hidden
    double pouch[KINDS + 1]             # how likely it holds what
    int take[MAX_SEATS]                 # that is known, or UNKNOWN
    int box[MAX_SEATS + 1]              # that is known, or UNKNOWN
    bint all_found                      # suppose that no take but a known one has diamonds
    Testimony words[MAX_SEATS]
    # By box received: how likely all that came before it is, and all that came after.
    double forward[MAX_SEATS + 1][BOXES]
    double backward[MAX_SEATS + 1][BOXES]
    double takes[MAX_SEATS][TAKES]      # the chance of each take, once `infer` is done

# Fill in all that a seat knows and has heard; nothing else of the state is read.
cdef void enter_mind(Mind* m, const State* s, int viewer) noexcept nogil
# Messages, up to the box that a seat received: all before it, or all after.
cdef void look_forward(Mind* m, int seat) noexcept nogil
cdef void look_back(Mind* m, int seat) noexcept nogil
# One pass of the box, against its direction. With `before` not NULL it adds up the chances of what
# the seat took, which are to be divided by the sum that it returns.
cdef double step_back(
    const Mind* m, int seat, const Voice* v, const double* after, double* out,
    const double* before, double* takes,
) noexcept nogil
# All of it: messages and the chances of all takes. `game_goes_on`: somebody has diamonds who has
# not been found out.
cdef void infer(Mind* m, bint game_goes_on) noexcept nogil
# Draw the takes of the seats from `first` up to `end`, which has the box in `box`, and return the
# box that is left. Where `backward` was looked up, it guides the draw.
cdef int draw_takes(
    const Mind* m, int first, int end, int box, bint guided, uint8_t* takes, Rng* rng
) noexcept nogil
# The places of a list, as likely as their weights; n must be at least 1.
cdef int draw_one(const double* weights, int n, Rng* rng) noexcept nogil


cdef inline bint goes_on_without(const State* s, int seat) noexcept nogil:
    """Whether the inquiry goes on because of diamonds that another seat has, and did not show.

    The Godfather need not be told: he knows how many are missing.
    """
    if s.phase < INQUIRY or seat == GODFATHER:
        return False
    return s.revealed & bit(seat) != 0 or not diamonds_of(s.takes[seat])
