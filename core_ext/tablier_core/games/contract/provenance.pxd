# Which cards of the other seats came from a shuffled pile (reference: Worlds).

from tablier_core.games.contract.state cimport KINDS, MOST_SEATS, Shuffle
from tablier_core.rng cimport Rng

# The cards that the seats have had since a shuffle. `old` were discarded before the round of the
# last draws from that pile, `now` are all others. Cards are listed by kind where the viewer knows
# the kind, and are counted as hidden otherwise.
cdef struct Holdings:
    int old[MOST_SEATS][KINDS]
    int old_hidden[MOST_SEATS]
    int now[MOST_SEATS][KINDS]
    int now_hidden[MOST_SEATS]

# Which of the others' cards came from a shuffled pile. All others are older.
cdef struct Trace:
    int drawn[MOST_SEATS][KINDS]        # cards of known kind that came from the pile
    int hidden_old[MOST_SEATS]          # and how many of the hidden ones
    int hidden_now[MOST_SEATS]
    int required[KINDS]                 # what must be among the hidden cards from the pile
    int excess[KINDS]                   # what must be among those that went in unseen

# Draw which cards of the other seats came from a shuffled pile, within what the viewer knows.
# Returns False if nothing is possible; for the pile in use, the truth always is.
cdef bint trace(
    const Shuffle* shuffled, const Holdings* held, int seats, int viewer, Rng* rng, Trace* found
) noexcept nogil

# Draw how many of some cards came from the pile, given that `of_pile` of the `left` cards did, and
# reduce both accordingly.
cdef int guess(int cards, int* left, int* of_pile, Rng* rng) noexcept nogil


cdef inline int sum_counts(const int* kinds) noexcept nogil:
    return kinds[0] + kinds[1] + kinds[2] + kinds[3] + kinds[4]
